// Work stealing: each PE takes tasks from the front of its own queue by compare and swap and, when that is empty, from
// the back of the others' queues. Every task is done exactly once.
#include "program.h"

constexpr int BLOCKS = 4, THREADS = 128;
constexpr unsigned MOST = 3000;

// The tasks of a PE's queue that no worker has taken yet: `first << 32 | end`.
using Range = unsigned long long;

// The memory of one PE but for its tasks.
struct Words {
    Range range;
    unsigned long long total, ticket;
    uint64_t executed, stolen;
};

// Queues differ much in length.
__host__ __device__ inline unsigned tasks_of(uint64_t seed, int pe, uint64_t round) {
    const uint64_t random = key_of(seed, pe, round);
    return random % 3 == 0 ? unsigned(random % 7) : unsigned(random >> 32) % MOST + 1;
}

// Does a task, which takes a time of its own.
__host__ __device__ inline uint64_t work(uint64_t key, unsigned task) {
    uint64_t value = mix(key, task);
    for (uint64_t i = value % 64; i > 0; i--) value = mix(value, i);
    return value;
}

// Takes tasks of the queue on `pe`: one from the front, or half of them from the back. Returns their number.
__device__ unsigned take(Words* words, int pe, bool own, unsigned* first) {
    Range seen = nvshmem_ulonglong_atomic_fetch(&words->range, pe);
    for (;;) {
        const unsigned begin = unsigned(seen >> 32), end = unsigned(seen);
        if (begin >= end) return 0;
        const unsigned count = own ? 1 : (end - begin + 1) / 2;
        const Range rest = own ? Range(begin + 1) << 32 | end : Range(begin) << 32 | (end - count);
        const Range found = nvshmem_ulonglong_atomic_compare_swap(&words->range, seen, rest, pe);
        if (found == seen) {
            *first = own ? begin : end - count;
            return count;
        }
        seen = found;
    }
}

// Does a task of the queue on `pe` and leaves its result there.
__device__ void execute(Words* words, unsigned long long* results, unsigned* done, int pe, unsigned task,
                        uint64_t key) {
    const unsigned long long value = work(key, task);
    nvshmem_ulonglong_p(results + task, value, pe);
    nvshmem_uint_atomic_inc(done + task, pe);
    nvshmem_ulonglong_atomic_add(&words->total, value, 0);
    atomicAdd(reinterpret_cast<unsigned long long*>(&words->executed), 1ull);
}

// The first lane of each warp is a worker. No task makes another one: a queue that is empty stays so.
__global__ void steal(Words* words, unsigned long long* results, unsigned* done, uint64_t seed, uint64_t round) {
    if (threadIdx.x % 32 != 0) return;
    const int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes();
    unsigned first = 0;
    while (take(words, me, true, &first) > 0) execute(words, results, done, me, first, key_of(seed, me, round));
    for (int i = 1; i < n_pes;) {
        const int victim = (me + i) % n_pes;
        const uint64_t key = key_of(seed, victim, round);
        const unsigned count = take(words, victim, false, &first);
        for (unsigned j = 0; j < count; j++) execute(words, results, done, victim, first + j, key);
        if (count > 0) atomicAdd(reinterpret_cast<unsigned long long*>(&words->stolen), (unsigned long long)count);
        if (count == 0) i++;
    }
    nvshmem_quiet();
}

// The same tasks by tickets of one counter on PE 0, which are numbered from PE to PE.
__global__ void share(Words* words, unsigned long long* results, unsigned* done, uint64_t seed, uint64_t round) {
    if (threadIdx.x % 32 != 0) return;
    for (;;) {
        unsigned long long ticket = nvshmem_ulonglong_atomic_fetch_add(&words->ticket, 1ull, 0);
        int pe = 0;
        for (; pe < nvshmem_n_pes() && ticket >= tasks_of(seed, pe, round); pe++) ticket -= tasks_of(seed, pe, round);
        if (pe == nvshmem_n_pes()) break;
        execute(words, results, done, pe, unsigned(ticket), key_of(seed, pe, round));
    }
    nvshmem_quiet();
}

int main(int argc, char** argv) {
    start(argc, argv, "stealing", 30);
    Array<Words> words(1);
    Array<unsigned long long> results(MOST);
    Array<unsigned> done(MOST);
    Array<uint64_t> executed(1), executed_by_all(1);
    uint64_t stolen = 0;
    for (uint64_t round = 0; round < rounds; round++) {
        const unsigned tasks = tasks_of(seed, pe, round);
        words.fill([&](size_t) {
            Words first = {};
            first.range = tasks;
            return first;
        });
        results.poison();
        done.zero();
        nvshmem_barrier_all();
        launch(round % 4 == 3 ? share : steal, BLOCKS, THREADS, words.at(), results.at(), done.at(), seed, round);
        nvshmemx_barrier_all_on_stream(stream);
        CUDA(cudaStreamSynchronize(stream));

        const Words now = words.read()[0];
        done.expect("times that a task was done", [&](size_t i) { return unsigned(i < tasks); });
        results.expect("results", [&](size_t i) {
            return i < tasks ? (unsigned long long)work(key_of(seed, pe, round), i) : poisoned<unsigned long long>();
        });
        uint64_t total = 0, all_tasks = 0;
        for (int of = 0; of < n_pes; of++) {
            all_tasks += tasks_of(seed, of, round);
            for (unsigned i = 0; i < tasks_of(seed, of, round); i++) total += work(key_of(seed, of, round), i);
        }
        same("total", round, uint64_t(now.total), pe == 0 ? total : 0);
        executed.fill([&](size_t) { return now.executed; });
        nvshmem_barrier_all();
        CHECK(nvshmem_uint64_sum_reduce(NVSHMEM_TEAM_WORLD, executed_by_all.at(), executed.at(), 1) == 0);
        executed_by_all.expect("tasks done by all PEs", [&](size_t) { return all_tasks; });
        stolen += now.stolen;
    }
    fprintf(stderr, "stealing: PE %d took %llu tasks of other PEs\n", pe, (unsigned long long)stolen);
    return finish();
}
