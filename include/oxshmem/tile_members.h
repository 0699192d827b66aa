/* A tile of every member of a team: reduced as it is loaded, or stored at all of them. For host and device. */
#ifndef OXSHMEM_TILE_MEMBERS_H
#define OXSHMEM_TILE_MEMBERS_H

#include "tile_rows.h"

#include <cuda/std/type_traits>
#if !defined __CUDACC_RTC__
#include <math.h>
#endif

namespace oxshmem_c {

/* The type of a reduction's intermediate values: float for the floating-point types of 16 bits. */
template <class T>
using wide = cuda::std::conditional_t<sizeof(T) == 2 && !cuda::std::is_integral<T>::value, float, T>;

template <class T>
OXSHMEM_TILE wide<T> widened(T value) {
    return static_cast<wide<T>>(value);
}
/* Programs may have turned off the conversions of these types by operators. */
OXSHMEM_TILE float widened(__half value) { return __half2float(value); }
OXSHMEM_TILE float widened(__nv_bfloat16 value) { return __bfloat162float(value); }

template <class T>
OXSHMEM_TILE T narrowed(wide<T> value) {
    if constexpr (cuda::std::is_same<T, __half>::value) {
        return __float2half_rn(value);
    } else if constexpr (cuda::std::is_same<T, __nv_bfloat16>::value) {
        return __float2bfloat16_rn(value);
    } else {
        return static_cast<T>(value);
    }
}

struct tile_sum {
    template <class T>
    OXSHMEM_TILE T of(T a, T b) {
        return static_cast<T>(a + b);
    }
};
/* A number is the result if the other value is not a number. */
struct tile_max {
    template <class T>
    OXSHMEM_TILE T of(T a, T b) {
        if constexpr (cuda::std::is_same<T, float>::value) return fmaxf(a, b);
        if constexpr (cuda::std::is_same<T, double>::value) return fmax(a, b);
        return a < b ? b : a;
    }
};
struct tile_min {
    template <class T>
    OXSHMEM_TILE T of(T a, T b) {
        if constexpr (cuda::std::is_same<T, float>::value) return fminf(a, b);
        if constexpr (cuda::std::is_same<T, double>::value) return fmin(a, b);
        return b < a ? b : a;
    }
};

template <class Word>
OXSHMEM_TILE void clear(Word &word) {
    word = 0;
}
OXSHMEM_TILE void clear(tile_unit &unit) { unit.low = unit.high = 0; }

/* An element of an access, and an access with this element, which was 0 before. */
template <class T>
OXSHMEM_TILE T element_of_word(uint64_t word, int index) {
    typedef typename tile_bits<sizeof(T)>::type bits_t;
    const bits_t bits = (bits_t)(word >> (8 * sizeof(T) * index));
    T value;
    memcpy(&value, &bits, sizeof(T));
    return value;
}
template <class T, class Word>
OXSHMEM_TILE T element_of(Word word, int index) {
    return element_of_word<T>(word, index);
}
template <class T>
OXSHMEM_TILE T element_of(tile_unit unit, int index) {
    const int each = 8 / sizeof(T);
    return index < each ? element_of_word<T>(unit.low, index) : element_of_word<T>(unit.high, index - each);
}
template <class Word, class T>
OXSHMEM_TILE void add_element(Word &word, T value, int index) {
    typename tile_bits<sizeof(T)>::type bits;
    memcpy(&bits, &value, sizeof(T));
    word = (Word)(word | (Word)bits << (8 * sizeof(T) * index));
}
template <class T>
OXSHMEM_TILE void add_element(tile_unit &unit, T value, int index) {
    const int each = 8 / sizeof(T);
    if (index < each) {
        add_element(unit.low, value, index);
    } else {
        add_element(unit.high, value, index - each);
    }
}

/* Loads the members' accesses, and reduces them in the order of the members, so that each member gets the same bits.
 * `members.load<BYTES>(at, member)` loads one. */
template <class T, class Op, class Members>
struct from_members {
    /* Accesses of a thread, and members whose loads are in flight together. */
    static const int IN_FLIGHT = 1, TOGETHER = 4;
    const Members &members;

    template <int BYTES>
    OXSHMEM_TILE_MEMBER void load(typename tile_bits<BYTES>::type (&held)[IN_FLIGHT],
                                  const char *const (&at)[IN_FLIGHT], int count) const {
        const int EACH = BYTES / sizeof(T);
        wide<T> reduced[IN_FLIGHT][EACH];
#pragma unroll 1
        for (uint32_t first = 0; first < members.count; first += TOGETHER) {
            typename tile_bits<BYTES>::type loaded[TOGETHER][IN_FLIGHT];
#pragma unroll
            for (int m = 0; m < TOGETHER; ++m) {
#pragma unroll
                for (int i = 0; i < IN_FLIGHT; ++i) {
                    if (first + m < members.count && i < count) {
                        loaded[m][i] = members.template load<BYTES>(at[i], first + m);
                    }
                }
            }
#pragma unroll
            for (int m = 0; m < TOGETHER; ++m) {
                if (first + m >= members.count) break;
#pragma unroll
                for (int i = 0; i < IN_FLIGHT; ++i) {
                    if (i >= count) break;
#pragma unroll
                    for (int e = 0; e < EACH; ++e) {
                        const wide<T> value = widened(element_of<T>(loaded[m][i], e));
                        reduced[i][e] = first + m == 0 ? value : Op::of(reduced[i][e], value);
                    }
                }
            }
        }
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; ++i) {
            clear(held[i]);
#pragma unroll
            for (int e = 0; e < EACH; ++e) add_element(held[i], narrowed<T>(reduced[i][e]), e);
        }
    }
};

/* Stores at each member, the next one first, so that the members do not all write to the same one.
 * `members.store<BYTES>(at, member, bits)` stores at one. */
template <class Members>
struct to_members {
    const Members &members;

    template <int BYTES>
    OXSHMEM_TILE_MEMBER void store(char *at, typename tile_bits<BYTES>::type bits) const {
        uint32_t member = members.me;
#pragma unroll 1
        for (uint32_t i = 0; i < members.count; ++i) {
            member = member + 1 < members.count ? member + 1 : 0;
            members.template store<BYTES>(at, member, bits);
        }
    }
};

}  // namespace oxshmem_c

#endif
