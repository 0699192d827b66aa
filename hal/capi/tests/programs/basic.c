/* Memory and copies in a ring: each PE's data reaches its neighbour, and nothing else changes. */
#include "nvshmem_host.h"
#include "../../../../include/non_abi/nvshmem_version.h"

enum { N = 1000 };

int main(void) {
    nvshmem_init();
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), next = (me + 1) % n, before = (me + n - 1) % n;
    CHECK(nvshmemx_init_status() == 2);
    int major, minor, patch;
    nvshmem_info_get_version(&major, &minor);
    CHECK(major == 1 && minor == 3);
    nvshmemx_vendor_get_version_info(&major, &minor, &patch);
    CHECK(major == 3 && minor == 8 && patch == 0);
    char name[256];
    nvshmem_info_get_name(name);
    CHECK(strcmp(name, "NVSHMEM v" NVSHMEM_VENDOR_BASE_VERSION_STRING) == 0);
    int provided = -1;
    nvshmem_query_thread(&provided);
    CHECK(provided == 2);

    int *inbox = nvshmem_calloc(N + 2, sizeof(int)), *source = nvshmem_malloc(N * sizeof(int));
    char *aligned = nvshmem_align(1 << 16, 100);
    CHECK(inbox != NULL && source != NULL && (uintptr_t)aligned % (1 << 16) == 0);
    CHECK(nvshmem_malloc(0) == NULL);
    for (int i = 0; i < N + 2; i++) CHECK(inbox[i] == 0);
    for (int i = 0; i < N; i++) source[i] = 1000 * me + i;
    nvshmem_barrier_all();

    nvshmem_putmem(inbox + 1, source, N * sizeof(int), next);
    nvshmem_barrier_all();
    CHECK(inbox[0] == 0 && inbox[N + 1] == 0);
    for (int i = 0; i < N; i++) CHECK(inbox[i + 1] == 1000 * before + i);

    int got[N];
    nvshmem_getmem(got, source, sizeof got, before);
    for (int i = 0; i < N; i++) CHECK(got[i] == 1000 * before + i);
    nvshmem_barrier_all();

    /* From ordinary memory, without waiting, in two parts. */
    for (int i = 0; i < N; i++) got[i] = -1000 * me - i;
    nvshmem_putmem_nbi(inbox + 1, got, 10 * sizeof(int), next);
    nvshmem_fence();
    nvshmem_putmem_nbi(inbox + 11, got + 10, (N - 10) * sizeof(int), next);
    nvshmem_quiet();
    nvshmem_sync_all();
    for (int i = 0; i < N; i++) CHECK(inbox[i + 1] == -1000 * before - i);
    memset(got, 0, sizeof got);
    nvshmem_getmem_nbi(got, inbox + 1, sizeof got, next);
    nvshmem_quiet();
    for (int i = 0; i < N; i++) CHECK(got[i] == -1000 * me - i);
    nvshmem_barrier_all();

    /* Load and store. */
    int *theirs = nvshmem_ptr(inbox, next);
    CHECK(theirs != NULL && nvshmem_ptr(inbox, me) == inbox && nvshmemx_mc_ptr(0, inbox) == NULL);
    /* Programs probe memory: other memory has no address, and that is no error. */
    CHECK(nvshmem_ptr(&me, next) == NULL && nvshmem_ptr(NULL, me) == NULL && nvshmemx_mc_ptr(0, &me) == NULL);
    CHECK(nvshmem_ptr((void *)-16, me) == NULL && nvshmem_ptr((char *)inbox + ((size_t)1 << 44), next) == NULL);
    theirs[0] = 77 + me;
    nvshmem_barrier_all();
    CHECK(inbox[0] == 77 + before);

    nvshmem_free(aligned);
    nvshmem_free(source);
    nvshmem_free(inbox);
    nvshmem_free(NULL);
    nvshmem_finalize();
    CHECK(nvshmemx_init_status() == 1);
    printf("PE %d of %d\n", me, n);
    return 0;
}
