/* Put and get: inline where whole words go to or come from a load/store PE; calls otherwise. A call saves registers of each
 * thread, which costs a large block as much as a small copy. Part of core.h. */
#ifndef OXSHMEM_COPIES_H
#define OXSHMEM_COPIES_H

namespace oxshmem_c {

/* The threads that share a copy. */
struct by_thread {
    OXSHMEM_INLINE u32 rank() { return 0; }
    OXSHMEM_INLINE u32 size() { return 1; }
    OXSHMEM_INLINE void sync() {}
};
struct by_warp {
    OXSHMEM_INLINE u32 rank() {
        u32 lane;
        asm("mov.u32 %0, %%laneid;" : "=r"(lane));
        return lane;
    }
    OXSHMEM_INLINE u32 size() {
        const u32 thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        const u32 left = blockDim.x * blockDim.y * blockDim.z - (thread - rank());
        return left < 32 ? left : 32;
    }
    OXSHMEM_INLINE void sync() { __syncwarp((u32)(((u64)1 << size()) - 1)); }
};
struct by_block {
    OXSHMEM_INLINE u32 rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
    OXSHMEM_INLINE u32 size() { return blockDim.x * blockDim.y * blockDim.z; }
    OXSHMEM_INLINE void sync() { __syncthreads(); }
};

/* The owner of the memory that a copy reads. Loads from a peer are relaxed at system scope, because a line that this GPU
 * cached earlier may be old. */
enum owner { OWN, PEER };

/* ld or ld.relaxed.sys.global, and st, of 16, 8 and 4 bytes. */
struct unit {
    u64 low, high;
};
template <owner O>
OXSHMEM_INLINE unit load_as(const unit *at) {
    unit v;
    if (O == OWN) {
        asm volatile("ld.v2.u64 {%0, %1}, [%2];" : "=l"(v.low), "=l"(v.high) : "l"(at) : "memory");
    } else {
        asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];" : "=l"(v.low), "=l"(v.high) : "l"(at) : "memory");
    }
    return v;
}
template <owner O>
OXSHMEM_INLINE u64 load_as(const u64 *at) {
    if (O == PEER) return load(at);
    u64 v;
    asm volatile("ld.u64 %0, [%1];" : "=l"(v) : "l"(at) : "memory");
    return v;
}
template <owner O>
OXSHMEM_INLINE u32 load_as(const u32 *at) {
    if (O == PEER) return load(at);
    u32 v;
    asm volatile("ld.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
    return v;
}
OXSHMEM_INLINE void store_as(unit *at, unit v) {
    asm volatile("st.v2.u64 [%0], {%1, %2};" ::"l"(at), "l"(v.low), "l"(v.high) : "memory");
}
OXSHMEM_INLINE void store_as(u64 *at, u64 v) { asm volatile("st.u64 [%0], %1;" ::"l"(at), "l"(v) : "memory"); }
OXSHMEM_INLINE void store_as(u32 *at, u32 v) { asm volatile("st.u32 [%0], %1;" ::"l"(at), "r"(v) : "memory"); }

/* Loads of a thread before its first store. */
#define OXSHMEM_IN_FLIGHT 4
/* Threads of a block that keep the link busy with one load each. */
const u32 MANY = 512;

/* Copies by accesses of one size. Neighbouring threads take neighbouring words, and load several before they store. A large
 * block with few words for each thread stores each as early as possible, because the link is busy sooner. */
template <class G, owner O, class W>
OXSHMEM_INLINE void copy_as(char *to, const char *from, size_t bytes) {
    const size_t step = (size_t)G::size() * sizeof(W);
    size_t at = (size_t)G::rank() * sizeof(W);
    const auto read = [&](size_t k) { return load_as<O>(reinterpret_cast<const W *>(from + at + k * step)); };
    const auto write = [&](size_t k, W held) { store_as(reinterpret_cast<W *>(to + at + k * step), held); };
    if (O == OWN && G::size() >= MANY && bytes <= OXSHMEM_IN_FLIGHT * step) {
        for (; at < bytes; at += step) write(0, read(0));
        return;
    }
    for (; at + (OXSHMEM_IN_FLIGHT - 1) * step < bytes; at += OXSHMEM_IN_FLIGHT * step) {
        W held[OXSHMEM_IN_FLIGHT];
#pragma unroll
        for (int k = 0; k < OXSHMEM_IN_FLIGHT; ++k) held[k] = read(k);
#pragma unroll
        for (int k = 0; k < OXSHMEM_IN_FLIGHT; ++k) write(k, held[k]);
    }
    if (at >= bytes) return;
    const bool second = at + step < bytes, third = at + 2 * step < bytes;
    W held[3];
    held[0] = read(0);
    if (second) held[1] = read(1);
    if (third) held[2] = read(2);
    write(0, held[0]);
    if (second) write(1, held[1]);
    if (third) write(2, held[2]);
}

/* Copies by the widest accesses that fit both ends and the length; returns false if those have less than 4 bytes. */
template <class G, owner O>
OXSHMEM_INLINE bool copy(void *dest, const void *source, size_t bytes) {
    char *to = static_cast<char *>(dest);
    const char *from = static_cast<const char *>(source);
    const u32 ends = (u32)reinterpret_cast<u64>(to) | (u32)reinterpret_cast<u64>(from) | (u32)bytes;
    if (ends % 4 != 0) return false;
    if (ends % 16 == 0) {
        copy_as<G, O, unit>(to, from, bytes);
    } else if (ends % 8 == 0) {
        copy_as<G, O, u64>(to, from, bytes);
    } else {
        copy_as<G, O, u32>(to, from, bytes);
    }
    return true;
}

/* st.release.sys, red.release.sys: after all stores that the group's threads made before they met. */
OXSHMEM_INLINE void release_signal(u64 *word, u64 value, int op) {
    if (op == NVSHMEM_SIGNAL_ADD) {
        asm volatile("red.release.sys.global.add.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
    } else {
        asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
    }
}

#define OXSHMEM_COPIES(suffix, group)                                                                             \
    OXSHMEM_INLINE void put##suffix(void *dest, const void *source, size_t bytes, int pe, int qp, int nbi) {      \
        const u64 by = distance(pe);                                                                              \
        if (by != FAR && copy<group, OWN>(moved(dest, by), source, bytes)) {                                      \
            group::sync();                                                                                        \
        } else {                                                                                                  \
            oxshmem_put##suffix(dest, source, bytes, pe, qp, nbi);                                                \
        }                                                                                                         \
    }                                                                                                             \
    OXSHMEM_INLINE void get##suffix(void *dest, const void *source, size_t bytes, int pe, int qp, int nbi) {      \
        const u64 by = distance(pe);                                                                              \
        if (by == FAR || !copy<group, PEER>(dest, moved(source, by), bytes)) {                                    \
            oxshmem_get##suffix(dest, source, bytes, pe, qp, nbi);                                                \
        } else if (!nbi || bytes <= (size_t)group::size() * 64) {                                                 \
            group::sync();                                                                                        \
        }                                                                                                         \
    }                                                                                                             \
    OXSHMEM_INLINE void put_signal##suffix(void *dest, const void *source, size_t bytes, u64 *word, u64 value,    \
                                           int op, int pe, int qp, int nbi) {                                     \
        const u64 by = distance(pe);                                                                              \
        if (by == FAR || !copy<group, OWN>(moved(dest, by), source, bytes)) {                                     \
            oxshmem_put_signal##suffix(dest, source, bytes, word, value, op, pe, qp, nbi);                        \
            return;                                                                                               \
        }                                                                                                         \
        group::sync();                                                                                            \
        if (group::rank() == 0) release_signal(moved(word, by), value, op);                                       \
    }

OXSHMEM_COPIES(, by_thread)
OXSHMEM_COPIES(_warp, by_warp)
OXSHMEM_COPIES(_block, by_block)
#undef OXSHMEM_COPIES

}  // namespace oxshmem_c

#endif
