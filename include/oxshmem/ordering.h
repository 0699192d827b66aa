/* Fence and quiet: inline in a world whose PEs are all reached by loads and stores, where order depends on no queue; calls
 * otherwise. Meetings of warpgroups. Part of core.h. */
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
