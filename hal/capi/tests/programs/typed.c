/* Every type: elements, strided copies, sizes, atomics, signals, waits of the host. */
#include "nvshmem_host.h"
#include "families.h"

static int me, n, next, before;

#define CHECK_RMA(NAME, TYPE)                                                                     \
    static void check_rma_##NAME(TYPE *at) {                                                      \
        TYPE mine[4] = {(TYPE)(1 + me), (TYPE)(2 + me), (TYPE)(3 + me), (TYPE)(4 + me)}, got[4];   \
        memset(at, 0, 16 * sizeof(TYPE));                                                         \
        nvshmem_barrier_all();                                                                    \
        nvshmem_##NAME##_p(at, mine[0], next);                                                    \
        nvshmem_##NAME##_put(at + 1, mine, 2, next);                                              \
        nvshmem_##NAME##_put_nbi(at + 3, mine + 2, 1, next);                                      \
        nvshmem_##NAME##_iput(at + 5, mine, 3, 2, 2, next);                                       \
        nvshmem_barrier_all();                                                                    \
        CHECK(at[0] == (TYPE)(1 + before) && at[1] == (TYPE)(1 + before));                        \
        CHECK(at[2] == (TYPE)(2 + before) && at[3] == (TYPE)(3 + before) && at[4] == 0);          \
        CHECK(at[5] == (TYPE)(1 + before) && at[6] == 0 && at[7] == 0);                           \
        CHECK(at[8] == (TYPE)(3 + before) && at[9] == 0);                                         \
        CHECK(nvshmem_##NAME##_g(at + 2, next) == mine[1]);                                       \
        memset(got, 0, sizeof got);                                                               \
        nvshmem_##NAME##_get(got, at + 1, 2, next);                                               \
        nvshmem_##NAME##_get_nbi(got + 2, at + 3, 1, next);                                       \
        nvshmem_quiet();                                                                          \
        CHECK(got[0] == mine[0] && got[1] == mine[1] && got[2] == mine[2] && got[3] == 0);        \
        memset(got, 0, sizeof got);                                                               \
        nvshmem_##NAME##_iget(got, at + 5, 2, 3, 2, next);                                        \
        CHECK(got[0] == mine[0] && got[1] == 0 && got[2] == mine[2] && got[3] == 0);              \
        uint64_t *word = (uint64_t *)(at + 16);                                                   \
        *word = 0;                                                                                \
        nvshmem_barrier_all();                                                                    \
        nvshmem_##NAME##_put_signal(at + 10, mine, 2, word, 5, 9, next);                          \
        nvshmem_##NAME##_put_signal_nbi(at + 12, mine, 1, word, 3, 10, next);                     \
        CHECK(nvshmem_signal_wait_until(word, 0, 8) == 8 && nvshmem_signal_fetch(word) == 8);     \
        CHECK(at[10] == (TYPE)(1 + before) && at[11] == (TYPE)(2 + before) && at[12] == at[10]);  \
        nvshmem_barrier_all();                                                                    \
    }
RMA_TYPES(CHECK_RMA)

#define CHECK_SIZE(BITS)                                                              \
    static void check_size_##BITS(unsigned char *at) {                                \
        enum { W = BITS / 8 };                                                        \
        unsigned char mine[4 * W], got[4 * W];                                        \
        for (int i = 0; i < 4 * W; i++) mine[i] = (unsigned char)(7 * me + i);        \
        memset(at, 0, 16 * W + 8);                                                    \
        nvshmem_barrier_all();                                                        \
        nvshmem_put##BITS(at, mine, 2, next);                                         \
        nvshmem_put##BITS##_nbi(at + 2 * W, mine + 2 * W, 1, next);                   \
        nvshmem_iput##BITS(at + 4 * W, mine, 2, 1, 3, next);                          \
        uint64_t *word = (uint64_t *)(at + 16 * W);                                   \
        nvshmem_put##BITS##_signal(at + 10 * W, mine, 2, word, 1, 10, next);          \
        nvshmem_put##BITS##_signal_nbi(at + 12 * W, mine, 1, word, 1, 10, next);      \
        nvshmem_barrier_all();                                                        \
        CHECK(*word == 2);                                                            \
        for (int i = 0; i < 3 * W; i++) {                                             \
            CHECK(at[i] == (unsigned char)(7 * before + i));                          \
            CHECK(at[4 * W + i % W + i / W * 2 * W] == (unsigned char)(7 * before + i)); \
            if (i < 2 * W) CHECK(at[10 * W + i] == (unsigned char)(7 * before + i));  \
            if (i < W) CHECK(at[12 * W + i] == (unsigned char)(7 * before + i) && at[3 * W + i] == 0); \
        }                                                                             \
        memset(got, 0, sizeof got);                                                   \
        nvshmem_get##BITS(got, at, 2, next);                                          \
        nvshmem_get##BITS##_nbi(got + 2 * W, at + 2 * W, 1, next);                    \
        nvshmem_quiet();                                                              \
        CHECK(memcmp(got, mine, 3 * W) == 0);                                         \
        memset(got, 0, sizeof got);                                                   \
        nvshmem_iget##BITS(got, at + 4 * W, 1, 2, 3, next);                           \
        CHECK(memcmp(got, mine, 3 * W) == 0 && got[3 * W] == 0);                      \
        nvshmem_barrier_all();                                                        \
    }
