/* One wrong call, named by the first argument, on the PE that the second names (or on all). */
#include <unistd.h>

#include "nvshmem_host.h"

int nvshmemx_qp_create(int count, int **handles);
int nvshmemx_cumodule_init(void *module);
int nvshmemx_cumodule_finalize(void *module);
int nvshmemx_culibrary_init(void *library);
int nvshmemx_culibrary_finalize(void *library);
typedef struct {
    unsigned x, y, z;
} dim3;
typedef struct {
    unsigned id, pad;
    unsigned value[16];
} attribute;
typedef struct {
    dim3 grid, block;
    size_t shared;
    void *stream;
    const attribute *attrs;
    unsigned n_attrs;
} launch_config;
int nvshmemx_collective_launch_attr(const launch_config *config, const void *kernel, void **args);
int nvshmemx_collective_launch(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared, void *stream);
int nvshmem_team_split_strided(int parent, int start, int stride, int size, const void *config, long mask, int *team);
int nvshmemx_team_init(int *team, const void *config, long mask, int pes, int place);
void nvshmem_team_destroy(int team);
int nvshmem_team_n_pes(int team);
int nvshmem_int_sum_reduce(int team, int *dest, const int *source, size_t count);
int nvshmem_int_broadcast(int team, int *dest, const int *source, size_t count, int root);
void nvshmemx_signal_op(uint64_t *word, uint64_t signal, int op, int pe);
void nvshmem_int_wait_until(int *word, int op, int value);
void nvshmem_int_wait_until_all(int *words, size_t count, const int *status, int op, int value);
size_t nvshmem_int_test_some(int *words, size_t count, size_t *indices, const int *status, int op, int value);
void nvshmemx_int_wait_until_all_on_stream(int *words, size_t count, const int *status, int op, int value, void *stream);
void nvshmem_int_iput(int *dest, const int *source, ptrdiff_t dst, ptrdiff_t sst, size_t count, int pe);
void nvshmemx_putmem_on_stream(void *dest, const void *source, size_t bytes, int pe, void *stream);
int nvshmemx_region_start(uint64_t *handle, const void *attrs);
int nvshmemx_region_stop(uint64_t handle);
int nvshmemx_region_is_active(unsigned hints, int *active);

typedef struct {
    int version;
    int num_contexts;
    uint64_t uniqueid;
    char padding[48];
} team_config;

