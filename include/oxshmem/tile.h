/* NVSHMEM's tile interface: put, get and collectives of tiles, over loads and stores to the peers' memory. C++17; part
 * of nvshmemx.h. Functions are for the device; the host's pass of the compiler sees their declarations. */
#ifndef OXSHMEM_TILE_H
#define OXSHMEM_TILE_H

#include "tensor.h"

#if defined __CUDACC__ && !defined NVSHMEM_HOSTLIB_ONLY

#if defined __CUDA_ARCH__
#include "tile_calls.h"
#define OXSHMEM_TILE_CALL __device__ __forceinline__
#define OXSHMEM_TILE_BODY(...) \
    { return oxshmem_c::__VA_ARGS__; }
#else
#define OXSHMEM_TILE_CALL __device__
#define OXSHMEM_TILE_BODY(...) ;
#endif

namespace nvshmemx {

/* `start_coord` is the coordinate of the tile's first element. Elements whose coordinate is not less than `boundary` in
 * each dimension are left out; with the empty tuple none is. `flag` is 0. Results: NVSHMEMX_SUCCESS, or
 * NVSHMEMX_ERROR_INVALID_VALUE for wrong arguments; of collectives also NVSHMEMX_ERROR_NOT_SUPPORTED for reductions by
 * teams with remote members, and NVSHMEMX_ERROR_INTERNAL after a fault. */

/* Starts to copy a tile to or from a PE. A quiet completes it. */
#define OXSHMEM_TILE_RMA(name, suffix, threads)                                                                       \
    template <typename src_tensor_t, typename dst_tensor_t, typename tuple_t, tile_algo_t algo>                       \
    OXSHMEM_TILE_CALL int tile_##name##suffix(src_tensor_t src, dst_tensor_t dst, tuple_t start_coord,                \
                                             tuple_t boundary, int pe, uint64_t flag)                                 \
        OXSHMEM_TILE_BODY(tile_##name<algo>(threads(), src, dst, start_coord, boundary, pe, flag))

/* Reduces the tiles of all members, after all have called it: at each member (one shot), or at `root`, which writes the
 * result to all members (two shots). */
#define OXSHMEM_TILE_REDUCE(op, suffix, threads)                                                                      \
    template <typename src_tensor_t, typename dst_tensor_t, typename tuple_t, tile_coll_algo_t algo>                  \
    OXSHMEM_TILE_CALL int tile_##op##_reduce##suffix(nvshmem_team_t team, src_tensor_t src, dst_tensor_t dst,         \
                                                    tuple_t start_coord, tuple_t boundary, int root, uint64_t flag)   \
        OXSHMEM_TILE_BODY(tile_allreduce<algo, oxshmem_c::tile_##op>(threads(), team, src, dst, start_coord,          \
                                                                     boundary, root, flag))                           \
    template <typename src_tensor_t, typename dst_tensor_t, typename tuple_t, tile_coll_algo_t algo>                  \
    OXSHMEM_TILE_CALL int tile_##op##_reduce##suffix(nvshmem_team_t team, src_tensor_t src, dst_tensor_t dst,         \
                                                    tuple_t start_coord, tuple_t boundary, uint64_t flag)             \
        OXSHMEM_TILE_BODY(tile_allreduce<algo, oxshmem_c::tile_##op>(threads(), team, src, dst, start_coord,          \
                                                                     boundary, -1, flag))                             \
    /* Reduces them at `root` alone, into its destination. */                                                         \
    template <typename src_tensor_t, typename dst_tensor_t, typename tuple_t, tile_coll_algo_t algo>                  \
    OXSHMEM_TILE_CALL int tile_##op##_rooted_reduce##suffix(nvshmem_team_t team, src_tensor_t src,                    \
                                                           dst_tensor_t dst, tuple_t start_coord,                     \
                                                           tuple_t boundary, int root, uint64_t flag)                 \
        OXSHMEM_TILE_BODY(tile_reduce<algo, oxshmem_c::tile_##op>(threads(), team, src, dst, start_coord,             \
                                                                  boundary, root, flag))

/* Writes this member's tile to all members: to its place in their destination (all-gather), or to the destination. */
#define OXSHMEM_TILE_SEND(name, suffix, threads)                                                                      \
    template <typename src_tensor_t, typename dst_tensor_t, typename tuple_t, tile_coll_algo_t algo>                  \
    OXSHMEM_TILE_CALL int tile_##name##suffix(nvshmem_team_t team, src_tensor_t src, dst_tensor_t dst,                \
                                             tuple_t start_coord, tuple_t boundary, uint64_t flag)                    \
        OXSHMEM_TILE_BODY(tile_##name<algo>(threads(), team, src, dst, start_coord, boundary, flag))

/* Completes collectives of this way. After a push all members have called it, and each sees the results; after a pull
 * this PE's group sees its own, and the sources are in use until the other members have come this far. */
#define OXSHMEM_TILE_WAIT(suffix, threads)                                                                            \
    template <tile_coll_algo_t algo>                                                                                  \
    OXSHMEM_TILE_CALL int tile_collective_wait##suffix(nvshmem_team_t team, uint64_t flag)                            \
        OXSHMEM_TILE_BODY(tile_wait<algo>(threads(), team, flag))

#define OXSHMEM_TILE_SCOPE(suffix, threads)                                                                           \
    OXSHMEM_TILE_RMA(put, suffix, threads)                                                                            \
    OXSHMEM_TILE_RMA(get, suffix, threads)                                                                            \
    OXSHMEM_TILE_REDUCE(sum, suffix, threads)                                                                         \
    OXSHMEM_TILE_REDUCE(max, suffix, threads)                                                                         \
    OXSHMEM_TILE_REDUCE(min, suffix, threads)                                                                         \
    OXSHMEM_TILE_SEND(allgather, suffix, threads)                                                                     \
    OXSHMEM_TILE_SEND(broadcast, suffix, threads)                                                                     \
    OXSHMEM_TILE_WAIT(suffix, threads)

OXSHMEM_TILE_SCOPE(, oxshmem_c::tile_thread)
OXSHMEM_TILE_SCOPE(_warp, oxshmem_c::tile_warp)
OXSHMEM_TILE_SCOPE(_warpgroup, oxshmem_c::tile_warpgroup)
OXSHMEM_TILE_SCOPE(_block, oxshmem_c::tile_block)

#undef OXSHMEM_TILE_SCOPE
#undef OXSHMEM_TILE_WAIT
#undef OXSHMEM_TILE_SEND
#undef OXSHMEM_TILE_REDUCE
#undef OXSHMEM_TILE_RMA
#undef OXSHMEM_TILE_BODY
#undef OXSHMEM_TILE_CALL

}  // namespace nvshmemx

#endif
#endif