SIZES(CHECK_SIZE)

/* All PEs act on one word of PE 0. */
#define CHECK_AMO(NAME, TYPE)                                                                     \
    static void check_amo_##NAME(TYPE *at) {                                                      \
        *at = 0;                                                                                  \
        nvshmem_barrier_all();                                                                    \
        nvshmem_##NAME##_atomic_inc(at, 0);                                                       \
        CHECK(nvshmem_##NAME##_atomic_fetch_inc(at, 0) >= 1);                                     \
        nvshmem_##NAME##_atomic_add(at, 3, 0);                                                    \
        CHECK(nvshmem_##NAME##_atomic_fetch_add(at, 4, 0) >= 4);                                  \
        nvshmem_barrier_all();                                                                    \
        CHECK(nvshmem_##NAME##_atomic_fetch(at, 0) == (TYPE)(9 * n));                             \
        nvshmem_barrier_all();                                                                    \
        TYPE old = nvshmem_##NAME##_atomic_compare_swap(at, (TYPE)(9 * n), (TYPE)(100 + me), 0);  \
        nvshmem_barrier_all();                                                                    \
        TYPE now = nvshmem_##NAME##_atomic_fetch(at, 0);                                          \
        CHECK((old == (TYPE)(9 * n)) == (now == (TYPE)(100 + me)));                               \
        nvshmem_barrier_all();                                                                    \
    }
AMO_TYPES(CHECK_AMO)

#define CHECK_SWAP(NAME, TYPE)                                           \
    static void check_swap_##NAME(TYPE *at) {                            \
        nvshmem_barrier_all();                                           \
        nvshmem_##NAME##_atomic_set(at, (TYPE)(40 + me), next);          \
        nvshmem_barrier_all();                                           \
        CHECK(*at == (TYPE)(40 + before));                               \
        nvshmem_barrier_all();                                           \
        CHECK(nvshmem_##NAME##_atomic_swap(at, (TYPE)7, next) == (TYPE)(40 + me)); \
        nvshmem_barrier_all();                                           \
        CHECK(nvshmem_##NAME##_atomic_fetch(at, next) == (TYPE)7);       \
    }
EXTENDED_AMO_TYPES(CHECK_SWAP)

#define CHECK_BITS(NAME, TYPE)                                                    \
    static void check_bits_##NAME(TYPE *at) {                                     \
        nvshmem_barrier_all();                                                    \
        *at = 0x5f;                                                               \
        nvshmem_barrier_all();                                                    \
        nvshmem_##NAME##_atomic_and(at, 0x3c, next);                              \
        CHECK(nvshmem_##NAME##_atomic_fetch_or(at, 1, next) == 0x1c);             \
        nvshmem_##NAME##_atomic_or(at, 2, next);                                  \
        CHECK(nvshmem_##NAME##_atomic_fetch_xor(at, 0xff, next) == 0x1f);         \
        nvshmem_##NAME##_atomic_xor(at, 0x0f, next);                              \
        CHECK(nvshmem_##NAME##_atomic_fetch_and(at, 0, next) == 0xef);            \
        nvshmem_barrier_all();                                                    \
        CHECK(*at == 0);                                                          \
    }
BITWISE_AMO_TYPES(CHECK_BITS)

/* The word of each PE is written by its neighbour, in a list of four. */
#define CHECK_WAIT(NAME, TYPE)                                                                    \
    static void check_wait_##NAME(TYPE *at) {                                                     \
        int left_out[4] = {0, 1, 0, 0};                                                           \
        size_t list[4];                                                                           \
        TYPE wanted[4] = {(TYPE)10, (TYPE)20, (TYPE)30, (TYPE)40};                                \
        memset(at, 0, 4 * sizeof(TYPE));                                                          \
        nvshmem_barrier_all();                                                                    \
        CHECK(!nvshmem_##NAME##_test(at, 1, 0) && nvshmem_##NAME##_test(at, 0, 0));               \
        CHECK(nvshmem_##NAME##_test_any(at, 4, NULL, 1, 0) == SIZE_MAX);                          \
        CHECK(nvshmem_##NAME##_test_some(at, 4, list, NULL, 1, 0) == 0);                          \
        CHECK(!nvshmem_##NAME##_test_all(at, 4, NULL, 1, 0));                                     \
        CHECK(nvshmem_##NAME##_test_all(at, 0, NULL, 1, 0));                                      \
        nvshmem_barrier_all();                                                                    \
        nvshmem_##NAME##_p(at + 2, 30, next);                                                     \
        CHECK(nvshmem_##NAME##_wait_until_any(at, 4, left_out, 1, 0) == 2);                       \
        CHECK(nvshmem_##NAME##_test_any_vector(at, 4, left_out, 0, wanted) == 2);                 \
        CHECK(nvshmem_##NAME##_wait_until_some(at, 4, list, left_out, 1, 0) == 1 && list[0] == 2); \
        nvshmem_barrier_all();                                                                    \
        nvshmem_##NAME##_p(at, 10, next);                                                         \
        nvshmem_##NAME##_p(at + 3, 40, next);                                                     \
        nvshmem_##NAME##_wait_until(at, 0, 10);                                                   \
        nvshmem_##NAME##_wait_until_all(at, 4, left_out, 5, 10);                                  \
        nvshmem_##NAME##_wait_until_all_vector(at, 4, left_out, 0, wanted);                       \
        CHECK(nvshmem_##NAME##_test_all(at, 4, left_out, 2, 9));                                  \
        CHECK(nvshmem_##NAME##_test_all_vector(at, 4, left_out, 3, wanted));                      \
        CHECK(nvshmem_##NAME##_test_some(at, 4, list, left_out, 4, 40) == 2 && list[1] == 2);     \
        CHECK(nvshmem_##NAME##_test_some_vector(at, 4, list, NULL, 0, wanted) == 3 && list[2] == 3); \
        CHECK(nvshmem_##NAME##_wait_until_some_vector(at, 4, list, left_out, 0, wanted) == 3);    \
        CHECK(left_out[nvshmem_##NAME##_wait_until_any_vector(at, 4, left_out, 0, wanted) % 4] == 0); \
        nvshmem_barrier_all();                                                                    \
    }
WAIT_TYPES(CHECK_WAIT)

int main(void) {
    nvshmem_init();
    me = nvshmem_my_pe(), n = nvshmem_n_pes(), next = (me + 1) % n, before = (me + n - 1) % n;
    void *at = nvshmem_align(64, 4096);
#define CALL(NAME, TYPE) check_rma_##NAME(at);
    RMA_TYPES(CALL)
#undef CALL
#define CALL(BITS) check_size_##BITS(at);
    SIZES(CALL)
#undef CALL
#define CALL(NAME, TYPE) check_amo_##NAME(at);
    AMO_TYPES(CALL)
#undef CALL
#define CALL(NAME, TYPE) check_swap_##NAME(at);
    EXTENDED_AMO_TYPES(CALL)
#undef CALL
#define CALL(NAME, TYPE) check_bits_##NAME(at);
    BITWISE_AMO_TYPES(CALL)
#undef CALL
#define CALL(NAME, TYPE) check_wait_##NAME(at);
    WAIT_TYPES(CALL)
#undef CALL

    /* Halves are passed as their bits in C. */
    uint16_t *half = at;
    nvshmem_barrier_all();
    half[0] = 0x1111, half[1] = 0x2222;
    nvshmem_barrier_all();
    CHECK(nvshmem_half_atomic_swap(half + 1, 0x3c00, next) == 0x2222);
    CHECK(nvshmem_half_atomic_fetch(half + 1, next) == 0x3c00);
    nvshmem_half_atomic_set(half, 0x4000, next);
    nvshmemx_half_atomic_add(half, 0x3c00, next);
    CHECK(nvshmemx_half_atomic_fetch_add(half, 0x3c00, next) == 0x4200);
    nvshmem_barrier_all();
    CHECK(half[0] == 0x4400 && half[1] == 0x3c00);
    float *sum = at;
    *sum = 0.5f;
    nvshmem_barrier_all();
    nvshmemx_float_atomic_add(sum, 1.5f, 0);
    nvshmem_barrier_all();
    CHECK(nvshmem_float_g(sum, 0) == 0.5f + 1.5f * n);
    uint64_t *word = at;
    nvshmem_barrier_all();
    *word = 4;
    nvshmem_barrier_all();
    nvshmemx_signal_op(word, 6, 10, next);
    nvshmem_barrier_all();
    CHECK(nvshmem_signal_fetch(word) == 10);
    nvshmemx_signal_counted_reset(word);
    CHECK(nvshmem_signal_fetch(word) == 0);
    nvshmem_free(at);
    nvshmem_finalize();
    return 0;
}
