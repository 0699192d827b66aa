/* NVSHMEM's interface for the host and, under a CUDA compiler, for the device. */
#ifndef OXSHMEM_NVSHMEM_H
#define OXSHMEM_NVSHMEM_H
#include "oxshmem/private.h"
#if !defined __CUDACC_RTC__ && !defined __NVSHMEM_NUMBA_SUPPORT__
#include "oxshmem/host.h"
#endif
#if defined __CUDACC__ && !defined NVSHMEM_HOSTLIB_ONLY
#include "oxshmem/toolkit.h"
#include "oxshmem/device.h"
#endif
#endif
