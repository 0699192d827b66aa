/* Atomics: one instruction on a load/store PE, a call otherwise. Part of core.h. */
#ifndef OXSHMEM_ATOMICS_H
#define OXSHMEM_ATOMICS_H

namespace oxshmem_c {

/* The numbers of operations and of words' types in the library (`device/capi/src/amo.rs`). */
enum { FETCH = 0, SET = 1, COMPARE_SWAP = 2, ADD = 3, AND = 4, OR = 5, XOR = 6 };
enum { B32 = 0, B64 = 1, F16 = 2, F32 = 3, F64 = 4 };

/* The type of a word for operations on bits, and for additions. */
template <class T>
struct kind {
    static const u32 of_bits = sizeof(T) == 4 ? B32 : B64;
    static const u32 of_sum = of_bits;
};
template <>
struct kind<float> {
    static const u32 of_bits = B32;
    static const u32 of_sum = F32;
};
template <>
struct kind<double> {
    static const u32 of_bits = B64;
    static const u32 of_sum = F64;
};
template <>
struct kind<half> {
    static const u32 of_sum = F16;
};

/* red.relaxed.sys for the words of 32 and of 64 bits. */
#define OXSHMEM_RED(name, op, type, letter, text)                                                              \
    OXSHMEM_INLINE void red_##name(type *at, type v) {                                                         \
        asm volatile("red.relaxed.sys.global." op "." text " [%0], %1;" ::"l"(at), letter(v) : "memory");      \
    }
OXSHMEM_RED(add, "add", u32, "r", "u32")
OXSHMEM_RED(add, "add", u64, "l", "u64")
OXSHMEM_RED(add, "add", f32, "f", "f32")
OXSHMEM_RED(add, "add", f64, "d", "f64")
OXSHMEM_RED(add_half, "add.noftz", u16, "h", "f16")
OXSHMEM_RED(and, "and", u32, "r", "b32")
OXSHMEM_RED(and, "and", u64, "l", "b64")
OXSHMEM_RED(or, "or", u32, "r", "b32")
OXSHMEM_RED(or, "or", u64, "l", "b64")
OXSHMEM_RED(xor, "xor", u32, "r", "b32")
OXSHMEM_RED(xor, "xor", u64, "l", "b64")
#undef OXSHMEM_RED

/* atom.relaxed.sys, which the compiler has functions for. With them it keeps the program's values in registers, and makes a
 * loop of its own for the uniform world. */
typedef unsigned long long llu;
#define OXSHMEM_ATOM(name, function)                                                                           \
    OXSHMEM_INLINE u32 atom_##name(u32 *at, u32 v) { return function(at, v); }                                 \
    OXSHMEM_INLINE u64 atom_##name(u64 *at, u64 v) { return function(as<llu>(at), (llu)v); }
