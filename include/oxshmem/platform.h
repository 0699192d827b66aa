/* What the headers need of the compiler and of CUDA. A C program without the CUDA toolkit gets the few names that the
 * interface mentions. */
#ifndef OXSHMEM_PLATFORM_H
#define OXSHMEM_PLATFORM_H

#if defined __CUDACC_RTC__
#include <cuda/std/climits>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#else
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
/* Programs rely on NVSHMEM's headers for these. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif

#if defined __cplusplus
#define OXSHMEM_BEGIN_C extern "C" {
#define OXSHMEM_END_C }
#else
#define OXSHMEM_BEGIN_C
#define OXSHMEM_END_C
#endif

#if defined __CUDACC__
#define OXSHMEM_BOTH __host__ __device__
#else
#define OXSHMEM_BOTH
#endif

/* CUDA's headers of these types are for C++. */
#if defined __CUDACC__ || (defined __cplusplus && __has_include(<cuda_fp16.h>))
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#else
typedef struct {
    unsigned short x;
} __half;
typedef struct {
    unsigned short x;
} __nv_bfloat16;
typedef __half half;
#endif

#if !defined __CUDACC_RTC__
#if __has_include(<cuda_runtime.h>) && __has_include(<cuda.h>)
#include <cuda.h>
#include <cuda_runtime.h>
typedef struct nvshmemx_collective_launch_attr {
    cudaLaunchConfig_t cuda_config;
} nvshmemx_collective_launch_attr_t;
#else
typedef struct CUstream_st *cudaStream_t;
typedef struct CUmod_st *CUmodule;
typedef struct CUlib_st *CUlibrary;
typedef struct dim3 {
    unsigned int x, y, z;
} dim3;
typedef struct double2 {
    double x, y;
} double2;
typedef struct nvshmemx_collective_launch_attr nvshmemx_collective_launch_attr_t;
#endif
#endif

#endif
