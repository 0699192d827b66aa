/* Functions of the host library beyond NVSHMEM's. */
#ifndef OXSHMEM_H
#define OXSHMEM_H
#include "nvshmem.h"

#if !defined __CUDACC_RTC__
OXSHMEM_BEGIN_C
/* Launches a kernel by its CUfunction, with all blocks resident at once. A grid of no blocks is the largest one. */
int oxshmem_collective_launch(void *function, dim3 grid, dim3 block, void **args, size_t shared_bytes, void *stream);
/* Gives the largest grid of such a launch. */
int oxshmem_collective_launch_query_gridsize(void *function, dim3 block, size_t shared_bytes, int *grid_size);
/* Streams of host PEs, which stand for CUDA's streams in calls of this library. */
int oxshmem_stream_create(void **stream);
int oxshmem_stream_synchronize(void *stream);
int oxshmem_stream_destroy(void *stream);
OXSHMEM_END_C
#endif
#endif
