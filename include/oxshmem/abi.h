/* Made by `cargo xtask capi --headers`. */
/* The state of a world, and a team, as the host library writes them (`hal/raw/src/state`). */
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

typedef struct {
    uint64_t members;
    uint64_t area;
    uint32_t n_pes;
    uint32_t me;
    uint32_t first;
    uint32_t stride;
    uint32_t slots;
    uint32_t payload;
    uint32_t flags;
    uint32_t number;
    uint32_t first_slot;
    uint32_t slot_bytes;
    uint32_t packets_at;
    uint32_t half_bytes;
} oxshmem_team_t;

#define OXSHMEM_TEAM_UNIFORM 1u
#define OXSHMEM_TEAM_LOAD_STORE 2u
#define OXSHMEM_TEAM_STARTED 128u
#define OXSHMEM_MEMBER_BYTES 16u

#if defined __cplusplus && !defined __CUDACC_RTC__
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
static_assert(sizeof(oxshmem_team_t) == 64, "size");
static_assert(offsetof(oxshmem_team_t, members) == 0, "members");
static_assert(offsetof(oxshmem_team_t, area) == 8, "area");
static_assert(offsetof(oxshmem_team_t, n_pes) == 16, "n_pes");
static_assert(offsetof(oxshmem_team_t, me) == 20, "me");
static_assert(offsetof(oxshmem_team_t, first) == 24, "first");
static_assert(offsetof(oxshmem_team_t, stride) == 28, "stride");
static_assert(offsetof(oxshmem_team_t, slots) == 32, "slots");
static_assert(offsetof(oxshmem_team_t, payload) == 36, "payload");
static_assert(offsetof(oxshmem_team_t, flags) == 40, "flags");
static_assert(offsetof(oxshmem_team_t, number) == 44, "number");
static_assert(offsetof(oxshmem_team_t, first_slot) == 48, "first_slot");
static_assert(offsetof(oxshmem_team_t, slot_bytes) == 52, "slot_bytes");
static_assert(offsetof(oxshmem_team_t, packets_at) == 56, "packets_at");
static_assert(offsetof(oxshmem_team_t, half_bytes) == 60, "half_bytes");
#endif

#endif
