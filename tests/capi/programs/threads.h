// Calls of two threads of a PE, in C or C++: while the one waits in a call for the other PEs, the other one makes its own
// call, and only then do the other PEs end the wait. The caller declares the functions, `CHECK`, and the team of all PEs.
#ifndef THREADS_H
#define THREADS_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

// The objects of a thread's calls. Those of two threads differ.
typedef struct {
    int team;
    uint64_t *words;
    int me, n_pes;
} Objects;

// The PEs that make a call, besides PE 0. Two threads of a PE make calls of the world, or new teams, one after another.
enum { OF_ONE, OF_TEAM, OF_NEW_TEAM, OF_WORLD };

typedef struct {
    const char *name;
    int of;
    void (*call)(const Objects *);
} Call;

static int next_pe(const Objects *with) { return (with->me + 1) % with->n_pes; }

// Under nvcc waits, tests and puts with a signal are functions of kernels alone, as with NVSHMEM.
#ifdef __CUDACC__
static void wait_until(uint64_t *word, uint64_t value) {
    while (nvshmem_uint64_g(word, nvshmem_my_pe()) != value) continue;
}
static void wait_for(uint64_t *word, uint64_t value) { wait_until(word, value); }
static void wait_for_turn(uint64_t *turn, uint64_t number) {
    while (nvshmem_uint64_g(turn, nvshmem_my_pe()) < number) continue;
}
static void put_and_signal(const Objects *with) { (void)with; }
static void test_word(uint64_t *word) { (void)word; }
#else
static void wait_until(uint64_t *word, uint64_t value) { nvshmem_uint64_wait_until(word, NVSHMEM_CMP_EQ, value); }
static void wait_for(uint64_t *word, uint64_t value) {
    CHECK(nvshmem_signal_wait_until(word, NVSHMEM_CMP_EQ, value) == value);
}
// PE 0 may have begun later turns, in which this PE has no part.
static void wait_for_turn(uint64_t *turn, uint64_t number) { nvshmem_uint64_wait_until(turn, NVSHMEM_CMP_GE, number); }
static void put_and_signal(const Objects *with) {
    nvshmem_uint64_put_signal(with->words + 16, with->words + 4, 4, with->words + 2, 1, NVSHMEM_SIGNAL_ADD,
                              next_pe(with));
}
static void test_word(uint64_t *word) { CHECK(nvshmem_uint64_test(word, NVSHMEM_CMP_NE, 0) == 0); }
#endif

// The words are: 0 to 3 for waits and signals, 4 to 7 operands, from 8 on results.
static void wait_for_word(const Objects *with) {
    if (with->me == 0) {
        wait_until(with->words, 7);
        nvshmem_uint64_p(with->words, 0, 0);
    } else if (with->me == 1) {
        nvshmem_uint64_p(with->words, 7, 0);
    }
    nvshmem_quiet();
}
static void wait_for_signal(const Objects *with) {
    if (with->me == 0) {
        wait_for(with->words + 1, 7);
        nvshmem_uint64_p(with->words + 1, 0, 0);
        nvshmem_quiet();
    } else if (with->me == 1) {
        nvshmemx_signal_op(with->words + 1, 7, NVSHMEM_SIGNAL_SET, 0);
    }
}
static void team_barrier(const Objects *with) { CHECK(nvshmem_barrier(with->team) == 0); }
static void team_sync(const Objects *with) { CHECK(nvshmem_team_sync(with->team) == 0); }
static void reduce(const Objects *with) {
    CHECK(nvshmem_uint64_sum_reduce(with->team, with->words + 8, with->words + 4, 4) == 0);
}
static void broadcast(const Objects *with) {
    CHECK(nvshmem_uint64_broadcast(with->team, with->words + 8, with->words + 4, 4, 1) == 0);
}
static void fcollect(const Objects *with) {
    CHECK(nvshmem_uint64_fcollect(with->team, with->words + 8, with->words + 4, 1) == 0);
}
static void barrier_all(const Objects *with) {
    (void)with;
    nvshmem_barrier_all();
}
static void sync_all(const Objects *with) {
    (void)with;
    nvshmem_sync_all();
}
static void allocate(const Objects *with) {
    (void)with;
    nvshmem_free(nvshmem_malloc(8));
}
static void new_team(const Objects *with) {
    nvshmem_team_t made;
    CHECK(nvshmem_team_split_strided(with->team, 0, 1, with->n_pes, NULL, 0, &made) == 0);
    nvshmem_team_destroy(made);
}
static void put(const Objects *with) {
    nvshmem_uint64_put(with->words + 16, with->words + 4, 4, next_pe(with));
    nvshmem_uint64_put_nbi(with->words + 16, with->words + 4, 4, next_pe(with));
    nvshmem_quiet();
}
static void get(const Objects *with) {
    nvshmem_uint64_get(with->words + 16, with->words + 4, 4, next_pe(with));
    nvshmem_uint64_get_nbi(with->words + 16, with->words + 4, 4, next_pe(with));
    nvshmem_quiet();
}
static void elements(const Objects *with) {
    nvshmem_uint64_p(with->words + 20, 3, next_pe(with));
    nvshmem_fence();
    nvshmem_uint64_g(with->words + 20, next_pe(with));
}
static void strided(const Objects *with) {
    nvshmem_uint64_iput(with->words + 16, with->words + 4, 2, 1, 4, next_pe(with));
    nvshmem_uint64_iget(with->words + 16, with->words + 4, 2, 1, 4, next_pe(with));
}
static void signals(const Objects *with) {
    nvshmemx_signal_op(with->words + 2, 1, NVSHMEM_SIGNAL_ADD, next_pe(with));
    put_and_signal(with);
    nvshmem_signal_fetch(with->words + 2);
}
static void satisfied(const Objects *with) {
    wait_until(with->words + 3, 0);
    test_word(with->words + 3);
}

