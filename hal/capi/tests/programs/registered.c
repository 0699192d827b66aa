/* Memory that the program mapped becomes symmetric, is used by every PE, and is the program's again. Then each wrong
 * call is one complaint, on all PEs. */
#include "nvshmem_host.h"

#include <dirent.h>
#include <sys/mman.h>
#include <unistd.h>

void *nvshmemx_buffer_register_symmetric(void *buf_ptr, size_t size, int flags);
void *nvshmemx_buffer_register_symmetric_at_preferred_address(void *buf_ptr, size_t size, void *wish, int flags);
int nvshmemx_buffer_unregister_symmetric(void *mmap_ptr, size_t size);
int nvshmem_int_sum_reduce(int team, int *dest, const int *source, size_t count);
int nvshmem_int_atomic_fetch_add(int *dest, int value, int pe);

enum { BYTES = 1 << 16, N = BYTES / sizeof(int) };

/* Maps new shared memory. The descriptor stays open until the registration. */
static int *map(int *file) {
    *file = memfd_create("of the program", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CHECK(*file >= 0 && ftruncate(*file, BYTES) == 0);
    int *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
    CHECK(at != MAP_FAILED);
    return at;
}

/* Returns the number of open descriptors of this process. */
static int descriptors(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    CHECK(folder != NULL);
    while (readdir(folder) != NULL) count++;
    closedir(folder);
    return count;
}

int main(void) {
    nvshmem_init();
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), next = (me + 1) % n, before = (me + n - 1) % n, file, other_file;
    int *own = map(&file), *other = map(&other_file), *heap = nvshmem_calloc(N, sizeof(int));

    int *at = nvshmemx_buffer_register_symmetric(own, BYTES, 0);
    CHECK(at != NULL && at != own);
    for (int i = 0; i < N; i++) heap[i] = 1000 * me + i;
    nvshmem_barrier_all();
    nvshmem_putmem(at, heap, BYTES / 2, next);
    nvshmem_barrier_all();
    for (int i = 0; i < N / 2; i++) CHECK(at[i] == 1000 * before + i && own[i] == at[i]);
    for (int i = N / 2; i < N; i++) CHECK(own[i] == 0);
    int got[100];
    nvshmem_getmem(got, at + 5, sizeof got, next);
    for (int i = 0; i < 100; i++) CHECK(got[i] == 1000 * me + 5 + i);
    nvshmem_barrier_all();
    int *theirs = nvshmem_ptr(at + N - 1, next);
    CHECK(theirs != NULL);
    *theirs = 77 + me;
    nvshmem_barrier_all();
    CHECK(own[N - 1] == 77 + before);
    CHECK(nvshmem_int_atomic_fetch_add(at + N - 2, 3, next) == 0);
    nvshmem_barrier_all();
    CHECK(own[N - 2] == 3);
    at[0] = me + 1;
    CHECK(nvshmem_int_sum_reduce(0, at + 1, at, 1) == 0);
    CHECK(own[1] == n * (n + 1) / 2);

    /* A second one, and again at the same place, although the heap ends elsewhere. */
    int *second = nvshmemx_buffer_register_symmetric(other, BYTES, 0);
    CHECK(second != NULL && second != at);
    close(other_file);
    CHECK(nvshmemx_buffer_unregister_symmetric(at, BYTES) == 0);
    /* A program may probe the gap. */
    CHECK(nvshmem_ptr(at, me) == NULL && nvshmem_ptr(at + N - 1, next) == NULL);
    CHECK(nvshmem_ptr(second, me) == second);
    CHECK(own[1] == n * (n + 1) / 2);
    nvshmem_int_atomic_fetch_add(second, 5, next);
    nvshmem_barrier_all();
    CHECK(other[0] == 5);
    int *again = nvshmemx_buffer_register_symmetric_at_preferred_address(own, BYTES, at, 0);
    CHECK(again == at && again[1] == own[1]);
    CHECK(nvshmemx_buffer_unregister_symmetric(second, BYTES) == 0);
    int open = descriptors();
    for (int i = 0; i < 50; i++) {
        CHECK(nvshmemx_buffer_unregister_symmetric(again, BYTES) == 0);
        CHECK(nvshmemx_buffer_register_symmetric(own, BYTES, 0) == again);
    }
    CHECK(descriptors() == open);

    /* Wrong calls of every PE. */
    CHECK(nvshmemx_buffer_register_symmetric(NULL, BYTES, 0) == NULL);
    CHECK(nvshmemx_buffer_register_symmetric(other, 0, 0) == NULL);
    CHECK(nvshmemx_buffer_register_symmetric(other, BYTES - 1, 0) == NULL);
    int *alone = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(nvshmemx_buffer_register_symmetric(alone, BYTES, 0) == NULL);
    CHECK(nvshmemx_buffer_register_symmetric(again, BYTES, 0) == NULL);
    CHECK(nvshmemx_buffer_register_symmetric(other, BYTES, 1) == NULL);
    CHECK(nvshmemx_buffer_register_symmetric(own, BYTES, 0) == NULL);
    CHECK(nvshmemx_buffer_unregister_symmetric(again, BYTES / 2) == 1);
    CHECK(nvshmemx_buffer_unregister_symmetric(own, BYTES) == 1);
    CHECK(nvshmemx_buffer_unregister_symmetric(heap, BYTES) == 1);
    CHECK(nvshmemx_buffer_unregister_symmetric(NULL, BYTES) == 1);
    /* Of one PE. */
    if (n > 1) {
        int third_file, *third = map(&third_file);
        CHECK(nvshmemx_buffer_register_symmetric(third, me == 1 ? BYTES : BYTES / 2, 0) == NULL);
        CHECK(nvshmemx_buffer_register_symmetric(me == 1 ? NULL : third, BYTES, 0) == NULL);
        CHECK(nvshmemx_buffer_register_symmetric(third, BYTES, me == 1 ? 4 : 0) == NULL);
        int status = nvshmemx_buffer_unregister_symmetric(me == 1 ? third : again, BYTES);
        CHECK(status == (me == 1 ? 1 : 4));
    }
    CHECK(own[1] == n * (n + 1) / 2);
    CHECK(nvshmemx_buffer_unregister_symmetric(again, BYTES) == 0);
    CHECK(descriptors() < open + 2);
    /* The memory outlives the world in which it was registered. */
    CHECK(nvshmemx_buffer_register_symmetric(own, BYTES, 0) != NULL);
    nvshmem_finalize();
    CHECK(own[1] == n * (n + 1) / 2);
    own[0] = 1;
    return 0;
}
