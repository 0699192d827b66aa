// NCCL as a peer: its collectives on a stream and in a graph.
#include <nccl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "collective.h"

namespace {

using ::check;
using Clock = std::chrono::steady_clock;

void check(ncclResult_t code, const char* step) {
    if (code != ncclSuccess) {
        throw std::runtime_error(std::string(step) + ": " + ncclGetErrorString(code) + ": " + ncclGetLastError(nullptr));
    }
}

// Settings for one host's GPUs over loopback; variables that the user has set stay, but for multicast.
void set_environment() {
    setenv("NCCL_NVLS_ENABLE", "0", 1);
    setenv("NCCL_SOCKET_IFNAME", "lo", 0);
    setenv("NCCL_NET", "Socket", 0);
    // Calls in graphs and on streams have communicators of their own here, and one graph at a time runs.
    setenv("NCCL_GRAPH_MIXING_SUPPORT", "0", 0);
}

// A communicator over all PEs, and the windows of the buffers in it.
struct Communicator {
    ncclComm_t comm = nullptr;
    std::vector<ncclWindow_t> windows;
};

// Memory that grows when a row needs more, and is kept for the next one.
struct Buffer {
    char* at = nullptr;
    size_t bytes = 0;
};

class Peer {
public:
    explicit Peer(bool symmetric) : symmetric_(symmetric) {}

    // Meets the other PEs. Returns the line that announces it.
    std::string start();
    Times run(const Request& r);
    void end();

private:
    // Blocks of the communicator's kernels (0: as NCCL chooses), and whether its calls are captured.
    using Kind = std::pair<unsigned, bool>;

    const bool symmetric_;
    int pe_ = 0, n_pes_ = 1;
    cudaStream_t stream_ = nullptr;
    // For meetings.
    ncclComm_t world_ = nullptr;
    float* word_ = nullptr;
    std::map<Kind, Communicator> communicators_;
    unsigned n_ids_ = 0;
    Buffer source_, dest_;

    ncclComm_t connect(unsigned ctas);
    ncclComm_t communicator(unsigned ctas, bool captured);
    void need(size_t source_bytes, size_t dest_bytes);
    void forget_windows();
    void allocate(Buffer& buffer, size_t bytes);
    void free(Buffer& buffer);
    void meet_on_stream();
    void meet();
    void enqueue(const Collective& row, ncclComm_t comm, const float* source, float* dest);
};

std::string Peer::start() {
    pe_ = std::stoi(from_environment("PERF_PE"));
    n_pes_ = std::stoi(from_environment("PERF_N_PES"));
    check(pe_ >= 0 && pe_ < n_pes_, "PERF_PE is not one of PERF_N_PES");
    set_environment();

    const auto began = Clock::now();
    take_gpu(pe_);
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "make a stream");
    check(cudaMalloc(&word_, sizeof(*word_)), "allocate a word");
    const float mine = float(pe_ + 1);
    check(cudaMemcpy(word_, &mine, sizeof(mine), cudaMemcpyHostToDevice), "write a word");
    world_ = connect(0);
    meet();
    const double init_us = std::chrono::duration<double, std::micro>(Clock::now() - began).count();

    float sum = 0;
    check(cudaMemcpy(&sum, word_, sizeof(sum), cudaMemcpyDeviceToHost), "read the first sum");
    const float expected = float(n_pes_ * (n_pes_ + 1) / 2);
    check(sum == expected, "the first sum is " + std::to_string(sum) + ", not " + std::to_string(expected));
    check(cudaMemset(word_, 0, sizeof(*word_)), "clear the word");
    int version = 0;
    check(ncclGetVersion(&version), "ask for NCCL's version");
    char text[64];
    snprintf(text, sizeof(text), "%d.%d.%d", version / 10000, version / 100 % 100, version % 100);
    return ready_line(symmetric_ ? "nccl-symmetric" : "nccl", text, init_us);
}

// A new communicator. Collective: every PE makes the same ones in the same order.
ncclComm_t Peer::connect(unsigned ctas) {
    const std::string name = "nccl-unique-id-" + std::to_string(n_ids_++);
    ncclUniqueId id;
    if (pe_ == 0) {
        check(ncclGetUniqueId(&id), "get a unique id");
        publish(name, &id, sizeof(id));
    } else {
        await_published(name, &id, sizeof(id));
    }
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 1;
    if (ctas > 0) config.minCTAs = config.maxCTAs = int(ctas);
    ncclComm_t comm = nullptr;
    check(ncclCommInitRankConfig(&comm, n_pes_, id, pe_, &config), "make a communicator");
    return comm;
}

// The communicator for such calls, with the buffers registered if that is this peer's mode.
ncclComm_t Peer::communicator(unsigned ctas, bool captured) {
    Communicator& one = communicators_[{ctas, captured}];
    if (!one.comm) one.comm = connect(ctas);
    if (symmetric_ && one.windows.empty()) {
        for (const Buffer& buffer : {source_, dest_}) {
            ncclWindow_t window = nullptr;
            check(ncclCommWindowRegister(one.comm, buffer.at, buffer.bytes, &window, NCCL_WIN_COLL_SYMMETRIC),
                  "register a window");
            if (!window) throw Skip{"NCCL has no symmetric windows here"};
            one.windows.push_back(window);
        }
    }
    return one.comm;
}