OXSHMEM_ATOM(add, atomicAdd_system)
OXSHMEM_ATOM(and, atomicAnd_system)
OXSHMEM_ATOM(or, atomicOr_system)
OXSHMEM_ATOM(xor, atomicXor_system)
OXSHMEM_ATOM(swap, atomicExch_system)
#undef OXSHMEM_ATOM
OXSHMEM_INLINE f32 atom_add(f32 *at, f32 v) { return atomicAdd_system(at, v); }
OXSHMEM_INLINE f64 atom_add(f64 *at, f64 v) { return atomicAdd_system(at, v); }
OXSHMEM_INLINE u32 atom_compare_swap(u32 *at, u32 compare, u32 v) { return atomicCAS_system(at, compare, v); }
OXSHMEM_INLINE u64 atom_compare_swap(u64 *at, u64 compare, u64 v) {
    return atomicCAS_system(as<llu>(at), (llu)compare, (llu)v);
}
/* The compiler's own is for the type `half`, in a header that a program need not have. */
OXSHMEM_INLINE u16 atom_add_half(u16 *at, u16 v) {
    u16 old;
    asm volatile("atom.relaxed.sys.global.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(at), "h"(v) : "memory");
    return old;
}

/* The call of an operation that returns the word's previous value. */
template <class T>
OXSHMEM_INLINE T amo_call(T *word, u32 number, u32 of, T value, int pe, u64 compare = 0) {
    typedef typename oxshmem_c::word<sizeof(T)>::type W;
    return of_bits<T>((W)oxshmem_amo_fetch(word, number, of, bits(value), compare, pe));
}

template <class T>
OXSHMEM_INLINE T amo_fetch(const T *word, int pe) {
    typedef typename oxshmem_c::word<sizeof(T)>::type W;
    return toward(
        pe, [&](u64 by) { return of_bits<T>(word_at(as<W>(moved(word, by)))); },
        [&] { return amo_call(const_cast<T *>(word), FETCH, kind<T>::of_bits, T(), pe); });
}
template <class T>
OXSHMEM_INLINE void amo_set(T *word, T value, int pe) {
    typedef typename oxshmem_c::word<sizeof(T)>::type W;
    toward(
        pe, [&](u64 by) { word_at(as<W>(moved(word, by))) = bits(value); },
        [&] { oxshmem_amo(word, SET, kind<T>::of_bits, bits(value), pe); });
}
template <class T>
OXSHMEM_INLINE T amo_swap(T *word, T value, int pe) {
    typedef typename oxshmem_c::word<sizeof(T)>::type W;
    return toward(
        pe, [&](u64 by) { return of_bits<T>(atom_swap(as<W>(moved(word, by)), bits(value))); },
        [&] { return amo_call(word, SET, kind<T>::of_bits, value, pe); });
}
template <class T>
OXSHMEM_INLINE T amo_compare_swap(T *word, T compare, T value, int pe) {
    typedef typename oxshmem_c::word<sizeof(T)>::type W;
    return toward(
        pe, [&](u64 by) { return of_bits<T>(atom_compare_swap(as<W>(moved(word, by)), bits(compare), bits(value))); },
        [&] { return amo_call(word, COMPARE_SWAP, kind<T>::of_bits, value, pe, bits(compare)); });
}

/* A word of 16 bits is fetched and set by itself, and swapped as a part of the 32 bits around it. */
OXSHMEM_INLINE half amo_fetch(const half *word, int pe) { return g(word, pe, NVSHMEMX_QP_DEFAULT); }
OXSHMEM_INLINE void amo_set(half *word, half value, int pe) { p(word, value, pe, NVSHMEMX_QP_DEFAULT); }
OXSHMEM_INLINE half amo_swap(half *word, half value, int pe) {
    u32 *around = reinterpret_cast<u32 *>(reinterpret_cast<u64>(word) & ~(u64)3);
    const u32 shift = (reinterpret_cast<u64>(word) & 2) * 8;
    u32 seen = amo_fetch(around, pe);
    for (;;) {
        const u32 next = (seen & ~((u32)0xffff << shift)) | (u32)bits(value) << shift;
        const u32 before = amo_compare_swap(around, seen, next, pe);
        if (before == seen) return of_bits<half>((u16)(before >> shift));
        seen = before;
    }
}

/* The word of an addition: its own type if it is a number with a fraction, unsigned bits otherwise. */
template <class T>
struct sum {
    typedef typename word<sizeof(T)>::type type;
};
template <>
struct sum<float> {
    typedef f32 type;
};
template <>
struct sum<double> {
    typedef f64 type;
};
template <class T>
OXSHMEM_INLINE void amo_add(T *word, T value, int pe) {
    typedef typename sum<T>::type W;
    toward(
        pe, [&](u64 by) { red_add(as<W>(moved(word, by)), (W)value); },
        [&] { oxshmem_amo(word, ADD, kind<T>::of_sum, bits(value), pe); });
}
template <class T>
OXSHMEM_INLINE T amo_fetch_add(T *word, T value, int pe) {
    typedef typename sum<T>::type W;
    return toward(
        pe, [&](u64 by) { return (T)atom_add(as<W>(moved(word, by)), (W)value); },
        [&] { return amo_call(word, ADD, kind<T>::of_sum, value, pe); });
}
OXSHMEM_INLINE void amo_add(half *word, half value, int pe) {
    toward(
        pe, [&](u64 by) { red_add_half(as<u16>(moved(word, by)), bits(value)); },
        [&] { oxshmem_amo(word, ADD, F16, bits(value), pe); });
}
OXSHMEM_INLINE half amo_fetch_add(half *word, half value, int pe) {
    return toward(
        pe, [&](u64 by) { return of_bits<half>(atom_add_half(as<u16>(moved(word, by)), bits(value))); },
        [&] { return amo_call(word, ADD, F16, value, pe); });
}

#define OXSHMEM_BITWISE(name, NAME)                                                                            \
    template <class T>                                                                                         \
    OXSHMEM_INLINE void amo_##name(T *at, T value, int pe) {                                                   \
        typedef typename word<sizeof(T)>::type W;                                                              \
        toward(                                                                                                \
            pe, [&](u64 by) { red_##name(as<W>(moved(at, by)), bits(value)); },                                \
            [&] { oxshmem_amo(at, NAME, kind<T>::of_bits, bits(value), pe); });                                \
    }                                                                                                          \
    template <class T>                                                                                         \
    OXSHMEM_INLINE T amo_fetch_##name(T *at, T value, int pe) {                                                \
        typedef typename word<sizeof(T)>::type W;                                                              \
        return toward(                                                                                         \
            pe, [&](u64 by) { return of_bits<T>(atom_##name(as<W>(moved(at, by)), bits(value))); },            \
            [&] { return amo_call(at, NAME, kind<T>::of_bits, value, pe); });                                  \
    }
OXSHMEM_BITWISE(and, AND)
OXSHMEM_BITWISE(or, OR)
OXSHMEM_BITWISE(xor, XOR)
#undef OXSHMEM_BITWISE

}  // namespace oxshmem_c

#endif
