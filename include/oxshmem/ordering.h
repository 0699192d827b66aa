/* Fence and quiet: inline in a uniform world, where order depends on no queue; calls otherwise. Meetings of warpgroups.
 * Part of core.h. */
#ifndef OXSHMEM_ORDERING_H
#define OXSHMEM_ORDERING_H

namespace oxshmem_c {

/* A fence is cumulative: the leader's covers the stores of all threads that it has met, and no thread goes on before it.
 * A list of one queue is passed by a copy, so that the caller's variable stays in a register where nothing is called. */
#define OXSHMEM_ORDER(name, instruction, suffix, threads)                 \
    OXSHMEM_INLINE void name##suffix(int pe, const int *qps, int count) { \
        if (is_near()) {                                                  \
            const threads group;                                          \
            group.sync();                                                 \
            if (group.rank == 0) asm volatile(instruction ";" ::: "memory"); \
            group.sync();                                                 \
        } else if (count == 1) {                                          \
            const int qp = *qps;                                          \
            oxshmem_##name##suffix(pe, &qp, 1);                           \
        } else {                                                          \
            oxshmem_##name##suffix(pe, qps, count);                       \
        }                                                                 \
    }                                                                     \
    OXSHMEM_INLINE void name##suffix() {                                  \
        const int all = NVSHMEMX_QP_ALL;                                  \
        name##suffix(NVSHMEMX_PE_ALL, &all, 1);                           \
    }
#define OXSHMEM_ORDERS(suffix, threads)                         \
    OXSHMEM_ORDER(fence, "fence.acq_rel.sys", suffix, threads)  \
    OXSHMEM_ORDER(quiet, "fence.sc.sys", suffix, threads)

OXSHMEM_ORDERS(, by_thread)
OXSHMEM_ORDERS(_warp, by_warp)
OXSHMEM_ORDERS(_block, by_block)
#undef OXSHMEM_ORDERS
#undef OXSHMEM_ORDER

/* Meets the members of a team, or all PEs; with `complete`, the group's operations are complete before. In a uniform world
 * one warp calls for a block, since a call saves registers of each thread; its fence is cumulative, too. */
OXSHMEM_INLINE int meet(nvshmem_team_t team, int complete) { return oxshmem_meet(team, complete); }
OXSHMEM_INLINE int meet_warp(nvshmem_team_t team, int complete) { return oxshmem_meet_warp(team, complete); }
OXSHMEM_INLINE int meet_block(nvshmem_team_t team, int complete) {
    if (!is_near()) return oxshmem_meet_block(team, complete);
    __syncthreads();
    return __syncthreads_or(thread_number() < 32 ? oxshmem_meet_warp(team, complete) : 0);
}
OXSHMEM_INLINE void meet_all(int complete) { oxshmem_meet_all(complete); }
OXSHMEM_INLINE void meet_all_warp(int complete) { oxshmem_meet_all_warp(complete); }
OXSHMEM_INLINE void meet_all_block(int complete) {
    if (!is_near()) return oxshmem_meet_all_block(complete);
    __syncthreads();
    if (thread_number() < 32) oxshmem_meet_all_warp(complete);
    __syncthreads();
}

/* Meets a team's members; the result is the leader's. */
OXSHMEM_INLINE int meet_by_warpgroup(const by_warpgroup &group, nvshmem_team_t team, int complete) {
    int ended = 0;
    group.sync();
    if (group.rank == 0) ended = oxshmem_meet(team, complete);
    group.sync();
    return ended;
}
OXSHMEM_INLINE int barrier_warpgroup(nvshmem_team_t team) { return meet_by_warpgroup(by_warpgroup(), team, 1); }

}  // namespace oxshmem_c

#endif
