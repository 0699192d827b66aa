/* A host program in C, which is C++ too. It compiles without the CUDA toolkit. */
#include <nvshmem.h>
#include <nvshmemx.h>
#include <oxshmem.h>

nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;
nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
nvshmem_team_config_t config = NVSHMEM_TEAM_CONFIG_INITIALIZER;

int main(void) {
    int n = 0;
    nvshmem_init();
    double *at = (double *)nvshmem_malloc(sizeof(double));
    nvshmem_double_p(at, 1.0, nvshmem_my_pe());
    nvshmem_barrier_all();
    n = nvshmem_double_g(at, nvshmem_my_pe()) == 1.0;
    nvshmem_free(at);
    nvshmem_finalize();
    return n == 1 ? 0 : nvshmemx_status_string(NVSHMEMX_ERROR_INTERNAL)[0];
}
