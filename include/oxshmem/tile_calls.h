/* The bodies of the tile interface's functions. Part of tile.h, for the device. */
#ifndef OXSHMEM_TILE_CALLS_H
#define OXSHMEM_TILE_CALLS_H

#include "core.h"
#include "tile_members.h"
#include "tile_shape.h"

namespace oxshmem_c {

/* The group of threads that make a call, with its meeting of a team's members. */
#define OXSHMEM_TILE_GROUP(name, suffix)                                                            \
    struct tile_##name : by_##name {                                                                \
        __device__ __forceinline__ int meet(nvshmem_team_t team, int complete) const {              \
            return oxshmem_meet##suffix(team, complete);                                            \
        }                                                                                           \
    };
OXSHMEM_TILE_GROUP(thread, )
OXSHMEM_TILE_GROUP(warp, _warp)
OXSHMEM_TILE_GROUP(block, _block)
#undef OXSHMEM_TILE_GROUP
struct tile_warpgroup : by_warpgroup {
    __device__ __forceinline__ int meet(nvshmem_team_t team, int complete) const {
        return meet_by_warpgroup(*this, team, complete);
    }
};

/* One access of memory that `O` owns; loads from peers do not take lines of L1. */
template <owner O, int BYTES>
OXSHMEM_INLINE typename tile_bits<BYTES>::type load_access(const char *at) {
    typedef typename tile_bits<BYTES>::type bits_t;
    if constexpr (BYTES == 16) {
        const unit v = load_unit<O>(reinterpret_cast<const unit *>(at));
        return {v.low, v.high};
    } else if constexpr (O == OWN) {
        return *reinterpret_cast<const bits_t *>(at);
    } else {
        return load(reinterpret_cast<const bits_t *>(at));
    }
}
template <int BYTES>
OXSHMEM_INLINE void store_access(char *at, typename tile_bits<BYTES>::type bits) {
    if constexpr (BYTES == 16) {
        store_unit(reinterpret_cast<unit *>(at), {bits.low, bits.high});
    } else {
        *reinterpret_cast<typename tile_bits<BYTES>::type *>(at) = bits;
    }
}

/* Memory of one owner that a tile comes from, and memory that it goes to. */
template <owner O, int N = 4>
struct from_one {
    static const int IN_FLIGHT = N;
    template <int BYTES>
    __device__ __forceinline__ void load(typename tile_bits<BYTES>::type (&held)[IN_FLIGHT],
                                         const char *const (&at)[IN_FLIGHT], int count) const {
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; ++i) {
            if (i < count) held[i] = load_access<O, BYTES>(at[i]);
        }
    }
};
struct to_one {
    template <int BYTES>
    __device__ __forceinline__ void store(char *at, typename tile_bits<BYTES>::type bits) const {
        store_access<BYTES>(at, bits);
    }
};

OXSHMEM_INLINE bool is_symmetric(const void *at) {
    return reinterpret_cast<u64>(at) - oxshmem_world.own < oxshmem_world.heap_bytes;
}

/* The members of a team. Without a team, or on a PE outside it, there is none. */
struct team_members {
    u32 count = 0, me = 0;

    __device__ __forceinline__ explicit team_members(nvshmem_team_t number) {
        if (number < 0 || (u64)number >= oxshmem_teams[1]) return;
        team = reinterpret_cast<const oxshmem_team_t *>(oxshmem_teams[0]) + number;
        count = team->n_pes;
        me = team->me;
        if ((team->flags & OXSHMEM_TEAM_UNIFORM) == 0 || oxshmem_world.bases != 0) return;
        at_stride = true;
        /* The stride may be negative. */
        apart = oxshmem_world.stride * (u64)(int64_t)(int32_t)team->stride;
        first = oxshmem_world.heap + oxshmem_world.stride * team->first - oxshmem_world.own;
    }

