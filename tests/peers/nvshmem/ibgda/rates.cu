// NVSHMEM's own IBGDA device code, without NVSHMEM's host library and without a NIC: its state structs are filled by
// hand, and the engine of tests/nic-kernels completes its posts. It answers the tests of `oxshmem-nic-rates`
// (tests/bench/src/nic_rates/mod.rs) with the same loops and the same clock, by the protocol of ../../PROTOCOL.md.
//
// Written against NVSHMEM 3.8.0. DIR is the folder in which the Python package `nvidia-nvshmem-cu13` has put `include`;
// VERBS is a folder with `infiniband/mlx5dv.h` (Debian: libibverbs-dev). It is one file, without -rdc: NVSHMEM's device
// state is then this program's own, and its device code is inlined, which its library's is not.
//
// -DWITHOUT_PRINTF removes the two messages of NVSHMEM's device code, in case a kernel that may print is found to wait
// for others.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 -DNDEBUG -I DIR/include -isystem VERBS rates.cu -o nvshmem-ibgda-rates -lcuda
//   echo 'run test=nic_p_rate ctas=8 qps=8' | ./nvshmem-ibgda-rates oxshmem_nic_kernels.ptx
//
// Further keys: `combine=0` disables the one entry for a warp's adjacent elements (NVSHMEM asks the NIC), and
// `requests` is NVSHMEM_IBGDA_NUM_REQUESTS_IN_BATCH. A row that takes longer than `limit_s` seconds (8) ends the
// program with status 3, and the state of the queues is printed to standard error.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "watchdog.h"

namespace {

constexpr unsigned long long PAUSE_NS = 2000, COMPARED_NS = 1000000;

__device__ unsigned long long now_ns() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}

__device__ unsigned long long ticks() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
    return now;
}

__device__ void stamp(unsigned long long* slots, int which) {
    __syncthreads();
    if (threadIdx.x == 0) slots[2 * blockIdx.x + which] = now_ns();
}

// All threads, one element after another; then the blocks' quiet, timed. Blocks have up to MOST threads: the more there
// may be, the fewer registers a thread has.
template <unsigned MOST>
__global__ void __launch_bounds__(MOST) p_rate(char* dest, unsigned long long* slots, uint64_t stride, uint64_t base, unsigned iters) {
#ifdef __CUDA_ARCH__
    stamp(slots, 0);
    const uint64_t thread = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    char* place = dest + thread * stride;
    for (unsigned i = 0; i < iters; i++) nvshmemi_ibgda_rma_p<uint64_t>(place, (base + i) << 32 | thread, PEER);
    __syncthreads();
    nvshmemi_ibgda_qp_quiet<NVSHMEMI_THREADGROUP_BLOCK>(true, NVSHMEMX_PE_ANY, nullptr, NVSHMEMX_QP_DEFAULT);
    stamp(slots, 1);
#endif
}

// One thread, one element at a time, each followed by a quiet and a pause.
__global__ void p_latency(char* dest, unsigned long long* out, uint64_t base, unsigned iters) {
#ifdef __CUDA_ARCH__
    for (unsigned i = 0; i < iters; i++) {
        for (const auto from = now_ns(); now_ns() - from < PAUSE_NS;) {}
        const auto before = ticks();
        nvshmemi_ibgda_rma_p<uint64_t>(dest, (base + i) << 32, PEER);
        const auto called = ticks();
        nvshmemi_ibgda_qp_quiet<NVSHMEMI_THREADGROUP_THREAD>(true, NVSHMEMX_PE_ANY, nullptr, NVSHMEMX_QP_DEFAULT);
        const auto quiet = ticks();
        out[2 * i] = called - before;
        out[2 * i + 1] = quiet - before;
    }
#endif
}

__global__ void compare_clocks(unsigned long long* out) {
    const auto from_ns = now_ns(), from = ticks();
    unsigned long long ns = 0;
    while (ns < COMPARED_NS) ns = now_ns() - from_ns;
    out[0] = ticks() - from;
    out[1] = ns;
}