static const Call WAITS[] = {
    {"wait_until", OF_ONE, wait_for_word}, {"signal_wait_until", OF_ONE, wait_for_signal},
    {"barrier", OF_TEAM, team_barrier},    {"team_sync", OF_TEAM, team_sync},
    {"reduce", OF_TEAM, reduce},           {"broadcast", OF_TEAM, broadcast},
    {"fcollect", OF_TEAM, fcollect},       {"barrier_all", OF_WORLD, barrier_all},
    {"sync_all", OF_WORLD, sync_all},      {"malloc", OF_WORLD, allocate},
    {"team_split", OF_NEW_TEAM, new_team},
};
static const Call OTHERS[] = {
    {"put", OF_ONE, put},
    {"get", OF_ONE, get},
    {"p, fence and g", OF_ONE, elements},
    {"iput and iget", OF_ONE, strided},
    {"signals", OF_ONE, signals},
    {"satisfied waits", OF_ONE, satisfied},
    {"barrier", OF_TEAM, team_barrier},
    {"team_sync", OF_TEAM, team_sync},
    {"reduce", OF_TEAM, reduce},
    {"broadcast", OF_TEAM, broadcast},
    {"fcollect", OF_TEAM, fcollect},
    {"barrier_all", OF_WORLD, barrier_all},
    {"sync_all", OF_WORLD, sync_all},
    {"malloc", OF_WORLD, allocate},
    {"team_split", OF_NEW_TEAM, new_team},
};

typedef struct {
    const Call *waits;
    const Objects *with;
    int begun;
} Waiter;

static void *run_waiter(void *of) {
    Waiter *waiter = (Waiter *)of;
    __atomic_store_n(&waiter->begun, 1, __ATOMIC_RELEASE);
    waiter->waits->call(waiter->with);
    return NULL;
}

// Makes every pair of calls. `turn` is a symmetric word that is 0. Returns the number of pairs.
static int every_pair(const Objects *of_waiter, const Objects *of_other, uint64_t *turn) {
    int pairs = 0;
    for (size_t w = 0; w < sizeof WAITS / sizeof *WAITS; w++) {
        for (size_t o = 0; o < sizeof OTHERS / sizeof *OTHERS; o++) {
            const Call *waits = &WAITS[w], *other = &OTHERS[o];
            if (waits->of == other->of && other->of >= OF_NEW_TEAM) continue;
            pairs++;
            if (of_other->me != 0) {
                if (other->of != OF_ONE) other->call(of_other);
                wait_for_turn(turn, (uint64_t)pairs);
                waits->call(of_waiter);
                continue;
            }
            pthread_t thread;
            Waiter waiter = {waits, of_waiter, 0};
            CHECK(pthread_create(&thread, NULL, run_waiter, &waiter) == 0);
            while (!__atomic_load_n(&waiter.begun, __ATOMIC_ACQUIRE)) continue;
            // The waiter comes to its wait while these are made.
            for (int i = 0; i < 8; i++) put(of_other);
            other->call(of_other);
            for (int pe = 1; pe < of_other->n_pes; pe++) nvshmem_uint64_p(turn, (uint64_t)pairs, pe);
            nvshmem_quiet();
            CHECK(pthread_join(thread, NULL) == 0);
        }
    }
    return pairs;
}

// Two threads of each PE reduce at the same time, each over its own team; those of odd PEs start in the other order.
static void *sums(void *of) {
    const Objects *with = (const Objects *)of;
    for (uint64_t round = 0; round < 50; round++) {
        nvshmem_uint64_p(with->words + 4, (uint64_t)with->me + round, with->me);
        nvshmem_quiet();
        CHECK(nvshmem_uint64_sum_reduce(with->team, with->words + 8, with->words + 4, 1) == 0);
        uint64_t n = (uint64_t)with->n_pes;
        CHECK(nvshmem_uint64_g(with->words + 8, with->me) == n * (n - 1) / 2 + n * round);
    }
    return NULL;
}

// Makes all calls of this file, and returns the number of pairs.
static int threads(int me, int n_pes) {
    nvshmem_team_t teams[2];
    Objects with[2];
    for (int i = 0; i < 2; i++) {
        CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, n_pes, NULL, 0, &teams[i]) == 0);
        with[i].team = teams[i];
        with[i].words = (uint64_t *)nvshmem_calloc(32 + (size_t)n_pes, sizeof(uint64_t));
        CHECK(with[i].words != NULL);
        with[i].me = me;
        with[i].n_pes = n_pes;
    }
    uint64_t *turn = (uint64_t *)nvshmem_calloc(1, sizeof(uint64_t));
    nvshmem_barrier_all();
    int pairs = n_pes > 1 ? every_pair(&with[0], &with[1], turn) : 0;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, sums, &with[(i + me) % 2]) == 0);
    for (int i = 0; i < 2; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    nvshmem_barrier_all();
    return pairs;
}

#endif
