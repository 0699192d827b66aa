/* Copies, signals, waits and barriers as work of streams, of every type. */
#include "nvshmem_host.h"
#include "families.h"
#include "streams.h"

void nvshmemx_putmem_on_stream(void *, const void *, size_t, int, void *);
void nvshmemx_putmem_nbi_on_stream(void *, const void *, size_t, int, void *);
void nvshmemx_getmem_on_stream(void *, const void *, size_t, int, void *);
void nvshmemx_getmem_nbi_on_stream(void *, const void *, size_t, int, void *);
void nvshmemx_putmem_signal_on_stream(void *, const void *, size_t, uint64_t *, uint64_t, int, int, void *);
void nvshmemx_putmem_signal_nbi_on_stream(void *, const void *, size_t, uint64_t *, uint64_t, int, int, void *);
void nvshmemx_signal_op_on_stream(uint64_t *, uint64_t, int, int, void *);
void nvshmemx_signal_wait_until_on_stream(uint64_t *, int, uint64_t, void *);
void nvshmemx_quiet_on_stream(void *);
void nvshmemx_flush_on_stream(void *);
void nvshmemx_barrier_all_on_stream(void *);
void nvshmemx_sync_all_on_stream(void *);
int nvshmemx_barrier_on_stream(int, void *);
int nvshmemx_team_sync_on_stream(int, void *);
int nvshmemx_alltoallmem_on_stream(int, void *, const void *, size_t, void *);
int nvshmemx_fcollectmem_on_stream(int, void *, const void *, size_t, void *);
int nvshmemx_broadcastmem_on_stream(int, void *, const void *, size_t, int, void *);

static int me, n, next, before;

#define CHECK_RMA(NAME, TYPE)                                                                      \
    static void check_rma_##NAME(TYPE *at, void *stream) {                                         \
        TYPE mine[4] = {(TYPE)(1 + me), (TYPE)(2 + me), (TYPE)(3 + me), (TYPE)(4 + me)}, got[6];    \
        uint64_t *word = (uint64_t *)(at + 16);                                                    \
        memset(at, 0, 16 * sizeof(TYPE) + 8);                                                      \
        memset(got, 0, sizeof got);                                                                \
        nvshmemx_barrier_all_on_stream(stream);                                                    \
        nvshmemx_##NAME##_p_on_stream(at, mine[0], next, stream);                                  \
        nvshmemx_##NAME##_put_on_stream(at + 1, mine, 2, next, stream);                            \
        nvshmemx_##NAME##_put_nbi_on_stream(at + 3, mine + 2, 1, next, stream);                    \
        nvshmemx_##NAME##_iput_on_stream(at + 5, mine, 3, 2, 2, next, stream);                     \
        nvshmemx_##NAME##_put_signal_on_stream(at + 10, mine, 2, word, 5, 9, next, stream);        \
        nvshmemx_##NAME##_put_signal_nbi_on_stream(at + 12, mine, 1, word, 3, 10, next, stream);   \
        nvshmemx_signal_wait_until_on_stream(word, 5, 8, stream);                                  \
        nvshmemx_##NAME##_get_on_stream(got, at + 1, 2, next, stream);                             \
        nvshmemx_##NAME##_get_nbi_on_stream(got + 2, at + 3, 1, next, stream);                     \
        nvshmemx_##NAME##_iget_on_stream(got + 3, at + 5, 2, 3, 2, next, stream);                  \
        nvshmemx_quiet_on_stream(stream);                                                          \
        finish(stream);                                                                            \
        CHECK(at[0] == (TYPE)(1 + before) && at[1] == (TYPE)(1 + before));                         \
        CHECK(at[2] == (TYPE)(2 + before) && at[3] == (TYPE)(3 + before) && at[4] == 0);           \
        CHECK(at[5] == (TYPE)(1 + before) && at[6] == 0 && at[8] == (TYPE)(3 + before));           \
        CHECK(at[10] == (TYPE)(1 + before) && at[11] == (TYPE)(2 + before) && at[12] == at[10]);   \
        CHECK(*word == 8 && got[0] == mine[0] && got[1] == mine[1] && got[2] == mine[2]);          \
        CHECK(got[3] == mine[0] && got[4] == 0 && got[5] == mine[2]);                              \
        CHECK(nvshmemx_##NAME##_g_on_stream(at + 2, next, stream) == mine[1]);                     \
        nvshmem_barrier_all();                                                                     \
    }
