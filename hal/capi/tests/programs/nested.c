/* Starts and ends within the world, while a thread waits for what this one does next. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "nvshmem_host.h"

void nvshmem_int_wait_until(int *word, int op, int value);
void nvshmem_int_p(int *word, int value, int pe);

enum { ROUNDS = 200 };

static int *word;
static atomic_int seen;

static void *wait_for_each(void *none) {
    for (int round = 1; round <= ROUNDS; round++) {
        nvshmem_int_wait_until(word, 0, round);
        atomic_store(&seen, round);
    }
    return none;
}

int main(void) {
    int provided = -1;
    CHECK(nvshmem_init_thread(3, &provided) == 0 && provided == 3);
    word = nvshmem_calloc(1, sizeof *word);
    pthread_t waits;
    CHECK(pthread_create(&waits, NULL, wait_for_each, NULL) == 0);
    for (int round = 1; round <= ROUNDS; round++) {
        nvshmem_init();
        nvshmem_finalize();
        nvshmem_init();
        nvshmem_int_p(word, round, 0);
        nvshmem_finalize();
        while (atomic_load(&seen) != round) sched_yield();
    }
    CHECK(pthread_join(waits, NULL) == 0);
    nvshmem_free(word);
    nvshmem_finalize();
    return 0;
}
