// Copies of random sizes between ends of any alignment, by threads, warps and blocks of several sizes. What lies beside a
// copy keeps its poison.
#include "program.h"

constexpr size_t MARGIN = 64, MOST = 1 << 17, ROOM = MOST + 3 * MARGIN;
constexpr unsigned char POISON = 0xa5;
enum Scope { THREAD, WARP, BLOCK };
enum Form { PUT, PUT_SIGNAL, GET };

// A size: few bytes, whole units of 16 bytes, words of 4 bytes, or any, up to a power of two.
__device__ size_t size_of(uint64_t bits) {
    const size_t most = size_t(1) << (2 + bits % 16);
    const size_t any = (bits >> 8) % (most + 1);
    return (bits >> 4) % 4 == 0 ? any : (bits >> 4) % 4 == 1 ? any & ~size_t(3) : any & ~size_t(15);
}

// An end's distance from a unit: usually none, 4 or 8 bytes.
__device__ size_t end_of(uint64_t bits) {
    const size_t ends[] = {0, 0, 0, 4, 8, 12, 1, 2};
    return ends[bits % 8];
}

template <int SCOPE, int FORM>
__device__ void move(unsigned char* dest, const unsigned char* source, size_t bytes, uint64_t* flag, int to) {
    constexpr int ADD = NVSHMEM_SIGNAL_ADD;
    if (SCOPE == THREAD && threadIdx.x == 0) {
        if (FORM == PUT) nvshmem_putmem(dest, source, bytes, to);
        if (FORM == PUT_SIGNAL) nvshmem_putmem_signal(dest, source, bytes, flag, 1, ADD, to);
        if (FORM == GET) nvshmem_getmem(dest, source, bytes, to);
    }
    // The last warp.
    if (SCOPE == WARP && threadIdx.x / 32 == (blockDim.x - 1) / 32) {
        if (FORM == PUT) nvshmemx_putmem_warp(dest, source, bytes, to);
        if (FORM == PUT_SIGNAL) nvshmemx_putmem_signal_warp(dest, source, bytes, flag, 1, ADD, to);
        if (FORM == GET) nvshmemx_getmem_warp(dest, source, bytes, to);
    }
    if (SCOPE == BLOCK) {
        if (FORM == PUT) nvshmemx_putmem_block(dest, source, bytes, to);
        if (FORM == PUT_SIGNAL) nvshmemx_putmem_signal_block(dest, source, bytes, flag, 1, ADD, to);
        if (FORM == GET) nvshmemx_getmem_block(dest, source, bytes, to);
    }
}

// In each round every PE copies from its memory to its right neighbour's, or from there to its own.
template <int SCOPE, int FORM>
__global__ void copies(unsigned char* inbox, const unsigned char* outbox, uint64_t* flag, uint64_t key, uint64_t seed,
                       uint64_t rounds, Findings* findings) {
    const int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes(), right = (me + 1) % n_pes;
    const uint64_t from = key_of(seed, FORM == GET ? right : (me + n_pes - 1) % n_pes, 0);
    for (uint64_t round = 0; round < rounds; round++) {
        const uint64_t bits = mix(key, round);
        const size_t bytes = size_of(bits), to = MARGIN + end_of(bits >> 40), at = end_of(bits >> 48);
        const size_t end = to + bytes + MARGIN;
        for (size_t i = threadIdx.x; i < end; i += blockDim.x) inbox[i] = POISON;
        nvshmemx_barrier_all_block();
        move<SCOPE, FORM>(inbox + to, outbox + at, bytes, flag, right);
        nvshmemx_barrier_all_block();
        unsigned wrong = 0;
        for (size_t i = threadIdx.x; i < end; i += blockDim.x) {
            const bool is_copied = to <= i && i < to + bytes;
            wrong += inbox[i] != (is_copied ? (unsigned char)mix(from, at + i - to) : POISON);
        }
        COMPARE(findings, bits, wrong, 0u);
        __syncthreads();
    }
}

template <int SCOPE, int FORM>
void run(const Array<unsigned char>& in, const Array<unsigned char>& out, const Array<uint64_t>& flag, Findings* found) {
    // NVSHMEM's copies by a warp take whole warps.
    for (int threads : {32, SCOPE == WARP ? 96 : 40, 512, 1024}) {
        const uint64_t key = mix(mix(seed, SCOPE * 16 + FORM), threads);
        flag.zero();
        nvshmem_barrier_all();
        launch(copies<SCOPE, FORM>, 1, threads, in.at(), out.at(), flag.at(), key, seed, rounds, found);
        settle(found, rounds * threads);
        flag.expect("flag", [&](size_t) { return FORM == PUT_SIGNAL ? rounds : 0; });
        nvshmem_barrier_all();
    }
}

int main(int argc, char** argv) {
    start(argc, argv, "ends", 500);
    Array<unsigned char> in(ROOM), out(ROOM);
    Array<uint64_t> flag(1);
    out.fill([&](size_t i) { return (unsigned char)mix(key_of(seed, pe, 0), i); });
    Findings* found = findings();
    run<THREAD, PUT>(in, out, flag, found);
    run<THREAD, PUT_SIGNAL>(in, out, flag, found);
    run<THREAD, GET>(in, out, flag, found);
    run<WARP, PUT>(in, out, flag, found);
    run<WARP, PUT_SIGNAL>(in, out, flag, found);
    run<WARP, GET>(in, out, flag, found);
    run<BLOCK, PUT>(in, out, flag, found);
    run<BLOCK, PUT_SIGNAL>(in, out, flag, found);
    run<BLOCK, GET>(in, out, flag, found);
    return finish();
}