struct Skip {
    std::string why;
};
struct Wrong {
    std::string what;
};

struct Answer {
    std::vector<double> times;
    std::string note;
};

// Waits for the end of a posting kernel.
void finish(const Engine& engine) {
    must(cudaGetLastError(), "launch a kernel");
    doing = "waiting for the posting kernel";
    must(cudaStreamSynchronize(engine.posting()), "post");
    doing = "reading what the posting kernel left";
}

// Launches every kernel once, with nothing to post and while no engine runs. The first launch of a kernel may have work
// that waits for everything in the context, and so for the running engine: loading the kernel, and enlarging the
// context's local memory for it (all of NVSHMEM's kernels have a stack, the engine has none). The memory keeps that
// size.
void make_ready(Engine& engine) {
    doing = "launching each kernel once";
    Queues queues{Request{}};
    Device slots(4096);
    auto* words = reinterpret_cast<unsigned long long*>(slots.at());
    char* dest = reinterpret_cast<char*>(HEAP + DEST);
    queues.reset();
    p_rate<768><<<132, 768, 0, engine.posting()>>>(dest, words, 8, 0, 0);
    p_rate<1024><<<132, 1024, 0, engine.posting()>>>(dest, words, 8, 0, 0);
    p_latency<<<1, 1, 0, engine.posting()>>>(dest, words, 0, 0);
    compare_clocks<<<1, 1, 0, engine.posting()>>>(words);
    finish(engine);
}

template <class T>
std::vector<T> read(const Engine& engine, const Device& from, size_t n) {
    std::vector<T> all(n);
    must(cudaMemcpyAsync(all.data(), from.at(), n * sizeof(T), cudaMemcpyDeviceToHost, engine.posting()), "read the times");
    must(cudaStreamSynchronize(engine.posting()), "read the times");
    return all;
}

// Checks that no rule was broken, and that every queue is at the index that the engine completed.
void agree(const std::vector<SinkReport>& reports, const Queues& queues) {
    const auto states = queues.states();
    for (size_t i = 0; i < reports.size(); i++) {
        const auto& one = reports[i];
        std::ostringstream text;
        text << std::hex << std::showbase;
        if (one.late) throw std::runtime_error("the engine's time was over");
        if (one.violations || one.astray) {
            text << "queue " << i << ": " << one.violations << " rules broken, " << one.astray << " doorbells astray, first rule "
                 << one.rule << " at index " << one.index << "; found " << one.found;
            throw Wrong{text.str()};
        }
        const auto& wq = states[i].mvars.tx_wq;
        if (wq.resv_head != one.done || wq.ready_head != one.done || wq.prod_idx != one.done) {
            text << "queue " << i << " reserved " << wq.resv_head << ", made ready " << wq.ready_head << ", posted " << wq.prod_idx
                 << "; the engine completed up to " << one.done;
            throw Wrong{text.str()};
        }
    }
}

uint64_t sum(const std::vector<SinkReport>& reports, uint64_t SinkReport::*of) {
    uint64_t all = 0;
    for (const auto& one : reports) all += one.*of;
    return all;
}