RMA_TYPES(CHECK_RMA)

#define CHECK_SIZE(BITS)                                                                       \
    static void check_size_##BITS(unsigned char *at, void *stream) {                           \
        enum { W = BITS / 8 };                                                                 \
        unsigned char mine[4 * W], got[6 * W];                                                 \
        uint64_t *word = (uint64_t *)(at + 16 * W);                                            \
        for (int i = 0; i < 4 * W; i++) mine[i] = (unsigned char)(7 * me + i);                 \
        memset(at, 0, 16 * W + 8);                                                             \
        memset(got, 0, sizeof got);                                                            \
        nvshmemx_barrier_all_on_stream(stream);                                                \
        nvshmemx_put##BITS##_on_stream(at, mine, 2, next, stream);                             \
        nvshmemx_put##BITS##_nbi_on_stream(at + 2 * W, mine + 2 * W, 1, next, stream);         \
        nvshmemx_iput##BITS##_on_stream(at + 4 * W, mine, 2, 1, 3, next, stream);              \
        nvshmemx_put##BITS##_signal_on_stream(at + 10 * W, mine, 2, word, 1, 10, next, stream); \
        nvshmemx_put##BITS##_signal_nbi_on_stream(at + 12 * W, mine, 1, word, 1, 10, next, stream); \
        nvshmemx_signal_wait_until_on_stream(word, 0, 2, stream);                              \
        nvshmemx_get##BITS##_on_stream(got, at, 2, next, stream);                              \
        nvshmemx_get##BITS##_nbi_on_stream(got + 2 * W, at + 2 * W, 1, next, stream);          \
        nvshmemx_iget##BITS##_on_stream(got + 3 * W, at + 4 * W, 1, 2, 3, next, stream);       \
        finish(stream);                                                                        \
        for (int i = 0; i < 3 * W; i++) {                                                      \
            CHECK(at[i] == (unsigned char)(7 * before + i));                                   \
            CHECK(at[4 * W + i % W + i / W * 2 * W] == (unsigned char)(7 * before + i));       \
            CHECK(at[10 * W + i] == (unsigned char)(7 * before + i % (2 * W)));                \
            CHECK(got[i] == mine[i] && got[3 * W + i] == mine[i]);                             \
        }                                                                                      \
        nvshmem_barrier_all();                                                                 \
    }
SIZES(CHECK_SIZE)

/* Another stream writes the words, one after the other, while this stream waits. */
#define CHECK_WAIT(NAME, TYPE)                                                             \
    static void check_wait_##NAME(TYPE *at, void *stream) {                                \
        int left_out[4] = {0, 1, 0, 0};                                                    \
        TYPE wanted[4] = {10, 20, 30, 40};                                                 \
        memset(at, 0, 8 * sizeof(TYPE));                                                   \
        nvshmem_barrier_all();                                                             \
        nvshmemx_##NAME##_wait_until_on_stream(at, 0, 10, stream);                         \
        nvshmemx_##NAME##_wait_until_all_on_stream(at, 4, left_out, 5, 10, stream);        \
        nvshmemx_##NAME##_wait_until_all_vector_on_stream(at, 4, left_out, 0, wanted, stream); \
        nvshmemx_##NAME##_p_on_stream(at + 4, 1, me, stream);                              \
        for (int i = 3; i >= 0; i--)                                                       \
            if (!left_out[i]) nvshmem_##NAME##_p(at + i, wanted[i], next);                 \
        finish(stream);                                                                    \
        CHECK(at[0] == 10 && at[1] == 0 && at[2] == 30 && at[3] == 40 && at[4] == 1);      \
        nvshmem_barrier_all();                                                             \
    }
WAIT_TYPES(CHECK_WAIT)