void Peer::need(size_t source_bytes, size_t dest_bytes) {
    if (source_.bytes >= source_bytes && dest_.bytes >= dest_bytes) return;
    forget_windows();
    allocate(source_, source_bytes);
    allocate(dest_, dest_bytes);
}

void Peer::forget_windows() {
    for (auto& [kind, one] : communicators_) {
        for (ncclWindow_t window : one.windows) {
            check(ncclCommWindowDeregister(one.comm, window), "deregister a window");
        }
        one.windows.clear();
    }
}

void Peer::allocate(Buffer& buffer, size_t bytes) {
    if (buffer.bytes >= bytes) return;
    free(buffer);
    buffer.bytes = round_up(std::max(bytes, 2 * buffer.bytes), 4 << 20);
    void* at = nullptr;
    if (symmetric_) {
        check(ncclMemAlloc(&at, buffer.bytes), "allocate memory");
    } else {
        check(cudaMalloc(&at, buffer.bytes), "allocate memory");
    }
    buffer.at = static_cast<char*>(at);
}

void Peer::free(Buffer& buffer) {
    if (!buffer.at) return;
    if (symmetric_) {
        check(ncclMemFree(buffer.at), "free memory");
    } else {
        check(cudaFree(buffer.at), "free memory");
    }
    buffer.at = nullptr;
}

void Peer::meet_on_stream() {
    check(ncclAllReduce(word_, word_, 1, ncclFloat, ncclSum, world_, stream_), "meet on the stream");
}

void Peer::meet() {
    meet_on_stream();
    check(cudaStreamSynchronize(stream_), "wait for the stream");
}

void Peer::enqueue(const Collective& row, ncclComm_t comm, const float* source, float* dest) {
    using Op = Collective::Op;
    const size_t count = row.count;
    switch (row.op) {
        case Op::reduce:
            return check(ncclAllReduce(source, dest, count, ncclFloat, ncclSum, comm, stream_), "all-reduce");
        case Op::reducescatter:
            return check(ncclReduceScatter(source, dest, count, ncclFloat, ncclSum, comm, stream_), "reduce-scatter");
        case Op::fcollect: return check(ncclAllGather(source, dest, count, ncclFloat, comm, stream_), "all-gather");
        case Op::broadcast:
            return check(ncclBroadcast(source, dest, count, ncclFloat, 0, comm, stream_), "broadcast");
        case Op::alltoall: break;
    }
    check(ncclGroupStart(), "begin a group");
    for (int pe = 0; pe < n_pes_; pe++) {
        check(ncclSend(source + size_t(pe) * count, count, ncclFloat, pe, comm, stream_), "send");
        check(ncclRecv(dest + size_t(pe) * count, count, ncclFloat, pe, comm, stream_), "receive");
    }
    check(ncclGroupEnd(), "end a group");
}

Times Peer::run(const Request& r) {
    const bool in_graph = r.test == "coll_in_graph";
    if (!in_graph && r.test != "coll_on_stream") throw Skip{"no such test"};
    if (!r.variant.empty()) throw Skip{"the library chooses the algorithm"};
    const Collective row(r, pe_, n_pes_);
    // NCCL 2.28.3 has no such kernel, and its other one makes illegal accesses to registered buffers in a graph.
    if (symmetric_ && row.op == Collective::Op::broadcast) throw Skip{"NCCL has no broadcast for symmetric windows"};
    need(row.source_bytes(), row.dest_bytes() + 2 * Collective::GUARD);
    const unsigned ctas = r.ctas > 1 ? r.ctas : 0;
    float* source = reinterpret_cast<float*>(source_.at);
    float* dest = reinterpret_cast<float*>(dest_.at + Collective::GUARD);
    row.prepare(source, dest);

    const auto enqueue_calls = [&](ncclComm_t comm, unsigned calls) {
        for (unsigned i = 0; i < calls; i++) enqueue(row, comm, source, dest);
    };
    const ncclComm_t captured = communicator(ctas, true);
    const Graph graph(stream_, [&] { enqueue_calls(captured, in_graph ? r.iters : 1); });
    const ncclComm_t direct = in_graph ? nullptr : communicator(ctas, false);

    Times times;
    meet();
    for (unsigned k = 0; k <= r.repeat; k++) {
        // The streams of all PEs have met before the first event is recorded.
        meet_on_stream();
        const double ns = between_events(stream_, [&] {
            if (in_graph) {
                graph.launch(stream_);
            } else {
                enqueue_calls(direct, r.iters);
            }
        });
        if (k > 0) times.push_back(ns / r.iters);
    }
    meet();
    times.ctas = graph.ctas();
    row.compare(dest);
    meet();
    return times;
}

void Peer::end() {
    forget_windows();
    for (auto& [kind, one] : communicators_) check(ncclCommDestroy(one.comm), "destroy a communicator");
    check(ncclCommDestroy(world_), "destroy a communicator");
    free(source_);
    free(dest_);
}

}  // namespace

int main(int argc, char** argv) {
    const bool symmetric = argc == 2 && strcmp(argv[1], "--symmetric") == 0;
    if (argc > 1 && !symmetric) {
        fprintf(stderr, "usage: nccl-perf [--symmetric], with PERF_PE, PERF_N_PES and PERF_MEET set\n");
        return 2;
    }
    Peer peer(symmetric);
    return serve([&] { return peer.start(); }, [&](const Request& r) { return peer.run(r); }, [&] { peer.end(); });
}
