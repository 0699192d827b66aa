/* Put and get: inline where whole units of 16 bytes, or a few words, go to or come from a load/store PE; calls otherwise,
 * by words where both ends allow it. A call saves registers of each thread, which costs a large block as much as a small
 * copy. Part of core.h. */
#ifndef OXSHMEM_COPIES_H
#define OXSHMEM_COPIES_H

namespace oxshmem_c {

/* The threads that share a copy: the number of this one, and how many they are. */
struct by_thread {
    const u32 rank = 0, size = 1;
    __device__ __forceinline__ void sync() const {}
    __device__ __forceinline__ void copy_words(void *to, const void *from, size_t bytes, int of_peer) const {
        oxshmem_copy_words(to, from, bytes, of_peer);
    }
};
struct by_warp {
    const u32 rank = lane(), size = lanes(rank);
    /* A mask that is not known to be full costs a vote. */
    __device__ __forceinline__ void sync() const {
        if (size == 32) {
            __syncwarp();
        } else {
            __syncwarp(~0u >> (32 - size));
        }
    }
    __device__ __forceinline__ void copy_words(void *to, const void *from, size_t bytes, int of_peer) const {
        oxshmem_copy_words_warp(to, from, bytes, of_peer);
    }

  private:
    OXSHMEM_INLINE u32 lane() {
        u32 lane;
        asm("mov.u32 %0, %%laneid;" : "=r"(lane));
        return lane;
    }
    /* The last warp of a block may have fewer threads. */
    OXSHMEM_INLINE u32 lanes(u32 lane) {
        const u32 threads = blockDim.x * blockDim.y * blockDim.z;
        if (threads % 32 == 0) return 32;
        const u32 thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        const u32 left = threads - (thread - lane);
        return left < 32 ? left : 32;
    }
};
/* Four warps, the first of them with a number divisible by four. Barriers 8 to 15 of the block are theirs. */
struct by_warpgroup {
    const u32 rank = thread() % 128, size = 128;
    __device__ __forceinline__ void sync() const {
        asm volatile("bar.sync %0, 128;" ::"r"(8 + thread() / 128) : "memory");
    }

  private:
    OXSHMEM_INLINE u32 thread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
};
struct by_block {
    const u32 rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const u32 size = blockDim.x * blockDim.y * blockDim.z;
    __device__ __forceinline__ void sync() const { __syncthreads(); }
    __device__ __forceinline__ void copy_words(void *to, const void *from, size_t bytes, int of_peer) const {
        oxshmem_copy_words_block(to, from, bytes, of_peer);
    }
};

/* The owner of the memory that a copy reads. Loads from a peer are relaxed at system scope, because a line that this GPU
 * cached earlier may be old. */
enum owner { OWN, PEER };

/* ld.v2.u64 or ld.relaxed.sys.global.v2.u64, and st.v2.u64. */
struct unit {
    u64 low, high;
};
template <owner O>
OXSHMEM_INLINE unit load_unit(const unit *at) {
    unit v;
    if (O == OWN) {
        asm volatile("ld.v2.u64 {%0, %1}, [%2];" : "=l"(v.low), "=l"(v.high) : "l"(at) : "memory");
    } else {
        asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];" : "=l"(v.low), "=l"(v.high) : "l"(at) : "memory");
    }
    return v;
}
OXSHMEM_INLINE void store_unit(unit *at, unit v) {
    asm volatile("st.v2.u64 [%0], {%1, %2};" ::"l"(at), "l"(v.low), "l"(v.high) : "memory");
}

/* The value, about which the compiler then knows nothing: it keeps no multiples of it in registers throughout a program's
 * loop. */
OXSHMEM_INLINE u32 opaque(u32 value) {
    u32 same;
    asm volatile("mov.u32 %0, %1;" : "=r"(same) : "r"(value));
    return same;
}

/* Threads of a block that keep the link busy with one load each, if each makes a small copy of its own: a unit is then
 * stored as soon as it is loaded. */
const u32 MANY = 512;

/* Copies up to so many bytes by words of 8 or 4 bytes. This PE's end may be in any memory, also that of a thread's own stack. */
const size_t FEW = 96;
/* Bytes for each thread of a copy in which saving registers for a call costs more than the call gains. */
const u32 SAVED = 256;
template <owner O, class W, class G>
OXSHMEM_INLINE void copy_words(const G &group, char *to, const char *from, size_t bytes) {
    for (u32 at = group.rank * (u32)sizeof(W); at < bytes; at += group.size * (u32)sizeof(W)) {
        W *out = reinterpret_cast<W *>(to + at);
        const W *in = reinterpret_cast<const W *>(from + at);
        *out = O == OWN ? *in : load(in);
    }
}

/* Copies whole units of 16 bytes, or words; returns false for other ends and lengths. Neighbouring threads take
 * neighbouring units; each loads up to four before it stores. Long copies by accesses of other sizes here would double the
 * registers of a kernel. */