/* Lists in symmetric memory are read when the stream reaches the wait: as they are at the call, it would not end. */
static void check_lists(int *at, void *stream) {
    int *left_out = at + 2, *wanted = at + 4;
    const int words[6] = {7, 5, 0, 0, 0, 0};
    memcpy(at, words, sizeof words);
    nvshmem_barrier_all();
    nvshmemx_int_p_on_stream(left_out, 1, me, stream);
    nvshmemx_int_p_on_stream(wanted + 1, 5, me, stream);
    nvshmemx_int_wait_until_all_vector_on_stream(at, 2, left_out, 0, wanted, stream);
    nvshmemx_int_wait_until_all_on_stream(at, 2, left_out, 0, 5, stream);
    finish(stream);
    CHECK(left_out[0] == 1 && wanted[1] == 5);
    nvshmem_barrier_all();
}

static void check_mem(unsigned char *at, void *stream) {
    unsigned char mine[32], got[32];
    uint64_t *word = (uint64_t *)(at + 64);
    for (int i = 0; i < 32; i++) mine[i] = (unsigned char)(50 * me + i);
    memset(at, 0, 80);
    nvshmemx_sync_all_on_stream(stream);
    nvshmemx_putmem_on_stream(at, mine, 7, next, stream);
    nvshmemx_putmem_nbi_on_stream(at + 7, mine + 7, 5, next, stream);
    nvshmemx_flush_on_stream(stream);
    nvshmemx_putmem_signal_on_stream(at + 12, mine + 12, 3, word, 1, 10, next, stream);
    nvshmemx_putmem_signal_nbi_on_stream(at + 15, mine + 15, 3, word, 1, 10, next, stream);
    nvshmemx_signal_op_on_stream(word, 40, 10, next, stream);
    nvshmemx_signal_wait_until_on_stream(word, 0, 42, stream);
    CHECK(nvshmemx_team_sync_on_stream(0, stream) == 0 && nvshmemx_barrier_on_stream(0, stream) == 0);
    nvshmemx_getmem_on_stream(got, at, 10, next, stream);
    nvshmemx_getmem_nbi_on_stream(got + 10, at + 10, 8, next, stream);
    finish(stream);
    for (int i = 0; i < 18; i++) CHECK(at[i] == (unsigned char)(50 * before + i) && got[i] == mine[i]);
    CHECK(at[18] == 0);
    nvshmem_barrier_all();
    CHECK(nvshmemx_fcollectmem_on_stream(0, at + 128, at, 2, stream) == 0);
    finish(stream);
    for (int pe = 0; pe < n; pe++) CHECK(at[128 + 2 * pe + 1] == (unsigned char)(50 * ((pe + n - 1) % n) + 1));
    nvshmem_barrier_all();
    CHECK(nvshmemx_broadcastmem_on_stream(0, at + 160, at, 2, 1, stream) == 0);
    CHECK(nvshmemx_alltoallmem_on_stream(0, at + 192, at, 1, stream) == 0);
    finish(stream);
    CHECK(at[161] == 1);
    for (int pe = 0; pe < n; pe++) CHECK(at[192 + pe] == (unsigned char)(50 * ((pe + n - 1) % n) + me));
    nvshmem_barrier_all();
}

int main(void) {
    nvshmem_init();
    me = nvshmem_my_pe(), n = nvshmem_n_pes(), next = (me + 1) % n, before = (me + n - 1) % n;
    void *at = nvshmem_align(64, 4096), *stream;
    CHECK(oxshmem_stream_create(&stream) == 0);
    /* The default stream, and another. */
    for (int round = 0; round < 2; round++) {
        void *on = round == 0 ? NULL : stream;
#define CALL(NAME, TYPE) check_rma_##NAME(at, on);
        RMA_TYPES(CALL)
#undef CALL
#define CALL(BITS) check_size_##BITS(at, on);
        SIZES(CALL)
#undef CALL
#define CALL(NAME, TYPE) check_wait_##NAME(at, on);
        WAIT_TYPES(CALL)
#undef CALL
        check_mem(at, on);
        check_lists((int *)at, on);
    }
    CHECK(oxshmem_stream_destroy(stream) == 0);
    nvshmem_free(at);
    nvshmem_finalize();
    return 0;
}
