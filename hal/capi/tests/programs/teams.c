/* Teams, and collectives of the host and on streams, of every type. */
#include "nvshmem_host.h"
#include "families.h"
#include "streams.h"

typedef struct {
    int version;
    int num_contexts;
    uint64_t uniqueid;
    char padding[48];
} nvshmem_team_config_t;

int nvshmem_team_my_pe(int team);
int nvshmem_team_n_pes(int team);
int nvshmem_team_translate_pe(int source, int pe, int dest);
void nvshmem_team_get_config(int team, nvshmem_team_config_t *config);
int nvshmem_team_split_strided(int parent, int start, int stride, int size, const nvshmem_team_config_t *config,
                               long mask, int *team);
int nvshmem_team_split_2d(int parent, int columns, const nvshmem_team_config_t *row_config, long row_mask, int *row,
                          const nvshmem_team_config_t *column_config, long column_mask, int *column);
void nvshmem_team_destroy(int team);
int nvshmemx_team_get_uniqueid(uint64_t *id);
int nvshmemx_team_init(int *team, const nvshmem_team_config_t *config, long mask, int pes, int place);
int nvshmem_team_sync(int team);
int nvshmem_barrier(int team);
int nvshmem_alltoallmem(int team, void *dest, const void *source, size_t bytes);
int nvshmem_fcollectmem(int team, void *dest, const void *source, size_t bytes);
int nvshmem_broadcastmem(int team, void *dest, const void *source, size_t bytes, int root);

enum { WORLD, SHARED, NODE, SAME_MYPE_NODE, N = 3, MOST = 4 };

static int me, n;

/* Source element `i` of PE `pe`, small enough for products in any type. */
#define OF(pe, i) ((1 + (pe) + (i)) % 3)

#define CHECK_COPIES(NAME, TYPE)                                                               \
    static void check_copies_##NAME(TYPE *dest, TYPE *source, void *stream) {                  \
        for (int on_stream = 0; on_stream < 2; on_stream++) {                                  \
            memset(dest, 0, N * MOST * sizeof(TYPE));                                          \
            for (int i = 0; i < N * n; i++) source[i] = (TYPE)OF(me, i);                       \
            nvshmem_barrier_all();                                                             \
            int failed = on_stream ? nvshmemx_##NAME##_fcollect_on_stream(WORLD, dest, source, N, stream) \
                                   : nvshmem_##NAME##_fcollect(WORLD, dest, source, N);        \
            finish(stream);                                                                    \
            CHECK(failed == 0);                                                                \
            for (int i = 0; i < N * n; i++) CHECK(dest[i] == (TYPE)OF(i / N, i % N));          \
            nvshmem_barrier_all();                                                             \
            failed = on_stream ? nvshmemx_##NAME##_alltoall_on_stream(WORLD, dest, source, N, stream) \
                               : nvshmem_##NAME##_alltoall(WORLD, dest, source, N);            \
            finish(stream);                                                                    \
            CHECK(failed == 0);                                                                \
            for (int i = 0; i < N * n; i++) CHECK(dest[i] == (TYPE)OF(i / N, N * me + i % N)); \
            nvshmem_barrier_all();                                                             \
            failed = on_stream ? nvshmemx_##NAME##_broadcast_on_stream(WORLD, dest, source, N, n - 1, stream) \
                               : nvshmem_##NAME##_broadcast(WORLD, dest, source, N, n - 1);    \
            finish(stream);                                                                    \
            CHECK(failed == 0);                                                                \
            for (int i = 0; i < N; i++) CHECK(dest[i] == (TYPE)OF(n - 1, i));                  \
            nvshmem_barrier_all();                                                             \
        }                                                                                      \
    }
RMA_TYPES(CHECK_COPIES)

#define MINIMUM(a, b) ((a) < (b) ? (a) : (b))
#define MAXIMUM(a, b) ((a) > (b) ? (a) : (b))
#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))
#define BOTH(a, b) ((a) & (b))
#define EITHER(a, b) ((a) | (b))
#define ONE(a, b) ((a) ^ (b))

