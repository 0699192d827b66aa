/* Put and get: inline where whole units of 16 bytes, or a few words, go to or come from a load/store PE; calls otherwise.
 * A call saves registers of each thread, which costs a large block as much as a small copy. Part of core.h. */
#ifndef OXSHMEM_COPIES_H
#define OXSHMEM_COPIES_H

namespace oxshmem_c {

/* The number of this thread in its block, and the number of the block's threads. */
OXSHMEM_INLINE u32 thread_number() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
OXSHMEM_INLINE u32 block_threads() { return blockDim.x * blockDim.y * blockDim.z; }

/* The threads that share a copy: the number of this one, and how many they are; `MOST` is the most that they can be. `HELD`
 * words of a put are in flight at a time, as many as leave a kernel that only puts with 32 registers (40 if it is a
 * thread's); those of a get, whose loads take longer, are eight. The copies that are calls have their functions. */
#define OXSHMEM_COPY(suffix)                                                                     \
    __device__ __forceinline__ void copy_own(void *to, const void *from, size_t bytes) const {   \
        oxshmem_copy_own##suffix(to, from, bytes);                                               \
    }                                                                                            \
    __device__ __forceinline__ void copy_peer(void *to, const void *from, size_t bytes) const {  \
        oxshmem_copy_peer##suffix(to, from, bytes);                                              \
    }
struct by_thread {
    static const u32 MOST = 1;
    static const int HELD = OXSHMEM_REMOTE ? 6 : 8;
    const u32 rank = 0, size = 1;
    __device__ __forceinline__ void sync() const {}
    __device__ __forceinline__ bool leads() const { return true; }
    OXSHMEM_COPY()
};
struct by_warp {
    static const u32 MOST = 32;
    static const int HELD = OXSHMEM_REMOTE ? 3 : 4;
    const u32 rank = thread_number() % 32, size = block_threads() % 32 == 0 ? 32 : lanes(rank);
    /* Lanes that the last warp of a block lacks count as ended. */
    __device__ __forceinline__ void sync() const { __syncwarp(); }
    /* Not by the rank, which would be in a register throughout a call. */
    __device__ __forceinline__ bool leads() const {
        u32 lane;
        asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
        return lane == 0;
    }
    OXSHMEM_COPY(_warp)