int main(int argc, char **argv) {
    CHECK(argc >= 2);
    const char *what = argv[1];
    int local = 3;
#define IS(name) (strcmp(what, name) == 0)
    if (IS("early")) {
        CHECK(nvshmem_my_pe() == -1 && nvshmem_malloc(8) == NULL && nvshmemx_init_status() == 0);
        CHECK(nvshmem_int_sum_reduce(0, &local, &local, 1) == 1);
        nvshmem_finalize();
        nvshmem_barrier_all();
        return 0;
    }
    if (IS("version") || IS("flags") || IS("null") || IS("level")) {
        nvshmemx_init_attr_t attr = ATTR_INITIALIZER;
        if (IS("version")) attr.version = (3 << 16) + sizeof attr;
        int code = IS("null")      ? nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, NULL)
                   : IS("level")   ? nvshmem_init_thread(4, NULL)
                   : IS("version") ? nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr)
                                   : nvshmemx_init_attr(4, &attr);
        printf("%d %s\n", code, nvshmemx_status_string(code));
        return 0;
    }
    if (IS("gpu")) {
        int code = nvshmem_init_thread(0, NULL);
        printf("%d %s\n", code, nvshmemx_status_string(code));
        return 0;
    }
    nvshmem_init();
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), it = argc < 3 || me == atoi(argv[2]);
    int *at = nvshmem_calloc(16, sizeof(int));
    int code = -1, gone = -1;
    if (IS("alone")) {
        nvshmem_barrier_all();
        if (it) _exit(0);
        nvshmem_finalize();
        return 0;
    }
    if (IS("gone") || IS("twice")) {
        CHECK(nvshmem_team_split_strided(0, 0, 1, n, NULL, 0, &gone) == 0 && nvshmem_team_n_pes(gone) == n);
        nvshmem_team_destroy(gone);
    }
    if (it) {
        if (IS("outside")) nvshmem_putmem(&local, at, sizeof local, 0);
        if (IS("end")) nvshmem_putmem(at, at, (size_t)1 << 40, 0);
        if (IS("pe")) nvshmem_getmem(&local, at, sizeof local, n);
        if (IS("op")) nvshmemx_signal_op((uint64_t *)at, 1, 3, 0);
        if (IS("cmp")) nvshmem_int_wait_until(at, 6, 0);
        if (IS("indices")) nvshmem_int_test_some(at, 16, NULL, NULL, 0, 0);
        if (IS("words")) nvshmem_int_wait_until_all(at, (size_t)1 << 60, &local, 0, 0);
        if (IS("listed")) nvshmemx_int_wait_until_all_on_stream(at, (size_t)1 << 60, &local, 0, 0, NULL);
        if (IS("source")) nvshmem_putmem(at, NULL, 4, 0);
        if (IS("stride")) nvshmem_int_iput(at, &local, 1, 0, 1, 0);
        if (IS("stream")) nvshmemx_putmem_on_stream(at, &local, 4, 0, &local);
        if (IS("destroy")) nvshmem_team_destroy(0);
        if (IS("free")) nvshmem_free(at + 1);
        if (IS("exit")) nvshmem_global_exit(7);
        if (IS("split")) code = nvshmem_team_split_strided(0, n, 1, 1, NULL, 0, &local);
        if (IS("gone")) code = nvshmem_int_sum_reduce(gone, at, at, 1);
        if (IS("twice")) nvshmem_team_destroy(gone);
        if (IS("config")) {
            team_config config = {(3 << 16) + sizeof(team_config), 5, 0, {0}};
            code = nvshmem_team_split_strided(0, 0, 1, n, &config, 1, &local);
            CHECK(local == -1);
        }
        if (IS("id")) code = nvshmemx_team_init(&local, NULL, 2, n, me);
        if (IS("team")) code = nvshmem_int_sum_reduce(17, at, at, 1);
        if (IS("root")) code = nvshmem_int_broadcast(0, at, at, 1, n);
        if (IS("heap")) code = nvshmem_int_sum_reduce(0, &local, at, 1);
        if (IS("module")) code = nvshmemx_cumodule_init(at);
        if (IS("library")) code = nvshmemx_culibrary_init(at);
        if (IS("no-module")) code = nvshmemx_cumodule_finalize(at);
        if (IS("no-library")) code = nvshmemx_culibrary_finalize(at);
        if (IS("launch")) code = nvshmemx_collective_launch(main, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL);
        if (IS("apart") || IS("doubled") || IS("unlisted") || IS("attributes")) {
            /* Cooperative, and priority. */
            attribute list[2] = {{2, 0, {!IS("apart")}}, {IS("doubled") ? 2 : 8, 0, {1}}};
            launch_config config = {{1, 1, 1}, {1, 1, 1}, 0, NULL, IS("unlisted") ? NULL : list, 2};
            code = nvshmemx_collective_launch_attr(&config, main, NULL);
        }
        if (IS("handles")) code = nvshmemx_qp_create(1, NULL);
        if (IS("counts")) code = nvshmemx_qp_create(1 + me, NULL);
        if (IS("queues")) code = nvshmemx_qp_create(0, NULL);
        if (IS("negative")) code = nvshmemx_qp_create(-1, NULL);
        unsigned unknown[16] = {1u << 31};
        uint64_t region = 0;
        if (IS("region")) code = nvshmemx_region_stop(5);
        if (IS("nested") || IS("other")) CHECK(nvshmemx_region_start(&region, NULL) == 0);
        if (IS("nested")) code = nvshmemx_region_start(&region, NULL);
        if (IS("other")) code = nvshmemx_region_stop(region + 1);
        if (IS("hint")) code = nvshmemx_region_start(&region, unknown);
        if (IS("nowhere")) code = nvshmemx_region_start(NULL, NULL);
        if (IS("asked")) code = nvshmemx_region_is_active(unknown[0], &local);
        if (IS("unasked")) code = nvshmemx_region_is_active(0, NULL);
        if (IS("size")) CHECK(nvshmem_malloc(8 + me) == NULL);
    }
    nvshmem_barrier_all();
    printf("%d %s\n", code, nvshmemx_status_string(code));
    nvshmem_free(at);
    nvshmem_finalize();
    if (IS("over")) {
        CHECK(nvshmem_malloc(8) == NULL && nvshmem_n_pes() == -1);
        nvshmem_finalize();
    }
    if (IS("unloaded")) CHECK(nvshmemx_cumodule_finalize(at) == 0 && nvshmemx_culibrary_finalize(at) == 0);
    if (IS("late")) nvshmem_barrier_all();
    return 0;
}