    /* Whether every member reaches every other one by loads and stores. */
    __device__ __forceinline__ bool all_near() const {
        return is_near() || (team->flags & OXSHMEM_TEAM_LOAD_STORE) != 0;
    }

    __device__ __forceinline__ u32 pe(u32 member) const {
        if ((team->flags & OXSHMEM_TEAM_UNIFORM) != 0) return team->first + member * team->stride;
        return *reinterpret_cast<const u32 *>(team->members + (u64)member * OXSHMEM_MEMBER_BYTES);
    }

    template <int BYTES>
    __device__ __forceinline__ typename tile_bits<BYTES>::type load(const char *at, u32 member) const {
        return load_access<PEER, BYTES>(moved(at, away(member)));
    }
    template <int BYTES>
    __device__ __forceinline__ void store(char *at, u32 member, typename tile_bits<BYTES>::type bits) const {
        store_access<BYTES>(moved(at, away(member)), bits);
    }

  private:
    const oxshmem_team_t *team = nullptr;
    /* The distances to the members' memory, if these differ by the same number. */
    bool at_stride = false;
    u64 first = 0, apart = 0;

    /* The distance to the memory of a load/store member. */
    __device__ __forceinline__ u64 away(u32 member) const {
        if (at_stride) return first + member * apart;
        return distance((int)pe(member));
    }
};

/* What every call demands of its tensors. */
template <class Src, class Dst>
OXSHMEM_INLINE bool are_right(const Src &src, const Dst &dst, u64 flag) {
    typedef typename Src::value_type T;
    static_assert(cuda::std::is_same<T, typename Dst::value_type>::value, "both tensors have one type of elements");
    static_assert(sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0, "an element has 1, 2, 4 or 8 bytes");
    return src.data() != nullptr && dst.data() != nullptr && flag == 0;
}

/* Starts to copy the rows to or from a PE by the library, which reaches every one: each thread takes some of them. */
template <bool PUT, class T, class G>
OXSHMEM_INLINE void copy_rows(const G &group, const tile_rows &tile, T *dst, const T *src, int pe) {
    const u32 plane = tile.planes[1] * tile.planes[2], all = tile.count * tile.planes[0] * plane;
    for (u32 index = group.rank; index < all && tile.length != 0; index += group.size) {
        const u32 row = index % tile.count, i = index / tile.count;
        const u32 p0 = i / plane, p1 = i / tile.planes[2] % tile.planes[1], p2 = i % tile.planes[2];
        const T *from = src + distance_of(row, tile.src_row) + tile.src_at(p0, p1, p2);
        T *to = dst + distance_of(row, tile.dst_row) + tile.dst_at(p0, p1, p2);
        if (tile.is_packed()) {
            const size_t bytes = tile.length * sizeof(T);
            if constexpr (PUT) oxshmem_put(to, from, bytes, pe, NVSHMEMX_QP_DEFAULT, 1);
            if constexpr (!PUT) oxshmem_get(to, from, bytes, pe, NVSHMEMX_QP_DEFAULT, 1);
        } else {
            if constexpr (PUT) oxshmem_iput(to, from, tile.dst_step, tile.src_step, tile.length, sizeof(T), pe);
            if constexpr (!PUT) oxshmem_iget(to, from, tile.dst_step, tile.src_step, tile.length, sizeof(T), pe);
        }
    }
}

