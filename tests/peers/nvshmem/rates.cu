// Rates of single elements: p, g, plain stores and atomics.
#include "check.h"
#include "ops.h"

namespace {

// Element k of `n` is at k * `stride` bytes; thread k modulo the number of threads handles it.
struct Elements {
    char* to;
    const char* from;
    size_t n, stride;
    // As for gets: a g reads `step` bytes further on in each iteration, `window` times.
    size_t step;
    unsigned window, iters;
    int pe;
};

__device__ size_t first_element() { return blockIdx.x * size_t(blockDim.x) + threadIdx.x; }
__device__ size_t all_threads() { return gridDim.x * size_t(blockDim.x); }

// Calls `one` with the address, from `first` on, and the number of each of this thread's elements.
template <class At, class One>
__device__ void each(const Elements& e, At* first, One one) {
    const size_t step = all_threads(), apart = step * e.stride;
    size_t k = first_element();
    for (At* at = first + k * e.stride; k < e.n; k += step, at += apart) one(at, k);
}

// Orders the stores before the end: one fence for the block.
__device__ void block_quiet() {
    __syncthreads();
    if (threadIdx.x == 0) nvshmem_quiet();
}

// The value of element k: computed, so that only the stores access memory.
__device__ unsigned stored(size_t k) { return unsigned(k) * 0x9e3779b1u; }
__device__ unsigned long long stored_word(size_t k) { return k * 0x9e3779b97f4a7c15ull; }

__global__ void p_kernel(Elements e, Span* spans) {
    const unsigned long long start = begin();
    for (unsigned i = 0; i < e.iters; i++) {
        each(e, e.to, [&](char* at, size_t k) { nvshmem_uint_p(reinterpret_cast<unsigned*>(at), stored(k), e.pe); });
        compiler_fence();
    }
    block_quiet();
    finish(spans, start);
}

__global__ void st_kernel(Elements e, Span* spans) {
    char* to = static_cast<char*>(nvshmem_ptr(e.to, e.pe));
    const unsigned long long start = begin();
    for (unsigned i = 0; i < e.iters; i++) {
        each(e, to, [&](char* at, size_t k) { *reinterpret_cast<unsigned*>(at) = stored(k); });
        compiler_fence();
    }
    block_quiet();
    finish(spans, start);
}

// `sums`: the sum of each thread's values.
__global__ void g_kernel(Elements e, unsigned* sums, Span* spans) {
    const unsigned long long start = begin();
    unsigned sum = 0, turn = 0;
    for (unsigned i = 0; i < e.iters; i++) {
        each(e, e.from + turn * e.step, [&](const char* at, size_t) {
            sum += nvshmem_uint_g(reinterpret_cast<const unsigned*>(at), e.pe);
        });
        turn = turn + 1 == e.window ? 0 : turn + 1;
        compiler_fence();
    }
    sums[first_element()] = sum;
    block_quiet();
    finish(spans, start);
}

__global__ void check_sums_kernel(Elements e, const unsigned* sums, uint64_t seed, Findings* findings) {
    unsigned sum = 0;
    for (unsigned i = 0; i < e.iters; i++) {
        const size_t from = i % e.window * e.step;
        for (size_t k = first_element(); k < e.n; k += all_threads())
            sum += random_half(seed, (from + k * e.stride) / 4);
    }
    if (sums[first_element()] != sum) differs(findings, first_element(), sums[first_element()], sum);
}

enum class Atomic { add, inc, fetch_add, compare_swap, swap, set, fetch };
using Word = unsigned long long;

// Every word starts as poison. `done`: iterations of earlier repetitions, so that a compare_swap knows the expected
// value.
template <Atomic Op>
__global__ void atomic_kernel(Elements e, Word done, Word* sums, Span* spans) {
    const unsigned long long start = begin();
    Word sum = 0;
    for (unsigned i = 0; i < e.iters; i++) {
        each(e, e.to, [&](char* at, size_t k) {
            Word* to = reinterpret_cast<Word*>(at);
            if constexpr (Op == Atomic::add) nvshmem_ulonglong_atomic_add(to, 1, e.pe);
            if constexpr (Op == Atomic::inc) nvshmem_ulonglong_atomic_inc(to, e.pe);
            if constexpr (Op == Atomic::fetch_add) sum += nvshmem_ulonglong_atomic_fetch_add(to, 1, e.pe);
            if constexpr (Op == Atomic::compare_swap) {
                const Word now = POISON_WORD + done + i;
                sum += nvshmem_ulonglong_atomic_compare_swap(to, now, now + 1, e.pe);
            }
            if constexpr (Op == Atomic::swap) sum += nvshmem_ulonglong_atomic_swap(to, stored_word(k), e.pe);
            if constexpr (Op == Atomic::set) nvshmem_ulonglong_atomic_set(to, stored_word(k), e.pe);
            if constexpr (Op == Atomic::fetch) sum += nvshmem_ulonglong_atomic_fetch(to, e.pe);
        });
        compiler_fence();
    }
    sums[first_element()] = sum;
    block_quiet();
    finish(spans, start);
}

// The expected value of each word after `times` iterations in all.
__global__ void check_atomic_kernel(Elements e, Atomic op, Word times, Findings* findings) {
    for (size_t k = first_element(); k < e.n; k += all_threads()) {
        const Word value = stored_word(k), found = *reinterpret_cast<const Word*>(e.to + k * e.stride);
        Word expected = POISON_WORD;
        if (op == Atomic::add || op == Atomic::fetch_add || op == Atomic::inc || op == Atomic::compare_swap) expected += times;
        if (op == Atomic::swap || op == Atomic::set) expected = value;
        if (found != expected) differs(findings, k, found, expected);
    }
}

__global__ void check_p_kernel(Elements e, Findings* findings) {
    for (size_t k = first_element(); k < e.n; k += all_threads()) {
        const unsigned found = *reinterpret_cast<const unsigned*>(e.to + k * e.stride), expected = stored(k);
        if (found != expected) differs(findings, k, found, expected);
    }
}

using AtomicKernel = void (*)(Elements, Word, Word*, Span*);

AtomicKernel atomic_named(const std::string& op, Atomic& which) {
    const struct {
        const char* name;
        Atomic op;
        AtomicKernel kernel;
    } all[] = {
        {"add", Atomic::add, atomic_kernel<Atomic::add>},
        {"inc", Atomic::inc, atomic_kernel<Atomic::inc>},
        {"fetch_add", Atomic::fetch_add, atomic_kernel<Atomic::fetch_add>},
        {"compare_swap", Atomic::compare_swap, atomic_kernel<Atomic::compare_swap>},
        {"swap", Atomic::swap, atomic_kernel<Atomic::swap>},
        {"set", Atomic::set, atomic_kernel<Atomic::set>},
        {"fetch", Atomic::fetch, atomic_kernel<Atomic::fetch>},
    };
    for (const auto& one : all) {
        if (op == one.name || (op.empty() && one.op == Atomic::add)) {
            which = one.op;
            return one.kernel;
        }
    }
    throw Skip{"no atomic " + op};
}

}  // namespace

