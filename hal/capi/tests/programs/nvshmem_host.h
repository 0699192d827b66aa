/* The prototypes that the programs of these tests use, and a check that names its line. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

typedef struct {
    int version;
    char internal[124];
} nvshmemx_uniqueid_t;

typedef struct {
    int version;
    nvshmemx_uniqueid_t *id;
    int myrank;
    int nranks;
} nvshmemx_uniqueid_args_t;

typedef struct {
    int version;
    nvshmemx_uniqueid_args_t uid_args;
    int cuda_device_id;
    char content[92];
} nvshmemx_init_args_t;

typedef struct {
    int version;
    void *mpi_comm;
    nvshmemx_init_args_t args;
} nvshmemx_init_attr_t;

#define ATTR_INITIALIZER {(2 << 16) + sizeof(nvshmemx_init_attr_t), NULL, \
    {(2 << 16) + sizeof(nvshmemx_init_args_t), {(1 << 16) + sizeof(nvshmemx_uniqueid_args_t), NULL, -1, -1}, -1, {0}}}
#define NVSHMEMX_INIT_WITH_MPI_COMM 2u
#define NVSHMEMX_INIT_WITH_UNIQUEID 8u

void nvshmem_init(void);
int nvshmem_init_thread(int requested, int *provided);
void nvshmem_query_thread(int *provided);
int nvshmemx_init_attr(unsigned int flags, nvshmemx_init_attr_t *attr);
int nvshmemx_hostlib_init_attr(unsigned int flags, nvshmemx_init_attr_t *attr);
int nvshmemx_init_status(void);
int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t *id);
int nvshmemx_set_attr_uniqueid_args(int rank, int ranks, const nvshmemx_uniqueid_t *id, nvshmemx_init_attr_t *attr);
int nvshmemx_set_attr_mpi_comm_args(void *comm, nvshmemx_init_attr_t *attr);
void nvshmem_finalize(void);
void nvshmemx_hostlib_finalize(void);
void nvshmem_global_exit(int status);

int nvshmem_my_pe(void);
int nvshmem_n_pes(void);
void nvshmem_info_get_version(int *major, int *minor);
void nvshmem_info_get_name(char *name);
void nvshmemx_vendor_get_version_info(int *major, int *minor, int *patch);
const char *nvshmemx_status_string(int status);

void *nvshmem_malloc(size_t bytes);
void *nvshmem_calloc(size_t count, size_t bytes);
void *nvshmem_align(size_t alignment, size_t bytes);
void nvshmem_free(void *at);
void *nvshmem_ptr(const void *at, int pe);
void *nvshmemx_mc_ptr(int team, const void *at);

void nvshmem_barrier_all(void);
void nvshmem_sync_all(void);
void nvshmem_quiet(void);
void nvshmem_fence(void);
void nvshmem_putmem(void *dest, const void *source, size_t bytes, int pe);
void nvshmem_getmem(void *dest, const void *source, size_t bytes, int pe);
void nvshmem_putmem_nbi(void *dest, const void *source, size_t bytes, int pe);
void nvshmem_getmem_nbi(void *dest, const void *source, size_t bytes, int pe);
