#include "check.h"

#include <cstdio>

namespace {

constexpr unsigned BLOCKS = 528, THREADS = 256;

__device__ size_t first_word() { return blockIdx.x * size_t(blockDim.x) + threadIdx.x; }
__device__ size_t all_threads() { return gridDim.x * size_t(blockDim.x); }

__global__ void random_kernel(char* at, size_t bytes, uint64_t seed) {
    for (size_t word = first_word(); word * 8 < bytes; word += all_threads()) {
        unsigned long long value = random_word(seed, word);
        for (size_t i = word * 8; i < word * 8 + 8 && i < bytes; i++, value >>= 8) at[i] = char(value);
    }
}

__global__ void compare_kernel(const char* at, size_t bytes, uint64_t seed, size_t from, bool poison,
                               Findings* findings) {
    for (size_t word = first_word(); word * 8 < bytes; word += all_threads()) {
        unsigned long long value = poison ? POISON_WORD : random_word(seed, from / 8 + word);
        for (size_t i = word * 8; i < word * 8 + 8 && i < bytes; i++, value >>= 8) {
            unsigned char found = at[i], expected = value & 0xff;
            if (found != expected) differs(findings, i, found, expected);
        }
    }
}

}  // namespace

Finder::Finder(Peer& peer) : peer_(peer) {
    check(cudaMalloc(&at_, sizeof(Findings)), "allocate what a check found");
    const Findings none{0, ~0ull, 0, 0};
    check(cudaMemcpyAsync(at_, &none, sizeof(none), cudaMemcpyHostToDevice, peer.stream), "begin a check");
}

void Finder::judge(size_t of, const char* what) {
    Findings found;
    check(cudaMemcpyAsync(&found, at_, sizeof(found), cudaMemcpyDeviceToHost, peer_.stream), "read what a check found");
    check(cudaStreamSynchronize(peer_.stream), "check what arrived");
    check(cudaFree(at_), "free what a check found");
    if (found.count == 0) return;
    char text[200];
    snprintf(text, sizeof(text), "%llu of %zu %s differ, first at %llu: found %#llx, expected %#llx", found.count, of,
             what, found.first, found.found, found.expected);
    throw Wrong{text};
}

void fill_random(Peer& peer, char* at, size_t bytes, uint64_t seed) {
    random_kernel<<<BLOCKS, THREADS, 0, peer.stream>>>(at, bytes, seed);
    check(cudaGetLastError(), "fill a source");
}

void fill_poison(Peer& peer, char* at, size_t bytes) {
    check(cudaMemsetAsync(at, POISON, bytes, peer.stream), "poison a destination");
}

void poison_target(Peer& peer, char* target, size_t bytes) {
    fill_poison(peer, target - Peer::GUARD, bytes + 2 * Peer::GUARD);
}

void compare_random(Peer& peer, const char* at, size_t bytes, uint64_t seed, size_t from) {
    Finder finder(peer);
    compare_kernel<<<BLOCKS, THREADS, 0, peer.stream>>>(at, bytes, seed, from, false, finder.on_device());
    check(cudaGetLastError(), "compare what arrived");
    finder.judge(bytes, "bytes");
}

void compare_guards(Peer& peer, const char* target, size_t bytes) {
    Finder before(peer), after(peer);
    compare_kernel<<<1, THREADS, 0, peer.stream>>>(target - Peer::GUARD, Peer::GUARD, 0, 0, true, before.on_device());
    compare_kernel<<<1, THREADS, 0, peer.stream>>>(target + bytes, Peer::GUARD, 0, 0, true, after.on_device());
    check(cudaGetLastError(), "look at what surrounds a destination");
    before.judge(Peer::GUARD, "bytes before the destination");
    after.judge(Peer::GUARD, "bytes behind the destination");
}