  private:
    OXSHMEM_INLINE u32 lanes(u32 lane) {
        const u32 left = block_threads() - (thread_number() - lane);
        return left < 32 ? left : 32;
    }
};
/* Four warps, the first of them with a number divisible by four. Barriers 8 to 15 of the block are theirs. */
struct by_warpgroup {
    const u32 rank = thread_number() % 128, size = 128;
    __device__ __forceinline__ void sync() const {
        asm volatile("bar.sync %0, 128;" ::"r"(8 + thread_number() / 128) : "memory");
    }
};
struct by_block {
    static const u32 MOST = 1024;
    static const int HELD = 4;
    const u32 rank = thread_number(), size = block_threads();
    __device__ __forceinline__ void sync() const { __syncthreads(); }
    __device__ __forceinline__ bool leads() const { return rank == 0; }
    OXSHMEM_COPY(_block)
};
#undef OXSHMEM_COPY

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
template <class T>
OXSHMEM_INLINE T *opaque(T *at) {
    T *same;
    asm("mov.u64 %0, %1;" : "=l"(same) : "l"(at));
    return same;
}
OXSHMEM_INLINE u32 opaque(u32 value) {
    u32 same;
    asm volatile("mov.u32 %0, %1;" : "=r"(same) : "r"(value));
    return same;
}

/* Threads of a block that keep the link busy with one load each, if each makes a small copy of its own: a unit is then
 * stored as soon as it is loaded. */
const u32 MANY = 512;

/* Copies up to so many bytes by words of 8 or 4 bytes. This PE's end may be in any memory, also that of a thread's own stack. */
const u32 FEW = 96;

/* Accesses of a word or a unit. */
template <owner O, class W>
OXSHMEM_INLINE W load_word(const W *at) {
    return O == OWN ? *at : load(at);
}
template <owner O>
OXSHMEM_INLINE unit load_word(const unit *at) {
    return load_unit<O>(at);
}
template <class W>
OXSHMEM_INLINE void store_word(W *at, W value) {
    *at = value;
}
OXSHMEM_INLINE void store_word(unit *at, unit value) { store_unit(at, value); }

template <owner O, class W>
OXSHMEM_INLINE void copy_word(char *to, const char *from) {
    store_word(reinterpret_cast<W *>(to), load_word<O>(reinterpret_cast<const W *>(from)));
}

/* Neighbouring threads take neighbouring words. Each loads several before it stores the first. */
template <owner O, class W, class G>
OXSHMEM_INLINE void copy_words(const G &group, char *to, const char *from, u32 bytes) {
    const int HELD = O == OWN ? G::HELD : 8;
    const u32 step = opaque(group.size) * (u32)sizeof(W);
    u32 at = opaque(group.rank) * (u32)sizeof(W);
#pragma unroll 1
    while (at < bytes) {
        const W *in = reinterpret_cast<const W *>(from + at);
        W *out = reinterpret_cast<W *>(to + at);
        /* Without a value, a word's registers would count as used before, throughout the program's loop. */
        W held[HELD] = {};
        bool is_part[HELD];
#pragma unroll
        for (int i = 0; i < HELD; ++i) {
            is_part[i] = i == 0 || at < bytes;
            if (is_part[i]) held[i] = load_word<O>(in);
            in = opaque(moved(in, step));
            at = opaque(at + step);
        }
#pragma unroll
        for (int i = 0; i < HELD; ++i) {
            if (is_part[i]) store_word(out, held[i]);
            out = opaque(moved(out, step));
        }
    }
}

/* Calls for a copy between other ends. */
template <owner O, class G>
OXSHMEM_INLINE void call(const G &group, void *to, const void *from, size_t bytes) {
    if (O == OWN) {
        group.copy_own(to, from, bytes);
    } else {
        group.copy_peer(to, from, bytes);
    }
}

/* Copies between ends that the caller can access, by units, or by words of 8 or 4 bytes. */
template <owner O, class G>
OXSHMEM_INLINE void copy(const G &group, void *dest, const void *source, size_t bytes) {
    /* As 32 bits, which one instruction compares. From 2 GiB on it counts as odd, so that a function copies. */
    const u32 count = bytes >> 31 != 0 ? ~(u32)0 : (u32)bytes;
    /* Most warps of a large block have no byte of a small copy. */
    if (G::MOST > 32 && count <= (group.rank & ~(u32)31)) return;
    char *to = static_cast<char *>(dest);
    const char *from = static_cast<const char *>(source);
    if (O == OWN) to = opaque(to), from = opaque(from);
    const u32 ends = (u32)reinterpret_cast<u64>(to) | (u32)reinterpret_cast<u64>(from) | count;
    const u32 one_each = G::MOST < 32 ? G::MOST : 32;
    /* At most a word for each of 32 threads: most of the time is that of the instructions before its store. */
    if (ends % 8 == 0 && count <= 8 * one_each) {
        const u32 at = opaque(group.rank) * 8;
        if (at < count) {
            copy_word<O, u64>(to + at, from + at);
            if (G::MOST > 1 && group.size < 32) copy_words<O, u64>(group, to, from, count);
        }
        return;
    }
    if (G::MOST == 1 && ends % 4 == 0 && count == 4) return copy_word<O, u32>(to, from);
    if (G::MOST == 1 && ends % sizeof(unit) == 0 && count == sizeof(unit)) return copy_word<O, unit>(to, from);
    const u32 size = opaque(group.size);
    if (ends % sizeof(unit) != 0) {
        /* So many threads keep the link busy with words, and a call would save the registers of all of them. Only a long
         * get, and a get by words of 4 bytes, take less time by the call. */
        const bool by_many = G::MOST >= MANY && size >= MANY && (O == OWN || (ends % 8 == 0 && count <= 128 * size));
        if (ends % 4 != 0 || (count > FEW && !by_many)) return call<O>(group, to, from, bytes);
        if (ends % 8 == 0) return copy_words<O, u64>(group, to, from, count);
        return copy_words<O, u32>(group, to, from, count);
    }
    if (G::MOST > 1 && count <= (u32)sizeof(unit) * size) {
        const u32 at = opaque(group.rank) * (u32)sizeof(unit);
        if (at < count) copy_word<O, unit>(to + at, from + at);
        return;
    }
    /* Many units by a warp alone, for which the link would wait: a call, with more loads in flight. */
    if (O == OWN && G::MOST == 32 && count >= 16 * sizeof(unit) * 32 && block_threads() <= 64) {
        oxshmem_units_own_warp(to, from, count / sizeof(unit));
        return;
    }
    if (O == OWN && G::MOST == 1 && count <= 4 * sizeof(unit) && block_threads() >= MANY) {
        for (u32 at = 0; at < count; at += (u32)sizeof(unit)) copy_word<O, unit>(to + at, from + at);
        return;
    }
    copy_words<O, unit>(group, to, from, count);
}

/* st.release.sys, red.release.sys: after all stores that the group's threads made before they met. */
OXSHMEM_INLINE void release_signal(u64 *word, u64 value, int op) {
    if (op == NVSHMEM_SIGNAL_ADD) {
        asm volatile("red.release.sys.global.add.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
    } else {
        asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
    }
}

/* The end at a peer. The compiler can't take the sum apart and add its parts anew in each round of a loop. */
template <class T>
OXSHMEM_INLINE T *at_peer(T *own, u64 by) {
    return moved(opaque(own), by);
}

/* Begins a copy: `group`, and `by`, the distance to a load/store PE. Makes the call and ends for other PEs. */
#define OXSHMEM_TOWARD(threads, call)                                  \
    const threads group;                                               \
    u64 by = OXSHMEM_REMOTE ? distance_at_stride(pe) : distance(pe);   \
    if (!is_near()) {                                                  \
        if (!reaches(pe)) {                                            \
            call;                                                      \
            return;                                                    \
        }                                                              \
        by = distance(pe);                                             \
    }                                                                  \
    group.sync();
#define OXSHMEM_COPIES(suffix, threads)                                                                           \
    OXSHMEM_INLINE void put##suffix(void *dest, const void *source, size_t bytes, int pe, int qp, int nbi) {      \
        OXSHMEM_TOWARD(threads, oxshmem_put##suffix(dest, source, bytes, pe, qp, nbi))                            \
        copy<OWN>(group, at_peer(dest, by), source, bytes);                                                       \
        group.sync();                                                                                             \
    }                                                                                                             \
    OXSHMEM_INLINE void get##suffix(void *dest, const void *source, size_t bytes, int pe, int qp, int nbi) {      \
        OXSHMEM_TOWARD(threads, oxshmem_get##suffix(dest, source, bytes, pe, qp, nbi))                            \
        copy<PEER>(group, dest, at_peer(source, by), bytes);                                                      \
        group.sync();                                                                                             \
    }                                                                                                             \
    OXSHMEM_INLINE void put_signal##suffix(void *dest, const void *source, size_t bytes, u64 *word, u64 value,    \
                                           int op, int pe, int qp, int nbi) {                                     \
        OXSHMEM_TOWARD(threads, oxshmem_put_signal##suffix(dest, source, bytes, word, value, op, pe, qp, nbi))    \
        copy<OWN>(group, at_peer(dest, by), source, bytes);                                                       \
        group.sync();                                                                                             \
        if (group.leads()) release_signal(moved(word, by), value, op);                                            \
    }

OXSHMEM_COPIES(, by_thread)
OXSHMEM_COPIES(_warp, by_warp)
OXSHMEM_COPIES(_block, by_block)
#undef OXSHMEM_COPIES
#undef OXSHMEM_TOWARD

}  // namespace oxshmem_c

#endif