template <owner O, class G>
OXSHMEM_INLINE bool copy(const G &group, void *dest, const void *source, size_t bytes) {
    char *to = static_cast<char *>(dest);
    const char *from = static_cast<const char *>(source);
    const u32 ends = (u32)reinterpret_cast<u64>(to) | (u32)reinterpret_cast<u64>(from) | (u32)bytes;
    /* At most a word for each thread of one warp: most of the time is that of the instructions before its store. */
    if (ends % 8 == 0 && bytes <= 8 * (group.size < 32 ? group.size : 32)) {
        if (group.rank * 8 < bytes) {
            u64 *out = reinterpret_cast<u64 *>(to) + group.rank;
            const u64 *in = reinterpret_cast<const u64 *>(from) + group.rank;
            *out = O == OWN ? *in : load(in);
        }
        return true;
    }
    if (ends % sizeof(unit) != 0) {
        if (ends % 4 != 0) return false;
        /* So many threads keep a link busy with a word each. A call would save the registers of all of them. */
        const bool by_many = O == OWN && ends % 8 == 0 && group.size >= MANY && bytes <= SAVED * (size_t)group.size;
        if (bytes > FEW && !by_many) {
            group.copy_words(to, from, bytes, O == PEER);
        } else if (ends % 8 == 0) {
            copy_words<O, u64>(group, to, from, bytes);
        } else {
            copy_words<O, u32>(group, to, from, bytes);
        }
        return true;
    }
    if (O == OWN && group.size == 1 && bytes <= 4 * sizeof(unit) && by_block().size >= MANY) {
        for (u32 at = 0; at < bytes; at += (u32)sizeof(unit)) {
            store_unit(reinterpret_cast<unit *>(to + at), load_unit<O>(reinterpret_cast<const unit *>(from + at)));
        }
        return true;
    }
#pragma unroll 1
    for (size_t at = opaque(group.rank * (u32)sizeof(unit)); at < bytes; at += 4 * sizeof(unit) * (size_t)group.size) {
        const size_t left = bytes - at;
        const u32 apart = opaque(group.size);
        const size_t step = apart * (u32)sizeof(unit);
        const bool second = step < left, third = 2 * step < left, fourth = 3 * step < left;
        const unit *in = reinterpret_cast<const unit *>(from + at);
        unit *out = reinterpret_cast<unit *>(to + at);
        unit held[4];
        held[0] = load_unit<O>(in);
        if (second) held[1] = load_unit<O>(in + apart);
        if (third) held[2] = load_unit<O>(in + 2 * apart);
        if (fourth) held[3] = load_unit<O>(in + 3 * apart);
        store_unit(out, held[0]);
        if (second) store_unit(out + apart, held[1]);
        if (third) store_unit(out + 2 * apart, held[2]);
        if (fourth) store_unit(out + 3 * apart, held[3]);
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

#define OXSHMEM_COPIES(suffix, threads)                                                                           \
    OXSHMEM_INLINE void put##suffix(void *dest, const void *source, size_t bytes, int pe, int qp, int nbi) {      \
        const threads group;                                                                                      \
        const u64 by = distance(pe);                                                                              \
        if (by != FAR && copy<OWN>(group, moved(dest, by), source, bytes)) {                                      \
            group.sync();                                                                                         \
        } else {                                                                                                  \
            oxshmem_put##suffix(dest, source, bytes, pe, qp, nbi);                                                \
        }                                                                                                         \
    }                                                                                                             \
    OXSHMEM_INLINE void get##suffix(void *dest, const void *source, size_t bytes, int pe, int qp, int nbi) {      \
        const threads group;                                                                                      \
        const u64 by = distance(pe);                                                                              \
        if (by == FAR || !copy<PEER>(group, dest, moved(source, by), bytes)) {                                    \
            oxshmem_get##suffix(dest, source, bytes, pe, qp, nbi);                                                \
        } else if (!nbi || bytes <= (size_t)group.size * 64) {                                                    \
            group.sync();                                                                                         \
        }                                                                                                         \
    }                                                                                                             \
    OXSHMEM_INLINE void put_signal##suffix(void *dest, const void *source, size_t bytes, u64 *word, u64 value,    \
                                           int op, int pe, int qp, int nbi) {                                     \
        const threads group;                                                                                      \
        const u64 by = distance(pe);                                                                              \
        if (by == FAR || !copy<OWN>(group, moved(dest, by), source, bytes)) {                                     \
            oxshmem_put_signal##suffix(dest, source, bytes, word, value, op, pe, qp, nbi);                        \
            return;                                                                                               \
        }                                                                                                         \
        group.sync();                                                                                             \
        if (group.rank == 0) release_signal(moved(word, by), value, op);                                          \
    }

OXSHMEM_COPIES(, by_thread)
OXSHMEM_COPIES(_warp, by_warp)
OXSHMEM_COPIES(_block, by_block)
#undef OXSHMEM_COPIES

}  // namespace oxshmem_c

#endif
