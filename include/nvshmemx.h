/* NVSHMEM's extensions, which nvshmem.h has too. */
#ifndef OXSHMEM_NVSHMEMX_H
#define OXSHMEM_NVSHMEMX_H
#include "nvshmem.h"
#endif