Times run_rates(Peer& peer, const Request& r) {
    peer.needs_two();
    if (peer.tma) throw Skip{"single elements do not go through shared memory"};
    const bool atomic = r.test == "shmem_atomic_bw", g = r.test == "shmem_g_bw", st = r.test == "shmem_st_bw";
    const size_t size = atomic ? 8 : 4, threads = size_t(r.ctas) * r.threads;
    Elements e{};
    e.n = r.bytes / size;
    if (e.n == 0) throw Skip{"fewer bytes than an element has"};
    e.stride = r.line ? 128 : size;
    e.iters = r.iters;
    e.pe = peer.other();
    const size_t reach = (e.n - 1) * e.stride + size;
    e.step = round_up(reach, 256);
    e.window = g ? unsigned(std::max<size_t>(1, std::min<size_t>(r.iters, (size_t(64) << 20) / e.step))) : 1;

    Atomic op{};
    const AtomicKernel atomic_kernel_of_op = atomic ? atomic_named(r.op, op) : nullptr;
    char* source = peer.source(g ? e.step * e.window : e.n * size);
    fill_random(peer, source, g ? e.step * e.window : e.n * size, seed_of(r, peer.pe));
    e.from = source;
    // The gets of a row read many places.
    const size_t places = g ? 1 : Peer::places(reach), far = Peer::shift(places - 1, reach);
    char* target = peer.target(far + reach);
    poison_target(peer, target, far + reach);
    char* sums = peer.scratch(threads * sizeof(Word));

    const bool mine = peer.sends(r);
    Times times = Peer::at_places(r, places, [&](size_t place, const Request& part) {
        e.to = target + Peer::shift(place, reach);
        e.iters = part.iters;
        return peer.repeat_kernel(part, r.ctas, mine, [&](unsigned repetition, Span* spans) {
            if (!mine) return;
            const Word done = Word(repetition) * e.iters;
            if (atomic) {
                peer.launch(atomic_kernel_of_op, r.ctas, r.threads, 0, e, done, reinterpret_cast<Word*>(sums), spans);
            } else if (g) {
                peer.launch(g_kernel, r.ctas, r.threads, 0, e, reinterpret_cast<unsigned*>(sums), spans);
            } else {
                peer.launch(st ? st_kernel : p_kernel, r.ctas, r.threads, 0, e, spans);
            }
        });
    });

    if (g) {
        if (!mine) return times;
        Finder finder(peer);
        peer.launch(check_sums_kernel, r.ctas, r.threads, 0, e, reinterpret_cast<const unsigned*>(sums),
                    seed_of(r, peer.other()), finder.on_device());
        finder.judge(threads, "sums of threads");
        return times;
    }
    for (size_t place = 0; peer.receives(r) && place < places; place++) {
        e.to = target + Peer::shift(place, reach);
        Finder finder(peer);
        if (atomic) {
            peer.launch(check_atomic_kernel, 132, 256, 0, e, op, Word(r.repeat + 1) * e.iters, finder.on_device());
        } else {
            peer.launch(check_p_kernel, 132, 256, 0, e, finder.on_device());
        }
        finder.judge(e.n, "elements");
        compare_guards(peer, e.to, reach);
    }
    return times;
}
