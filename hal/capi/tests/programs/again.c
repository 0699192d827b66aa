/* Starts that nest, a world after a world, and objects that the program keeps. */
#include "nvshmem_host.h"

int nvshmemx_qp_create(int count, int **handles);
int nvshmemx_buffer_register(void *address, size_t bytes);
int nvshmemx_buffer_unregister(void *address);
void nvshmemx_buffer_unregister_all(void);
typedef struct {
    uint32_t hints;
    char reserved[60];
} region_attrs;
int nvshmemx_region_start(uint64_t *handle, const region_attrs *attrs);
int nvshmemx_region_stop(uint64_t handle);
int nvshmemx_region_is_active(uint32_t hints, int *active);

/* The calls of NVSHMEM's own device library, which a program may have linked, and of the program's state there. */
typedef struct {
    int major, minor, patch;
} version;
typedef void (*find_state)(void **state, void **of_transport);
int nvshmemid_hostlib_init_attr(int requested, int *provided, unsigned flags, void *attr, version, find_state);
void nvshmemid_hostlib_finalize(void *state, void *of_transport);
int nvshmemid_init_status(void);
static void not_asked(void **state, void **of_transport) { exit(state == of_transport ? 2 : 3); }

int main(void) {
    static char buffer[2][4096];
    int *handles = NULL, provided = -1, active = -1;
    for (int round = 0; round < 3; round++) {
        nvshmem_init();
        for (int level = 0; level <= 3; level++) {
            CHECK(nvshmem_init_thread(level, &provided) == 0 && provided == (level < 2 ? 2 : level));
            nvshmem_query_thread(&provided);
            CHECK(provided == (level < 2 ? 2 : level));
            if (level < 3) nvshmem_finalize();
        }
        int me = nvshmem_my_pe(), n = nvshmem_n_pes(), *at = nvshmem_calloc(1, sizeof(int));
        nvshmem_finalize();
        const version of_library = {3, 4, 5};
        provided = -1;
        CHECK(nvshmemid_hostlib_init_attr(2, &provided, 0, NULL, of_library, not_asked) == 0 && provided == 2);
        nvshmemid_hostlib_finalize(at, NULL);
        CHECK(nvshmemid_init_status() == 2 && nvshmemx_init_status() == 2 && nvshmem_my_pe() == me);
        int value = 10 * round + me;
        nvshmem_putmem(at, &value, sizeof value, (me + 1) % n);
        nvshmem_barrier_all();
        CHECK(*at == 10 * round + (me + n - 1) % n);

        CHECK(nvshmemx_qp_create(3, &handles) == 0);
        CHECK(handles[0] == 1 || (handles[1] == handles[0] + n && handles[2] == handles[0] + 2 * n));
        CHECK(nvshmemx_buffer_register(buffer[0], 4096) == 0 && nvshmemx_buffer_register(buffer[1], 4096) == 0);
        CHECK(nvshmemx_buffer_unregister(buffer[0]) == 0);
        nvshmemx_buffer_unregister_all();

        /* That of the world before has ended with it. */
        CHECK(nvshmemx_region_is_active(0, &active) == 0 && active == 0);
        region_attrs batch = {1, {0}};
        uint64_t region;
        CHECK(nvshmemx_region_start(&region, &batch) == 0);
        CHECK(nvshmemx_region_is_active(0, &active) == 0 && active == 1);
        CHECK(nvshmemx_region_is_active(1, &active) == 0 && active == 1);
        CHECK(nvshmemx_region_stop(region) == 0);
        CHECK(nvshmemx_region_is_active(0, &active) == 0 && active == 0);
        CHECK(nvshmemx_region_start(&region, NULL) == 0);
        CHECK(nvshmemx_region_is_active(0, &active) == 0 && active == 1);
        CHECK(nvshmemx_region_is_active(1, &active) == 0 && active == 0);
        nvshmem_free(at);
        nvshmem_finalize();
        CHECK(nvshmemx_init_status() == 1 && nvshmemid_init_status() == 1);
        free(handles);
    }
    return 0;
}