template <bool PUT, class G, class Src, class Dst, class Coord>
OXSHMEM_INLINE int copy_tile(const G &group, const Src &src, const Dst &dst, const Coord &start, const Coord &boundary,
                             int pe, u64 flag) {
    const void *symmetric = PUT ? (const void *)dst.data() : (const void *)src.data();
    if (!are_right(src, dst, flag) || size_of(src) != size_of(dst) || (u32)pe >= oxshmem_world.n_pes ||
        !is_symmetric(symmetric)) {
        return NVSHMEMX_ERROR_INVALID_VALUE;
    }
    const tile_rows tile = rows_of(src, dst, start, boundary);
    group.sync();
    if (!is_near() && !reaches(pe)) {
        copy_rows<PUT>(group, tile, dst.data(), src.data(), pe);
    } else if (PUT) {
        move_tile(group, tile, src.data(), moved(dst.data(), distance(pe)), from_one<OWN>(), to_one());
    } else {
        move_tile(group, tile, moved(src.data(), distance(pe)), dst.data(), from_one<PEER>(), to_one());
    }
    group.sync();
    return NVSHMEMX_SUCCESS;
}
template <nvshmemx::tile_algo_t algo, class G, class Src, class Dst, class Coord>
OXSHMEM_INLINE int tile_put(const G &group, const Src &src, const Dst &dst, const Coord &start, const Coord &boundary,
                            int pe, u64 flag) {
    static_assert(algo == nvshmemx::PEER_PUSH_NBI || algo == nvshmemx::REMOTE_PUSH_NBI, "no way of a put");
    return copy_tile<true>(group, src, dst, start, boundary, pe, flag);
}
template <nvshmemx::tile_algo_t algo, class G, class Src, class Dst, class Coord>
OXSHMEM_INLINE int tile_get(const G &group, const Src &src, const Dst &dst, const Coord &start, const Coord &boundary,
                            int pe, u64 flag) {
    static_assert(algo == nvshmemx::PEER_PULL_NBI || algo == nvshmemx::REMOTE_PULL_NBI, "no way of a get");
    return copy_tile<false>(group, src, dst, start, boundary, pe, flag);
}

/* Reduces the members' tiles. `root`: the member that does so, or -1 for each of them. `to_all`: it writes to all. */
template <class Op, class G, class Src, class Dst, class Coord>
OXSHMEM_INLINE int reduce_tiles(const G &group, nvshmem_team_t team, const Src &src, const Dst &dst,
                                const Coord &start, const Coord &boundary, int root, bool to_all, u64 flag) {
    typedef typename Src::value_type T;
    const team_members members(team);
    if (!are_right(src, dst, flag) || size_of(src) != size_of(dst) || members.count == 0 ||
        root >= (int)members.count || !is_symmetric(src.data()) || (to_all && !is_symmetric(dst.data()))) {
        return NVSHMEMX_ERROR_INVALID_VALUE;
    }
    if (!members.all_near()) return NVSHMEMX_ERROR_NOT_SUPPORTED;
    if (group.meet(team, 0) != 0) return NVSHMEMX_ERROR_INTERNAL;
    if (root >= 0 && (u32)root != members.me) return NVSHMEMX_SUCCESS;
    const tile_rows tile = rows_of(src, dst, start, boundary);
    const from_members<T, Op, team_members> from = {members};
    if (to_all) {
        move_tile(group, tile, src.data(), dst.data(), from, to_members<team_members>{members});
    } else {
        move_tile(group, tile, src.data(), dst.data(), from, to_one());
    }
    return NVSHMEMX_SUCCESS;
}
template <nvshmemx::tile_coll_algo_t algo, class Op, class G, class Src, class Dst, class Coord>
OXSHMEM_INLINE int tile_allreduce(const G &group, nvshmem_team_t team, const Src &src, const Dst &dst,
                                  const Coord &start, const Coord &boundary, int root, u64 flag) {
    static_assert(algo == nvshmemx::NVLS_ONE_SHOT_PULL_NBI || algo == nvshmemx::NVLS_TWO_SHOT_PUSH_NBI,
                  "an all-reduce pulls by one shot or pushes by two");
    constexpr bool to_all = algo == nvshmemx::NVLS_TWO_SHOT_PUSH_NBI;
    if (to_all && root < 0) return NVSHMEMX_ERROR_INVALID_VALUE;
    return reduce_tiles<Op>(group, team, src, dst, start, boundary, to_all ? root : -1, to_all, flag);
}
template <nvshmemx::tile_coll_algo_t algo, class Op, class G, class Src, class Dst, class Coord>
OXSHMEM_INLINE int tile_reduce(const G &group, nvshmem_team_t team, const Src &src, const Dst &dst,
                               const Coord &start, const Coord &boundary, int root, u64 flag) {
    static_assert(algo == nvshmemx::NVLS_ONE_SHOT_PULL_NBI, "a reduction to a root pulls by one shot");
    if (root < 0) return NVSHMEMX_ERROR_INVALID_VALUE;
    return reduce_tiles<Op>(group, team, src, dst, start, boundary, root, false, flag);
}

