/* Made by `cargo xtask capi --headers`. */
/* The state of a world, as the host library writes it (`hal/raw/src/state`). */
#ifndef OXSHMEM_ABI_H
#define OXSHMEM_ABI_H

#include "platform.h"

typedef struct {
    uint64_t heap;
    uint64_t stride;
    uint64_t heap_bytes;
    uint64_t own;
    uint64_t bases;
    uint64_t local;
    uint64_t notice;
    uint64_t fault;
    uint64_t wait_limit_ns;
    uint32_t my_pe;
    uint32_t n_pes;
    uint64_t paths[3][2];
    uint64_t path_bits;
    uint64_t path_table;
    uint16_t path_numbers;
    uint16_t uniform;
    uint32_t default_rows;
    uint32_t map_by;
    uint32_t reserved;
} oxshmem_world_t;

#if defined __cplusplus
static_assert(sizeof(oxshmem_world_t) == 160, "size");
static_assert(offsetof(oxshmem_world_t, heap) == 0, "heap");
static_assert(offsetof(oxshmem_world_t, stride) == 8, "stride");
static_assert(offsetof(oxshmem_world_t, heap_bytes) == 16, "heap_bytes");
static_assert(offsetof(oxshmem_world_t, own) == 24, "own");
static_assert(offsetof(oxshmem_world_t, bases) == 32, "bases");
static_assert(offsetof(oxshmem_world_t, local) == 40, "local");
static_assert(offsetof(oxshmem_world_t, notice) == 48, "notice");
static_assert(offsetof(oxshmem_world_t, fault) == 56, "fault");
static_assert(offsetof(oxshmem_world_t, wait_limit_ns) == 64, "wait_limit_ns");
static_assert(offsetof(oxshmem_world_t, my_pe) == 72, "my_pe");
static_assert(offsetof(oxshmem_world_t, n_pes) == 76, "n_pes");
static_assert(offsetof(oxshmem_world_t, paths) == 80, "paths");
static_assert(offsetof(oxshmem_world_t, path_bits) == 128, "path_bits");
static_assert(offsetof(oxshmem_world_t, path_table) == 136, "path_table");
static_assert(offsetof(oxshmem_world_t, path_numbers) == 144, "path_numbers");
static_assert(offsetof(oxshmem_world_t, uniform) == 146, "uniform");
static_assert(offsetof(oxshmem_world_t, default_rows) == 148, "default_rows");
static_assert(offsetof(oxshmem_world_t, map_by) == 152, "map_by");
static_assert(offsetof(oxshmem_world_t, reserved) == 156, "reserved");
#endif

#endif
