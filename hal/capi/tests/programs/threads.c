/* Calls of several threads of a PE. */
#include "nvshmem_host.h"

typedef int nvshmem_team_t;
enum { NVSHMEM_TEAM_WORLD = 0, NVSHMEM_CMP_EQ = 0, NVSHMEM_CMP_NE, NVSHMEM_CMP_GE = 5, NVSHMEM_SIGNAL_SET = 9, NVSHMEM_SIGNAL_ADD };

int nvshmem_team_split_strided(int parent, int start, int stride, int size, const void *config, long mask, int *team);
void nvshmem_team_destroy(int team);
int nvshmem_barrier(int team);
int nvshmem_team_sync(int team);
int nvshmem_uint64_sum_reduce(int team, uint64_t *dest, const uint64_t *source, size_t count);
int nvshmem_uint64_broadcast(int team, uint64_t *dest, const uint64_t *source, size_t count, int root);
int nvshmem_uint64_fcollect(int team, uint64_t *dest, const uint64_t *source, size_t count);
void nvshmem_uint64_put(uint64_t *dest, const uint64_t *source, size_t count, int pe);
void nvshmem_uint64_put_nbi(uint64_t *dest, const uint64_t *source, size_t count, int pe);
void nvshmem_uint64_get(uint64_t *dest, const uint64_t *source, size_t count, int pe);
void nvshmem_uint64_get_nbi(uint64_t *dest, const uint64_t *source, size_t count, int pe);
void nvshmem_uint64_iput(uint64_t *dest, const uint64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t count, int pe);
void nvshmem_uint64_iget(uint64_t *dest, const uint64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t count, int pe);
void nvshmem_uint64_p(uint64_t *dest, uint64_t value, int pe);
uint64_t nvshmem_uint64_g(const uint64_t *source, int pe);
void nvshmem_uint64_put_signal(uint64_t *dest, const uint64_t *source, size_t count, uint64_t *word, uint64_t signal,
                               int op, int pe);
void nvshmemx_signal_op(uint64_t *word, uint64_t signal, int op, int pe);
uint64_t nvshmem_signal_fetch(uint64_t *word);
uint64_t nvshmem_signal_wait_until(uint64_t *word, int cmp, uint64_t value);
void nvshmem_uint64_wait_until(uint64_t *word, int cmp, uint64_t value);
int nvshmem_uint64_test(uint64_t *word, int cmp, uint64_t value);
void nvshmemx_signal_wait_until_on_stream(uint64_t *word, int cmp, uint64_t value, void *stream);
int oxshmem_stream_synchronize(void *stream);

#include "../../../../tests/capi/programs/threads.h"

/* A wait on the default stream, and one for that stream. */
static void *wait_on_stream(void *word) {
    nvshmemx_signal_wait_until_on_stream(word, NVSHMEM_CMP_EQ, 7, NULL);
    CHECK(oxshmem_stream_synchronize(NULL) == 0);
    return NULL;
}

static void default_stream(int me, int n) {
    uint64_t *words = nvshmem_calloc(32, sizeof *words);
    Objects with = {NVSHMEM_TEAM_WORLD, words, me, n};
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, wait_on_stream, words) == 0);
    for (int i = 0; i < 8; i++) {
        put(&with);
        strided(&with);
        signals(&with);
        team_barrier(&with);
    }
    nvshmemx_signal_op(words, 7, NVSHMEM_SIGNAL_SET, (me + 1) % n);
    CHECK(pthread_join(thread, NULL) == 0);
    nvshmem_barrier_all();
}

int main(void) {
    int provided = -1;
    CHECK(nvshmem_init_thread(3, &provided) == 0 && provided == 3);
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), pairs = threads(me, n);
    default_stream(me, n);
    printf("%d pairs\n", pairs);
    nvshmem_finalize();
    return 0;
}