Answer run_rate(Engine& engine, Watchdog& dog, const Request& r) {
    Queues queues(r);
    Device slots(16ull * r.ctas);
    const Watched watched(dog, queues, slots);
    char* dest = reinterpret_cast<char*>(HEAP + DEST);
    const uint64_t threads = uint64_t(r.ctas) * r.threads, stride = r.line ? 128 : 8;
    auto post = [&](uint64_t base, unsigned iters) {
        auto* kernel = r.threads <= 768 ? p_rate<768> : p_rate<1024>;
        doing = "launching the posting kernel";
        kernel<<<r.ctas, r.threads, 0, engine.posting()>>>(dest, reinterpret_cast<unsigned long long*>(slots.at()), stride, base, iters);
        finish(engine);
    };

    const uint64_t laps = (3ull * r.depth * r.qps + threads - 1) / threads;
    const unsigned rounds = unsigned(std::min<uint64_t>(4096, std::max<uint64_t>(2, laps)));
    queues.reset();
    queues.start(engine, true);
    post(0, rounds);
    engine.end();
    auto reports = queues.reports();
    agree(reports, queues);
    uint64_t values = 0, places = 0;
    for (uint64_t thread = 0; thread < threads; thread++) {
        places += (DEST + thread * stride) * rounds;
        for (uint64_t round = 0; round < rounds; round++) values += round << 32 | thread;
    }
    if (sum(reports, &SinkReport::elements) != threads * rounds || sum(reports, &SinkReport::values) != values ||
        sum(reports, &SinkReport::places) != places)
        throw Wrong{"what the engine saw is not what was posted"};

    queues.reset();
    queues.start(engine, false);
    Answer answer;
    for (unsigned repetition = 0; repetition <= r.repeat; repetition++) {
        post(uint64_t(repetition) * r.iters, r.iters);
        if (repetition == 0) continue;
        const auto words = read<unsigned long long>(engine, slots, 2 * r.ctas);
        unsigned long long start = ~0ull, end = 0;
        for (unsigned i = 0; i < r.ctas; i++) {
            start = std::min(start, words[2 * i]);
            end = std::max(end, words[2 * i + 1]);
        }
        answer.times.push_back(double(end - start) / r.iters);
    }
    engine.end();
    reports = queues.reports();
    agree(reports, queues);
    std::vector<double> rates;
    for (double time : answer.times) rates.push_back(1e3 * double(threads) / time);
    std::sort(rates.begin(), rates.end());
    const uint64_t blocks = sum(reports, &SinkReport::done) - r.start * r.qps, rings = sum(reports, &SinkReport::rings);
    char note[200];
    snprintf(note, sizeof note, " Mputs/s=%.1f low=%.1f high=%.1f per_ring_seen=%.1f blocks_per_put=%.2f", rates[rates.size() / 2],
             rates.front(), rates.back(), double(blocks) / double(std::max<uint64_t>(1, rings)),
             double(blocks) / double(threads * r.iters * (r.repeat + 1ull)));
    answer.note = note;
    return answer;
}

Answer run_latency(Engine& engine, Watchdog& dog, const Request& r, bool until_quiet) {
    Queues queues(r);
    const unsigned calls = std::min(r.iters, 1u << 16);
    Device out(16ull * calls + 16);
    auto* words = reinterpret_cast<unsigned long long*>(out.at());
    const Watched watched(dog, queues, out);
    queues.reset();
    queues.start(engine, false);
    Answer answer;
    for (unsigned repetition = 0; repetition <= r.repeat; repetition++) {
        doing = "launching the posting kernel";
        p_latency<<<1, 1, 0, engine.posting()>>>(reinterpret_cast<char*>(HEAP + DEST), words, uint64_t(repetition) * calls, calls);
        finish(engine);
        const auto all = read<unsigned long long>(engine, out, 2 * calls);
        compare_clocks<<<1, 1, 0, engine.posting()>>>(words);
        finish(engine);
        const auto clocks = read<unsigned long long>(engine, out, 2);
        const double ns = double(clocks[1]) / double(clocks[0]);
        std::vector<unsigned long long> cycles;
        for (unsigned i = 0; i < calls; i++) cycles.push_back(all[2 * i + until_quiet]);
        std::sort(cycles.begin(), cycles.end());
        if (repetition == 0) continue;
        answer.times.push_back(double(cycles[calls / 2]) * ns);
        char note[200];
        snprintf(note, sizeof note, " ns=%.0f least=%.0f p1=%.0f p99=%.0f GHz=%.3f", answer.times[0], double(cycles[0]) * ns,
                 double(cycles[(calls - 1) / 100]) * ns, double(cycles[size_t(double(calls - 1) * 0.99)]) * ns, 1 / ns);
        answer.note = note;
    }
    engine.end();
    agree(queues.reports(), queues);
    return answer;
}

