/* A world by a unique id, which processes pass to each other themselves: here to their children. */
#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvshmem_host.h"

enum { N = 3 };

/* As programs fill the attributes: by the initialiser, with zeros, or not at all. */
static nvshmemx_init_attr_t attributes(int round) {
    nvshmemx_init_attr_t attr = ATTR_INITIALIZER;
    if (round > 0) memset(&attr, round == 1 ? 0 : 0x5a, sizeof attr);
    return attr;
}

static void live(int rank, nvshmemx_uniqueid_t *id, int round) {
    nvshmemx_init_attr_t attr = attributes(round);
    int of_library = round % 2;
    CHECK(nvshmemx_set_attr_uniqueid_args(rank, N, id, &attr) == 0);
    CHECK(attr.args.uid_args.id == id && attr.args.uid_args.myrank == rank && attr.args.uid_args.nranks == N);
    CHECK((of_library ? nvshmemx_hostlib_init_attr : nvshmemx_init_attr)(NVSHMEMX_INIT_WITH_UNIQUEID, &attr) == 0);
    CHECK(nvshmem_my_pe() == rank && nvshmem_n_pes() == N);
    int *at = nvshmem_malloc(sizeof(int)), got;
    *at = 100 + rank;
    nvshmem_barrier_all();
    nvshmem_getmem(&got, at, sizeof got, (rank + 1) % N);
    CHECK(got == 100 + (rank + 1) % N);
    nvshmem_free(at);
    if (of_library) nvshmemx_hostlib_finalize();
    else nvshmem_finalize();
}

static int open_files(void) {
    DIR *folder = opendir("/proc/self/fd");
    int files = 0;
    CHECK(folder != NULL);
    while (readdir(folder) != NULL) files++;
    closedir(folder);
    return files;
}

int main(void) {
    int files = 0;
    for (int round = 0; round < 3; round++) {
        nvshmemx_uniqueid_t id;
        CHECK(nvshmemx_get_uniqueid(&id) == 0 && id.version == (1 << 16) + 128);
        pid_t child[N];
        for (int rank = 1; rank < N; rank++) {
            child[rank] = fork();
            CHECK(child[rank] >= 0);
            if (child[rank] == 0) {
                live(rank, &id, round);
                return 0;
            }
        }
        live(0, &id, round);
        for (int rank = 1; rank < N; rank++) {
            int status = -1;
            CHECK(waitpid(child[rank], &status, 0) == child[rank] && status == 0);
        }
        /* The first world may have opened what the process keeps; later ones keep nothing. */
        if (round == 0) files = open_files();
        CHECK(open_files() == files);
    }
    return 0;
}
