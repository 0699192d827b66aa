/* NVSHMEM's interface for the host. */
#ifndef OXSHMEM_NVSHMEM_HOST_H
#define OXSHMEM_NVSHMEM_HOST_H
#include "oxshmem/private.h"
#include "oxshmem/host.h"
#endif
