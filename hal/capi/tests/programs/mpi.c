/* A world by an MPI communicator whose ranks are in reverse order. The program opens the MPI library itself, with its
 * symbols visible or (with the argument "hidden") hidden. */
#include <dlfcn.h>

#include "nvshmem_host.h"

int main(int argc, char **argv) {
    int hidden = argc > 1 && strcmp(argv[1], "hidden") == 0;
    nvshmemx_init_attr_t attr = ATTR_INITIALIZER;
    void *comm = NULL;
    CHECK(nvshmemx_set_attr_mpi_comm_args(&comm, &attr) == 0 && attr.mpi_comm == &comm);
    if (argc > 1 && strcmp(argv[1], "without") == 0) return nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attr);

    void *mpi = dlopen("libmpi.so.40", RTLD_NOW | (hidden ? RTLD_LOCAL : RTLD_GLOBAL));
    CHECK(mpi != NULL);
    int (*init)(int *, char ***) = (int (*)(int *, char ***))dlsym(mpi, "MPI_Init");
    int (*finalize)(void) = (int (*)(void))dlsym(mpi, "MPI_Finalize");
    int (*rank_of)(void *, int *) = (int (*)(void *, int *))dlsym(mpi, "MPI_Comm_rank");
    int (*size_of)(void *, int *) = (int (*)(void *, int *))dlsym(mpi, "MPI_Comm_size");
    int (*split)(void *, int, int, void **) = (int (*)(void *, int, int, void **))dlsym(mpi, "MPI_Comm_split");
    void *world = dlsym(mpi, "ompi_mpi_comm_world");
    CHECK(init && finalize && rank_of && size_of && split && world);
    CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attr) == 3);
    CHECK(init(&argc, &argv) == 0);
    int rank, n;
    CHECK(rank_of(world, &rank) == 0 && size_of(world, &n) == 0 && split(world, 0, -rank, &comm) == 0);

    CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attr) == 0);
    CHECK(nvshmem_n_pes() == n && nvshmem_my_pe() == n - 1 - rank);
    int *at = nvshmem_malloc(sizeof(int)), me = nvshmem_my_pe();
    nvshmem_putmem(at, &me, sizeof me, (me + 1) % n);
    nvshmem_barrier_all();
    CHECK(*at == (me + n - 1) % n);
    nvshmem_free(at);
    nvshmem_finalize();
    CHECK(finalize() == 0);
    printf("rank %d of %d\n", rank, n);
    return 0;
}
