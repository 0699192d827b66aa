/* Host calls alone, for GPUs and host PEs alike: the program reads and writes symmetric memory by calls, and its own memory
 * is the host's. */
#include "nvshmem_host.h"
#include "families.h"

void nvshmemx_putmem_on_stream(void *, const void *, size_t, int, void *);
void nvshmemx_putmem_signal_on_stream(void *, const void *, size_t, uint64_t *, uint64_t, int, int, void *);
void nvshmemx_signal_wait_until_on_stream(uint64_t *, int, uint64_t, void *);
void nvshmemx_signal_op_on_stream(uint64_t *, uint64_t, int, int, void *);
void nvshmemx_quiet_on_stream(void *);
void nvshmemx_barrier_all_on_stream(void *);
int nvshmemx_barrier_on_stream(int, void *);
int nvshmem_team_split_strided(int, int, int, int, const void *, long, int *);
void nvshmem_team_destroy(int);
int oxshmem_stream_synchronize(void *);

enum { N = 20000 };

static int me, n, next, before;

/* Reads this PE's own part. */
static void own(void *to, const void *from, size_t bytes) { nvshmem_getmem(to, from, bytes, me); }

int main(void) {
    static int mine[N], got[N];
    nvshmem_init();
    me = nvshmem_my_pe(), n = nvshmem_n_pes(), next = (me + 1) % n, before = (me + n - 1) % n;
    int *inbox = nvshmem_calloc(N, sizeof(int)), *outbox = nvshmem_malloc(N * sizeof(int));
    uint64_t *word = nvshmem_calloc(1, sizeof *word);
    for (int i = 0; i < N; i++) mine[i] = 100000 * me + i;

    /* From memory of the host, and from symmetric memory. */
    nvshmem_int_put(inbox, mine, N, next);
    nvshmem_barrier_all();
    own(got, inbox, sizeof got);
    for (int i = 0; i < N; i++) CHECK(got[i] == 100000 * before + i);
    nvshmem_int_put(outbox, mine, N, me);
    nvshmem_barrier_all();
    nvshmem_int_put_nbi(inbox, outbox + 1, N - 1, next);
    nvshmem_quiet();
    nvshmem_barrier_all();
    own(got, inbox, sizeof got);
    for (int i = 0; i < N - 1; i++) CHECK(got[i] == 100000 * before + i + 1);
    nvshmem_int_get(inbox, outbox, N, next);
    own(got, inbox, sizeof got);
    for (int i = 0; i < N; i++) CHECK(got[i] == 100000 * next + i);
    nvshmem_barrier_all();

    /* Elements. */
    nvshmem_int_p(inbox, -me, next);
    nvshmem_int_iput(inbox + 1, outbox, 2, 3, 100, next);
    nvshmem_int_iput(inbox + 300, mine, 1, 5, 100, next);
    nvshmem_barrier_all();
    own(got, inbox, sizeof got);
    CHECK(got[0] == -before && nvshmem_int_g(inbox, next) == -me);
    for (int i = 0; i < 100; i++) CHECK(got[1 + 2 * i] == 100000 * before + 3 * i && got[300 + i] == 100000 * before + 5 * i);
    nvshmem_int_iget(got, outbox, 1, 7, 100, next);
    for (int i = 0; i < 100; i++) CHECK(got[i] == 100000 * next + 7 * i);
    nvshmem_barrier_all();

    /* Signals and waits, of the host and of the default stream. */
    nvshmem_int_put_signal(inbox, outbox, N, word, 1, 9, next);
    CHECK(nvshmem_signal_wait_until(word, 0, 1) == 1);
    own(got, inbox, sizeof got);
    for (int i = 0; i < N; i++) CHECK(got[i] == 100000 * before + i);
    nvshmemx_barrier_all_on_stream(NULL);
    nvshmemx_putmem_signal_on_stream(inbox, outbox + 5, 5 * sizeof(int), word, 2, 10, next, NULL);
    nvshmemx_putmem_on_stream(inbox + 5, mine, 5 * sizeof(int), next, NULL);
    nvshmemx_quiet_on_stream(NULL);
    nvshmemx_signal_op_on_stream(word, 3, 10, next, NULL);
    nvshmemx_signal_wait_until_on_stream(word, 0, 6, NULL);
    nvshmemx_int_p_on_stream(inbox + 10, me, next, NULL);
    CHECK(nvshmemx_barrier_on_stream(0, NULL) == 0);
    CHECK(oxshmem_stream_synchronize(NULL) == 0);
    own(got, inbox, 11 * sizeof(int));
    for (int i = 0; i < 5; i++) CHECK(got[i] == 100000 * before + i + 5 && got[5 + i] == 100000 * before + i);
    CHECK(got[10] == before && nvshmemx_int_g_on_stream(inbox + 10, next, NULL) == me);
    nvshmem_barrier_all();

    /* Collectives of the world and of a team of the others than PE 0. */
    CHECK(nvshmem_int_sum_reduce(0, inbox, outbox, N) == 0);
    own(got, inbox, sizeof got);
    for (int i = 0; i < N; i++) CHECK(got[i] == 100000 * (n * (n - 1) / 2) + n * i);
    CHECK(nvshmemx_int_broadcast_on_stream(0, inbox, outbox, N, n - 1, NULL) == 0);
    CHECK(oxshmem_stream_synchronize(NULL) == 0);
    own(got, inbox, sizeof got);
    for (int i = 0; i < N; i++) CHECK(got[i] == 100000 * (n - 1) + i);
    int others;
    CHECK(n == 1 || nvshmem_team_split_strided(0, 1, 1, n - 1, NULL, 0, &others) == 0);
    if (me > 0) {
        CHECK(nvshmem_int_max_reduce(others, inbox, outbox, 3) == 0);
        CHECK(nvshmem_int_g(inbox, me) == 100000 * (n - 1));
        nvshmem_team_destroy(others);
    }
    nvshmem_barrier_all();
    nvshmem_free(word);
    nvshmem_free(outbox);
    nvshmem_free(inbox);
    nvshmem_finalize();
    printf("PE %d of %d\n", me, n);
    return 0;
}