#define CHECK_REDUCTION(NAME, TYPE, OP, COMBINE)                                                \
    static void check_##NAME##_##OP(TYPE *dest, TYPE *source, void *stream) {                   \
        for (int on_stream = 0; on_stream < 2; on_stream++) {                                   \
            for (int i = 0; i < N * n; i++) source[i] = (TYPE)OF(me, i);                        \
            nvshmem_barrier_all();                                                              \
            int failed = on_stream ? nvshmemx_##NAME##_##OP##_reduce_on_stream(WORLD, dest, source, N * n, stream) \
                                   : nvshmem_##NAME##_##OP##_reduce(WORLD, dest, source, N * n); \
            finish(stream);                                                                     \
            CHECK(failed == 0);                                                                 \
            for (int i = 0; i < N * n; i++) {                                                   \
                TYPE all = (TYPE)OF(0, i);                                                      \
                for (int pe = 1; pe < n; pe++) all = (TYPE)COMBINE(all, (TYPE)OF(pe, i));       \
                CHECK(dest[i] == all);                                                          \
            }                                                                                   \
            nvshmem_barrier_all();                                                              \
            failed = on_stream ? nvshmemx_##NAME##_##OP##_reducescatter_on_stream(WORLD, dest, source, N, stream) \
                               : nvshmem_##NAME##_##OP##_reducescatter(WORLD, dest, source, N); \
            finish(stream);                                                                     \
            CHECK(failed == 0);                                                                 \
            for (int i = 0; i < N; i++) {                                                       \
                TYPE all = (TYPE)OF(0, N * me + i);                                             \
                for (int pe = 1; pe < n; pe++) all = (TYPE)COMBINE(all, (TYPE)OF(pe, N * me + i)); \
                CHECK(dest[i] == all);                                                          \
            }                                                                                   \
            nvshmem_barrier_all();                                                              \
        }                                                                                       \
    }
#define CHECK_NUMBERS(NAME, TYPE)                                                               \
    CHECK_REDUCTION(NAME, TYPE, min, MINIMUM) CHECK_REDUCTION(NAME, TYPE, max, MAXIMUM)         \
    CHECK_REDUCTION(NAME, TYPE, sum, PLUS) CHECK_REDUCTION(NAME, TYPE, prod, TIMES)
#define CHECK_BITS(NAME, TYPE)                                                                  \
    CHECK_REDUCTION(NAME, TYPE, and, BOTH) CHECK_REDUCTION(NAME, TYPE, or, EITHER)              \
    CHECK_REDUCTION(NAME, TYPE, xor, ONE)
NUMBERS(CHECK_NUMBERS)
BITWISE_TYPES(CHECK_BITS)

/* Halves are passed as their bits in C: 1.0 and 2.0 of each format, and their sum. */
static void check_halves(uint16_t *dest, uint16_t *source) {
    source[0] = me == 0 ? 0x3c00 : 0;
    source[1] = me == n - 1 ? 0x4000 : 0;
    nvshmem_barrier_all();
    CHECK(nvshmem_half_sum_reduce(WORLD, dest, source, 2) == 0 && dest[0] == 0x3c00 && dest[1] == 0x4000);
    source[0] = me == 0 ? 0x3f80 : 0;
    nvshmem_barrier_all();
    CHECK(nvshmem_bfloat16_max_reduce(WORLD, dest, source, 1) == 0 && dest[0] == 0x3f80);
    nvshmem_barrier_all();
}

