/* A world of processes that know each other by a file alone: one rank makes the unique id and writes it there. Starts by
 * different calls nest. Arguments: rank, number of ranks, file, maker's rank. A process of the rank -1 makes the id, is no
 * PE, and lives until its standard input ends. With a fifth argument a failed start is repeated. */
#include <unistd.h>

#include "nvshmem_host.h"

static void pass_on(int makes, const char *file, nvshmemx_uniqueid_t *id) {
    char part[4096];
    snprintf(part, sizeof part, "%s.part", file);
    if (makes) {
        FILE *to = fopen(part, "wb");
        CHECK(to != NULL && fwrite(id, sizeof *id, 1, to) == 1 && fclose(to) == 0 && rename(part, file) == 0);
        return;
    }
    FILE *from = NULL;
    for (int tries = 0; tries < 30000 && (from = fopen(file, "rb")) == NULL; tries++) usleep(1000);
    CHECK(from != NULL && fread(id, sizeof *id, 1, from) == 1 && fclose(from) == 0);
}

int main(int argc, char **argv) {
    CHECK(argc == 5 || argc == 6);
    int rank = atoi(argv[1]), n = atoi(argv[2]), makes = rank == atoi(argv[4]), provided = -1;
    nvshmemx_uniqueid_t id;
    memset(&id, 0, sizeof id);
    if (makes) CHECK(nvshmemx_get_uniqueid(&id) == 0);
    pass_on(makes, argv[3], &id);
    if (rank < 0) {
        char byte;
        while (read(0, &byte, 1) > 0);
        return 0;
    }
    nvshmemx_init_attr_t attr = ATTR_INITIALIZER;
    CHECK(nvshmemx_set_attr_uniqueid_args(rank, n, &id, &attr) == 0);
    int code = nvshmemx_hostlib_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr);
    if (code != 0 && argc == 6) {
        printf("again\n");
        fflush(stdout);
        code = nvshmemx_hostlib_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr);
    }
    if (code != 0) return 3;
    CHECK(nvshmem_my_pe() == rank && nvshmem_n_pes() == n);

    /* A second start joins no second world, whatever its arguments. */
    CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr) == 0);
    CHECK(nvshmem_init_thread(0, &provided) == 0 && provided == 2);
    int *at = nvshmem_calloc(n, sizeof(int)), mine = 7 * rank + 1;
    nvshmem_finalize();
    nvshmemx_hostlib_finalize();
    CHECK(nvshmemx_init_status() == 2);
    for (int pe = 0; pe < n; pe++) nvshmem_putmem(at + rank, &mine, sizeof mine, pe);
    nvshmem_barrier_all();
    for (int pe = 0; pe < n; pe++) CHECK(at[pe] == 7 * pe + 1);
    nvshmem_free(at);
    nvshmem_finalize();
    CHECK(nvshmemx_init_status() == 1);
    printf("rank %d of %d\n", rank, n);
    return 0;
}
