// Random bytes, poison, and the comparison of received with sent data.
#pragma once

#include "perf.h"

// Eight bytes of a generator's stream, from 8 * `word` on.
__host__ __device__ inline unsigned long long random_word(uint64_t seed, size_t word) {
    unsigned long long x = seed + 0x9e3779b97f4a7c15ull * (word + 1);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

// Four bytes of the stream, from 4 * `k` on.
__host__ __device__ inline unsigned random_half(uint64_t seed, size_t k) {
    return unsigned(random_word(seed, k / 2) >> (k % 2 * 32));
}

// A PE's generator for a row.
inline uint64_t seed_of(const Request& r, int pe) { return r.seed ^ (uint64_t(pe + 1) * 0xd6e8feb86659fd93ull); }

constexpr unsigned char POISON = 0xa5;
constexpr unsigned long long POISON_WORD = 0xa5a5a5a5a5a5a5a5ull;

// Both are enqueued on the stream; the memory may begin at any byte.
void fill_random(Peer&, char* at, size_t bytes, uint64_t seed);
void fill_poison(Peer&, char* at, size_t bytes);

// A target with its guards.
void poison_target(Peer&, char* target, size_t bytes);

// Compares received data with the generator's stream from byte `from` on (a multiple of 8), and checks that the guards
// are untouched. Throws Wrong.
void compare_random(Peer&, const char* at, size_t bytes, uint64_t seed, size_t from = 0);
void compare_guards(Peer&, const char* target, size_t bytes);

// The findings of a checking kernel, in device memory while it runs.
struct Findings {
    unsigned long long count, first, found, expected;
};

// `of`: the number of compared things, named by `what`. Throws Wrong if any differed.
class Finder {
public:
    explicit Finder(Peer&);
    Findings* on_device() const { return at_; }
    void judge(size_t of, const char* what);

private:
    Peer& peer_;
    Findings* at_;
};

__device__ inline void differs(Findings* findings, size_t at, unsigned long long found, unsigned long long expected) {
    atomicAdd(&findings->count, 1ull);
    if (atomicMin(&findings->first, (unsigned long long)at) > at) {
        findings->found = found;
        findings->expected = expected;
    }
}