static void check_teams(const void *symmetric) {
    CHECK(nvshmem_team_my_pe(WORLD) == me && nvshmem_team_n_pes(WORLD) == n);
    /* Loads and stores reach all PEs of a host, or by a setting only the PE itself. */
    int reached = 0;
    for (int pe = 0; pe < n; pe++) {
        int is_shared = nvshmem_ptr(symmetric, pe) != NULL;
        CHECK(nvshmem_team_translate_pe(WORLD, pe, SHARED) == (is_shared ? reached : -1));
        reached += is_shared;
    }
    CHECK(nvshmem_team_n_pes(SHARED) == reached);
    CHECK(nvshmem_team_my_pe(NODE) == me && nvshmem_team_n_pes(NODE) == n);
    CHECK(nvshmem_team_my_pe(SAME_MYPE_NODE) == 0 && nvshmem_team_n_pes(SAME_MYPE_NODE) == 1);
    CHECK(nvshmem_team_my_pe(-1) == -1 && nvshmem_team_n_pes(-1) == -1);

    /* The PEs in reverse order, without PE 0. */
    nvshmem_team_config_t config, got;
    int reverse = 99;
    /* A program of OpenSHMEM sets no version, since its struct has none. */
    memset(&config, 0x5a, sizeof config);
    config.num_contexts = 5;
    CHECK(nvshmem_team_split_strided(WORLD, n - 1, -1, n - 1, &config, 1, &reverse) == 0);
    CHECK((reverse == -1) == (me == 0));
    CHECK(nvshmem_team_translate_pe(WORLD, me, reverse) == (me == 0 ? -1 : n - 1 - me));
    if (me > 0) {
        CHECK(reverse > SAME_MYPE_NODE && nvshmem_team_my_pe(reverse) == n - 1 - me);
        CHECK(nvshmem_team_translate_pe(reverse, 0, WORLD) == n - 1 && nvshmem_team_translate_pe(WORLD, 0, reverse) == -1);
        nvshmem_team_get_config(reverse, &got);
        CHECK(got.num_contexts == 5);
        CHECK(nvshmem_team_sync(reverse) == 0 && nvshmem_barrier(reverse) == 0);
        nvshmem_team_destroy(reverse);
    }
    nvshmem_barrier_all();

    /* By an id that PE 0 passes on, in reverse order. */
    uint64_t *id = nvshmem_malloc(sizeof *id);
    int named = 99;
    if (me == 0) CHECK(nvshmemx_team_get_uniqueid(id) == 0);
    nvshmem_barrier_all();
    config.version = (2 << 16) + sizeof config;
    config.uniqueid = nvshmem_uint64_g(id, 0);
    CHECK(nvshmemx_team_init(&named, &config, 2, n, n - 1 - me) == 0);
    CHECK(nvshmem_team_my_pe(named) == n - 1 - me && nvshmem_team_n_pes(named) == n);
    CHECK(nvshmem_barrier(named) == 0);
    nvshmem_team_destroy(named);
    nvshmem_free(id);

    /* Rows of two. */
    int row, column;
    CHECK(nvshmem_team_split_2d(WORLD, 2, NULL, 0, &row, NULL, 0, &column) == 0);
    CHECK(nvshmem_team_my_pe(row) == me % 2 && nvshmem_team_my_pe(column) == me / 2);
    int *from = nvshmem_malloc(sizeof(int)), *to = nvshmem_malloc(MOST * sizeof(int));
    *from = me;
    nvshmem_barrier_all();
    CHECK(nvshmem_fcollectmem(column, to, from, sizeof(int)) == 0);
    for (int i = 0; i < nvshmem_team_n_pes(column); i++) CHECK(to[i] == 2 * i + me % 2);
    nvshmem_barrier_all();
    CHECK(nvshmem_broadcastmem(row, to, from, sizeof(int), 0) == 0 && to[0] == me / 2 * 2);
    /* Calls without elements take null pointers. */
    CHECK(nvshmem_broadcastmem(row, NULL, NULL, 0, 0) == 0);
    CHECK(nvshmem_int_sum_reduce(row, NULL, NULL, 0) == 0);
    CHECK(nvshmem_int_fcollect(row, NULL, NULL, 0) == 0);
    nvshmem_barrier_all();
    CHECK(nvshmem_alltoallmem(SAME_MYPE_NODE, to, from, sizeof(int)) == 0 && to[0] == me);
    nvshmem_team_destroy(row);
    nvshmem_team_destroy(column);
    nvshmem_team_destroy(-1);
    nvshmem_free(to);
    nvshmem_free(from);
}

/* Each PE splits a team of the even PEs, which is invalid on the others. */
static void check_invalid(void) {
    int even = 0, row = 0, column = 0;
    nvshmem_team_config_t config = {0}, before = {0};
    CHECK(nvshmem_team_split_strided(WORLD, 0, 2, (n + 1) / 2, NULL, 0, &even) == 0);
    int is_in = me % 2 == 0;
    CHECK((even != -1) == is_in);
    CHECK(nvshmem_team_split_strided(even, 0, 1, 1, NULL, 0, &row) == !is_in);
    CHECK((row != -1) == (me == 0));
    nvshmem_team_destroy(row);
    row = 0;
    CHECK(nvshmem_team_split_2d(even, 1, NULL, 0, &row, NULL, 0, &column) == !is_in);
    CHECK((row != -1) == is_in && (column != -1) == is_in);
    if (!is_in) nvshmem_team_get_config(even, &config);
    CHECK(memcmp(&config, &before, sizeof config) == 0);
    nvshmem_team_destroy(column);
    nvshmem_team_destroy(row);
    nvshmem_team_destroy(even);
}

int main(void) {
    nvshmem_init();
    me = nvshmem_my_pe(), n = nvshmem_n_pes();
    CHECK(n <= MOST);
    void *dest = nvshmem_malloc(1024), *source = nvshmem_malloc(1024), *stream;
    CHECK(oxshmem_stream_create(&stream) == 0);
    check_teams(dest);
    check_invalid();
#define CALL(NAME, TYPE) check_copies_##NAME(dest, source, stream);
    RMA_TYPES(CALL)
#undef CALL
#define CALL(NAME, TYPE)                                                                  \
    check_##NAME##_min(dest, source, stream), check_##NAME##_max(dest, source, stream); \
    check_##NAME##_sum(dest, source, stream), check_##NAME##_prod(dest, source, stream);
    NUMBERS(CALL)
#undef CALL
#define CALL(NAME, TYPE)                                                               \
    check_##NAME##_and(dest, source, stream), check_##NAME##_or(dest, source, stream); \
    check_##NAME##_xor(dest, source, stream);
    BITWISE_TYPES(CALL)
#undef CALL
    check_halves(dest, source);
    CHECK(oxshmem_stream_destroy(stream) == 0);
    nvshmem_free(source);
    nvshmem_free(dest);
    nvshmem_finalize();
    return 0;
}
