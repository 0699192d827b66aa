/* NVSHMEM's extensions, which nvshmem.h has too, and the tile interface, for C++17 with the library of CUDA's C++. */
#ifndef OXSHMEM_NVSHMEMX_H
#define OXSHMEM_NVSHMEMX_H
#include "nvshmem.h"
#if defined __cplusplus
#if __cplusplus >= 201703L && __has_include(<cuda/std/tuple>)
#include "oxshmem/tile.h"
#endif
#endif
#endif
