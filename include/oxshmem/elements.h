/* The elements of collectives: as units of 8 bytes, and how they are combined. Part of core.h. */
#ifndef OXSHMEM_ELEMENTS_H
#define OXSHMEM_ELEMENTS_H

namespace oxshmem_c {

/* The bytes of a unit. */
const u32 UNIT_BYTES = 8;

/* Data as units. Elements of `EACH` bytes may be missing at the end of the last one. */
template <int EACH>
struct units {
    char *at;
    u32 bytes;
    typedef typename word<EACH>::type W;

    OXSHMEM_INLINE units of(const void *at, size_t bytes) { return units{(char *)at, (u32)bytes}; }
    __device__ __forceinline__ u32 count() const { return (bytes + UNIT_BYTES - 1) / UNIT_BYTES; }
    __device__ __forceinline__ u64 &unit(u32 index) const { return reinterpret_cast<u64 *>(at)[index]; }
    /* Whether one instruction accesses a unit. */
    __device__ __forceinline__ bool is_whole(u32 index) const {
        return EACH == UNIT_BYTES || (reinterpret_cast<u64>(at) % UNIT_BYTES == 0 && index < bytes / UNIT_BYTES);
    }

    __device__ __forceinline__ u64 load(u32 index) const {
        if (is_whole(index)) return unit(index);
        u64 loaded = 0;
#pragma unroll 1
        for (u32 i = 0, byte = index * UNIT_BYTES; EACH < UNIT_BYTES && i < UNIT_BYTES && byte + i < bytes; i += EACH) {
            loaded |= (u64) * reinterpret_cast<const W *>(at + byte + i) << (8 * i);
        }
        return loaded;
    }
    __device__ __forceinline__ void store(u32 index, u64 stored) const {
        if (is_whole(index)) {
            unit(index) = stored;
            return;
        }
#pragma unroll 1
        for (u32 i = 0, byte = index * UNIT_BYTES; EACH < UNIT_BYTES && i < UNIT_BYTES && byte + i < bytes; i += EACH) {
            *reinterpret_cast<W *>(at + byte + i) = (W)(stored >> (8 * i));
        }
    }
    /* Units `size` apart: one of any kind, or several, which are whole and of which the last ones may be missing. */
    template <int HELD>
    __device__ __forceinline__ void load(u64 (&to)[HELD], u32 index, u32 size) const {
#pragma unroll
        for (int k = 0; k < HELD; ++k) {
            to[k] = 0;
            if (HELD == 1) {
                to[k] = load(index);
            } else if (index + k * size < count()) {
                to[k] = unit(index + k * size);
            }
        }
    }
    template <int HELD>
    __device__ __forceinline__ void store(const u64 (&from)[HELD], u32 index, u32 size) const {
#pragma unroll
        for (int k = 0; k < HELD; ++k) {
            if (HELD == 1) {
                store(index, from[k]);
            } else if (index + k * size < count()) {
                unit(index + k * size) = from[k];
            }
        }
    }
};

/* Elements as they are combined: those of 16 bits as float. */
template <class T>
struct combined {
    typedef T type;
    OXSHMEM_INLINE T of(T v) { return v; }
    OXSHMEM_INLINE T element(T v) { return v; }
};
template <>
struct combined<__half> {
    typedef float type;
    OXSHMEM_INLINE float of(__half v) { return __half2float(v); }
    OXSHMEM_INLINE __half element(float v) { return __float2half_rn(v); }
};
template <>
struct combined<__nv_bfloat16> {
    typedef float type;
    OXSHMEM_INLINE float of(__nv_bfloat16 v) { return __bfloat162float(v); }
    OXSHMEM_INLINE __nv_bfloat16 element(float v) { return __float2bfloat16_rn(v); }
};

/* The operations. Integers wrap; of a number and a value that is none, the number is the smaller and the larger one. */
#define OXSHMEM_OP(name, integer, floating)                                            \
    struct name {                                                                      \
        template <class T>                                                             \
        OXSHMEM_INLINE T of(T a, T b) {                                                \
            return integer;                                                            \
        }                                                                              \
        OXSHMEM_INLINE float of(float a, float b) { return floating##f(a, b); }        \
        OXSHMEM_INLINE double of(double a, double b) { return floating(a, b); }        \
    };
OXSHMEM_INLINE float add_f(float a, float b) { return __fadd_rn(a, b); }
OXSHMEM_INLINE double add_(double a, double b) { return __dadd_rn(a, b); }
OXSHMEM_INLINE float multiply_f(float a, float b) { return __fmul_rn(a, b); }
OXSHMEM_INLINE double multiply_(double a, double b) { return __dmul_rn(a, b); }
OXSHMEM_OP(op_sum, (T)((u64)a + (u64)b), add_)
OXSHMEM_OP(op_prod, (T)((u64)a * (u64)b), multiply_)
OXSHMEM_OP(op_min, b < a ? b : a, fmin)
OXSHMEM_OP(op_max, a < b ? b : a, fmax)
#undef OXSHMEM_OP
struct op_and {
    template <class T>
    OXSHMEM_INLINE T of(T a, T b) {
        return (T)(a & b);
    }
};
struct op_or {
    template <class T>
    OXSHMEM_INLINE T of(T a, T b) {
        return (T)(a | b);
    }
};
struct op_xor {
    template <class T>
    OXSHMEM_INLINE T of(T a, T b) {
        return (T)(a ^ b);
    }
};

/* The elements of a unit as they are combined. */
template <class T, class Op>
struct sums {
    static const int EACH = UNIT_BYTES / sizeof(T);
    typedef typename word<sizeof(T)>::type W;
    typename combined<T>::type of[EACH];

    OXSHMEM_INLINE typename combined<T>::type operand(u64 unit, int i) {
        return combined<T>::of(of_bits<T>((W)(unit >> (8 * sizeof(T) * i % 64))));
    }
    __device__ __forceinline__ void set(u64 unit) {
#pragma unroll
        for (int i = 0; i < EACH; ++i) of[i] = operand(unit, i);
    }
    __device__ __forceinline__ void add(u64 unit) {
#pragma unroll
        for (int i = 0; i < EACH; ++i) of[i] = Op::of(of[i], operand(unit, i));
    }
    __device__ __forceinline__ u64 unit() const {
        u64 unit = 0;
#pragma unroll
        for (int i = 0; i < EACH; ++i) unit |= (u64)bits(combined<T>::element(of[i])) << (8 * sizeof(T) * i % 64);
        return unit;
    }
};

}  // namespace oxshmem_c

#endif
