/* A world by a communicator of an MPI library whose handles are numbers, as MPICH's. The program is that library, for two
 * ranks of which one is its child. */
#include <sys/wait.h>
#include <unistd.h>

#include "nvshmem_host.h"

typedef int MPI_Comm;
typedef int MPI_Datatype;

enum { COMM = 0x44000000, BYTE = 0x4c00010d, RANKS = 2 };

static int rank, ends[2];

int MPI_Initialized(int *flag) {
    *flag = 1;
    return 0;
}

int MPI_Get_library_version(char *text, int *length) {
    *length = sprintf(text, "MPICH Version:      4.2.0");
    return 0;
}

int MPI_Comm_rank(MPI_Comm comm, int *to) {
    *to = rank;
    return comm == COMM ? 0 : 5;
}

int MPI_Comm_size(MPI_Comm comm, int *to) {
    *to = RANKS;
    return comm == COMM ? 0 : 5;
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    if (comm != COMM || type != BYTE || root != 0) return 5;
    return (rank == 0 ? write(ends[1], data, count) : read(ends[0], data, count)) == count ? 0 : 6;
}

int main(void) {
    /* What is after the number in memory is not a part of the handle. */
    MPI_Comm comm[2] = {COMM, -1};
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    rank = child == 0;
    nvshmemx_init_attr_t attr = ATTR_INITIALIZER;
    CHECK(nvshmemx_set_attr_mpi_comm_args(comm, &attr) == 0);
    CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attr) == 0);
    CHECK(nvshmem_my_pe() == rank && nvshmem_n_pes() == RANKS);
    nvshmem_barrier_all();
    nvshmem_finalize();
    if (child == 0) return 0;
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    return 0;
}