Request parse(const std::string& text) {
    Request r;
    std::istringstream words(text);
    std::string word;
    words >> word;
    while (words >> word) {
        const size_t at = word.find('=');
        if (at == std::string::npos) throw Skip{"`" + word + "` is not KEY=VALUE"};
        const std::string key = word.substr(0, at), value = word.substr(at + 1);
        auto number = [&](unsigned long long least, unsigned long long most) {
            char* end = nullptr;
            const unsigned long long n = strtoull(value.c_str(), &end, 10);
            if (value.empty() || *end || n < least || n > most) throw Skip{word + ": not from " + std::to_string(least) + " to " + std::to_string(most)};
            return n;
        };
        if (key == "test") r.test = value;
        else if (key == "map") r.map = value;
        else if (key == "qps") r.qps = unsigned(number(1, Engine::THREADS));
        else if (key == "depth") r.depth = unsigned(number(128, 32768));
        else if (key == "ctas") r.ctas = unsigned(number(1, 65535));
        else if (key == "threads") r.threads = unsigned(number(1, 1024));
        else if (key == "iters") r.iters = unsigned(number(1, 1u << 31));
        else if (key == "repeat") r.repeat = unsigned(number(1, 1000));
        else if (key == "requests") r.requests = unsigned(number(1, 32768));
        else if (key == "start") r.start = number(0, 1ull << 48);
        else if (key == "limit_s") r.limit_s = unsigned(number(1, 60));
        else if (key == "line") r.line = number(0, 1) == 1;
        else if (key == "combine") r.combine = number(0, 1) == 1;
    }
    if (r.depth & (r.depth - 1)) throw Skip{"depth is no power of two"};
    if (uint64_t(r.ctas) * r.threads > 1 << 22) throw Skip{"more threads than fit the heap"};
    return r;
}

Answer run(Engine& engine, Watchdog& dog, const Request& r) {
    if (r.test == "nic_p_rate") return run_rate(engine, dog, r);
    if (r.test == "nic_p_call_latency") return run_latency(engine, dog, r, false);
    if (r.test == "nic_p_quiet_latency") return run_latency(engine, dog, r, true);
    throw Skip{"no such test"};
}

void say(const std::string& text) {
    printf("%s\n", text.c_str());
    fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: nvshmem-ibgda-rates PTX, the file of the engine's kernels\n");
        return 2;
    }
    // Nothing may have to wait for the engine's end: see `make_ready`.
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    int status = 0;
    try {
        cudaDeviceProp about;
        must(cudaFree(nullptr), "reach the GPU");
        must(cudaGetDeviceProperties(&about, 0), "reach the GPU");
        Engine engine(argv[1]);
        // It outlives the program, like its thread.
        Watchdog& dog = *new Watchdog(engine);
        dog.begins("(each kernel once)", Watchdog::LIMIT_S);
        make_ready(engine);
        dog.ends();
        say(std::string("ready {\"peer\":\"nvshmem\",\"version\":\"3.8.0\",\"device\":\"") + about.name + "\",\"init_us\":0}");
        for (std::string line; std::getline(std::cin, line);) {
            if (line == "quit") break;
            if (line.rfind("run ", 0) != 0) continue;
            try {
                const Request request = parse(line);
                dog.begins(line, request.limit_s);
                const Answer answer = run(engine, dog, request);
                std::ostringstream text;
                text.precision(10);
                text << "times";
                for (double time : answer.times) text << ' ' << time;
                say(text.str());
                fprintf(stderr, "row peer=nvshmem %s%s\n", line.c_str() + 4, answer.note.c_str());
            } catch (const Skip& skip) {
                say("skip " + skip.why);
            } catch (const Wrong& wrong) {
                say("wrong " + wrong.what);
                status = 1;
            }
            engine.end();
            dog.ends();
        }
    } catch (const std::exception& failed) {
        say(std::string("error ") + failed.what());
        // The engine may be running: no function that waits for it can be called any more.
        _exit(1);
    }
    return status;
}