/* Writes a tile to the same memory of all members. */
template <class G, class Src, class Dst, class Coord>
OXSHMEM_INLINE int send_tile(const G &group, const team_members &members, const Src &src, const Dst &dst,
                             const Coord &start, const Coord &boundary) {
    const tile_rows tile = rows_of(src, dst, start, boundary);
    group.sync();
    if (members.all_near()) {
        move_tile(group, tile, src.data(), dst.data(), from_one<OWN, 2>(), to_members<team_members>{members});
        return NVSHMEMX_SUCCESS;
    }
#pragma unroll 1
    for (u32 member = 0; member < members.count; ++member) {
        copy_rows<true>(group, tile, dst.data(), src.data(), (int)members.pe(member));
    }
    return NVSHMEMX_SUCCESS;
}
template <nvshmemx::tile_coll_algo_t algo, class G, class Src, class Dst, class Coord>
OXSHMEM_INLINE int tile_allgather(const G &group, nvshmem_team_t team, const Src &src, const Dst &dst,
                                  const Coord &start, const Coord &boundary, u64 flag) {
    static_assert(algo == nvshmemx::NVLS_ONE_SHOT_PUSH_NBI, "an all-gather pushes by one shot");
    const team_members members(team);
    if (!are_right(src, dst, flag) || members.count == 0 || !is_symmetric(dst.data()) ||
        size_of(src) * members.count != size_of(dst)) {
        return NVSHMEMX_ERROR_INVALID_VALUE;
    }
    const Dst mine(dst.data() + place_of(src, dst, members.me), dst.layout());
    return send_tile(group, members, src, mine, start, boundary);
}
template <nvshmemx::tile_coll_algo_t algo, class G, class Src, class Dst, class Coord>
OXSHMEM_INLINE int tile_broadcast(const G &group, nvshmem_team_t team, const Src &src, const Dst &dst,
                                  const Coord &start, const Coord &boundary, u64 flag) {
    static_assert(algo == nvshmemx::NVLS_ONE_SHOT_PUSH_NBI, "a broadcast pushes by one shot");
    const team_members members(team);
    if (!are_right(src, dst, flag) || members.count == 0 || !is_symmetric(dst.data())) {
        return NVSHMEMX_ERROR_INVALID_VALUE;
    }
    return send_tile(group, members, src, dst, start, boundary);
}

/* fence.acq_rel.gpu; or a barrier of the team, which completes the group's stores. */
template <nvshmemx::tile_coll_algo_t algo, class G>
OXSHMEM_INLINE int tile_wait(const G &group, nvshmem_team_t team, u64 flag) {
    static_assert(algo == nvshmemx::NVLS_ONE_SHOT_PULL_NBI || algo == nvshmemx::NVLS_ONE_SHOT_PUSH_NBI ||
                      algo == nvshmemx::NVLS_TWO_SHOT_PUSH_NBI,
                  "no collective has this way");
    if (flag != 0) return NVSHMEMX_ERROR_INVALID_VALUE;
    if constexpr (algo == nvshmemx::NVLS_ONE_SHOT_PULL_NBI) {
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        group.sync();
        return NVSHMEMX_SUCCESS;
    } else {
        return group.meet(team, 1) == 0 ? NVSHMEMX_SUCCESS : NVSHMEMX_ERROR_INTERNAL;
    }
}

}  // namespace oxshmem_c

#endif
