// Atomics of all threads of all PEs on the same words. The results show that none was lost or done twice.
#include <algorithm>

#include "program.h"

constexpr int BLOCKS = 4, THREADS = 128, ALL = BLOCKS * THREADS;

// The words of one PE.
struct Words {
    unsigned long long next, swapped, swapped_sum, greatest, locked, lock;
    unsigned int counted, bits[32], toggled[32], cleared[32];
    int least;
    float set;
    double sum;
    unsigned long long fetched_incs;
};

// Each thread of PE `me` of the world has a number.
__global__ void all_kinds(Words* words, unsigned int* marks, uint64_t seed, Findings* findings) {
    const int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes();
    const int thread = blockIdx.x * THREADS + threadIdx.x;
    const unsigned long long number = (unsigned long long)me * ALL + thread;
    for (int to = 0; to < n_pes; to++) {
        // A ticket for each thread, and a mark for each ticket.
        const unsigned long long ticket = nvshmem_ulonglong_atomic_fetch_add(&words->next, 3ull, to);
        nvshmem_uint_atomic_add(marks + ticket / 3, unsigned(ticket % 3) + 1, to);
        nvshmem_uint_atomic_inc(&words->counted, to);
        // NVSHMEM 3.8 declares this for long long, too, and does not define it.
        const unsigned long long before = nvshmem_ulonglong_atomic_fetch_inc(&words->fetched_incs, to);
        COMPARE(findings, before, before < (unsigned long long)ALL * n_pes, true);

        // Each thread passes on the number that it found: the sum of those taken and the last one is known.
        const unsigned long long taken = nvshmem_ulonglong_atomic_swap(&words->swapped, number + 1, to);
        nvshmem_ulonglong_atomic_add(&words->swapped_sum, taken, to);

        // The greatest and the least of random numbers, by compare and swap.
        const unsigned long long mine = mix(key_of(seed, me, to), thread) >> 1;
        unsigned long long seen = nvshmem_ulonglong_atomic_fetch(&words->greatest, to);
        while (seen < mine) {
            const auto old = nvshmem_ulonglong_atomic_compare_swap(&words->greatest, seen, mine, to);
            if (old == seen) break;
            seen = old;
        }
        const int small = int(mix(key_of(seed, me, to), ALL + thread) >> 33);
        int least = nvshmem_int_atomic_fetch(&words->least, to);
        while (least > small) {
            const int old = nvshmem_int_atomic_compare_swap(&words->least, least, small, to);
            if (old == least) break;
            least = old;
        }

        // Bit `me` of each word is set many times, cleared once, and toggled three times.
        const unsigned int bit = 1u << me;
        nvshmem_uint_atomic_or(&words->bits[thread % 32], bit, to);
        if (thread < 32) {
            const unsigned int had = nvshmem_uint_atomic_fetch_and(&words->cleared[thread], ~bit, to);
            COMPARE(findings, thread, had & bit, bit);
            nvshmem_uint_atomic_xor(&words->toggled[thread], bit, to);
        }
        if (thread < 64) nvshmem_uint_atomic_fetch_xor(&words->toggled[thread % 32], bit, to);

        // Whole numbers, so that the order of the sum does not matter.
        nvshmemx_double_atomic_add(&words->sum, element<double>(key_of(seed, me, to), thread), to);
        if (thread == 0 && (to + n_pes - 1) % n_pes == me) nvshmem_float_atomic_set(&words->set, float(me) + 0.5f, to);
    }
    nvshmem_quiet();
}

// A lock on PE 0: one thread of each PE adds to a word that has no atomic of its own.
__global__ void locked(Words* words, uint64_t rounds) {
    const unsigned long long mine = nvshmem_my_pe() + 1;
    for (uint64_t round = 0; round < rounds;) {
        if (nvshmem_ulonglong_atomic_compare_swap(&words->lock, 0ull, mine, 0) != 0) continue;
        // An atomic orders nothing: the value must be read after it.
        __threadfence_system();
        const unsigned long long value = nvshmem_ulonglong_g(&words->locked, 0);
        nvshmem_ulonglong_p(&words->locked, value + mine, 0);
        nvshmem_quiet();
        nvshmem_ulonglong_atomic_set(&words->lock, 0ull, 0);
        nvshmem_quiet();
        round++;
    }
}

int main(int argc, char** argv) {
    start(argc, argv, "atomics", 100);
    CHECK(n_pes <= 32);
    Findings* found = findings();
    const size_t total = size_t(ALL) * n_pes;
    Array<Words> words(1);
    Array<unsigned int> marks(total);
    words.fill([](size_t) {
        Words first = {};
        first.least = INT32_MAX;
        memset(first.cleared, 0xff, sizeof(first.cleared));
        return first;
    });
    marks.zero();
    nvshmem_barrier_all();
    launch(all_kinds, BLOCKS, THREADS, words.at(), marks.at(), seed, found);
    settle(found, total + 32 * n_pes);
    nvshmem_barrier_all();
    launch(locked, 1, 1, words.at(), rounds);
    CUDA(cudaStreamSynchronize(stream));
    nvshmem_barrier_all();

    const Words now = words.read()[0];
    unsigned long long greatest = 0, numbers = 0;
    int least = INT32_MAX;
    double sum = 0;
    for (int from = 0; from < n_pes; from++) {
        for (int thread = 0; thread < ALL; thread++) {
            const uint64_t key = key_of(seed, from, pe);
            greatest = std::max<unsigned long long>(greatest, mix(key, thread) >> 1);
            least = std::min(least, int(mix(key, ALL + thread) >> 33));
            sum += element<double>(key, thread);
            numbers += (unsigned long long)from * ALL + thread + 1;
        }
    }
    const unsigned int every = n_pes == 32 ? ~0u : (1u << n_pes) - 1;
    same("tickets", 0, now.next, 3ull * total);
    marks.expect("marks", [](size_t) { return 1u; });
    same("increments", 0, now.counted, unsigned(total));
    same("fetched increments", 0, now.fetched_incs, (unsigned long long)total);
    same("swaps", 0, now.swapped_sum + now.swapped, numbers);
    same("greatest", 0, now.greatest, greatest);
    same("least", 0, now.least, least);
    for (int i = 0; i < 32; i++) {
        same("bits", i, now.bits[i], every);
        same("cleared bits", i, now.cleared[i], ~every);
        same("toggled bits", i, now.toggled[i], every);
    }
    same("sum", 0, now.sum, sum);
    same("set", 0, now.set, float((pe + n_pes - 1) % n_pes) + 0.5f);
    const unsigned long long each = rounds * (uint64_t(n_pes) * (n_pes + 1) / 2);
    same("locked sum", 0, now.locked, pe == 0 ? each : 0ull);
    same("lock", 0, now.lock, 0ull);
    return finish();
}
