/* The device library's functions, and those of its calls that are inline: single elements, atomics, signals and waits
 * on load/store PEs. Each has the order that the library's own code has (the instruction is in its comment in
 * `hal/raw/src/gpu/ptx`, its choice in `transport-nvlink/src/device`). */
#ifndef OXSHMEM_CORE_H
#define OXSHMEM_CORE_H

#include "types.h"
#include "abi.h"
#include "paths.h"

extern "C" {
#if defined __NVCC__ && !defined __CUDACC_RDC__ && !defined __CUDACC_RTC__
/* Code that is not relocatable links no device library. Its host functions compile with these headers; a kernel that
 * calls a function of the device has no address of this one, whose name is the reason. */
__device__ const oxshmem_world_t *oxshmem_device_functions_need_rdc_true();
__device__ const uint64_t *oxshmem_device_teams_need_rdc_true();
#undef oxshmem_world
#define oxshmem_world (*oxshmem_device_functions_need_rdc_true())
#define oxshmem_teams (oxshmem_device_teams_need_rdc_true())
#else
/* In the device library; the host writes them. The second one has the address of the teams by number, and their count. */
extern __constant__ oxshmem_world_t oxshmem_world;
extern __constant__ uint64_t oxshmem_teams[2];
#endif
}
#include "calls.h"

/* Whether the block has lent shared memory that copies use. Not of NVSHMEM's public interface, but programs ask it. */
static inline __device__ bool nvshmemi_tma_smem_registered(void) { return false; }

#if defined __CUDA_ARCH__
namespace oxshmem_c {

typedef int8_t i8;
typedef uint8_t u8;
typedef int16_t i16;
typedef uint16_t u16;
typedef int32_t i32;
typedef uint32_t u32;
typedef int64_t i64;
typedef uint64_t u64;
typedef uint16_t f16;
typedef uint16_t bf16;
typedef float f32;
typedef double f64;

#define OXSHMEM_INLINE static __device__ __forceinline__

/* The unsigned integer of a size. */
template <int BYTES>
struct word;
template <>
struct word<1> {
    typedef u8 type;
};
template <>
struct word<2> {
    typedef u16 type;
};
template <>
struct word<4> {
    typedef u32 type;
};
template <>
struct word<8> {
    typedef u64 type;
};

/* The bits of a value, and the value with these bits. */
template <class T>
OXSHMEM_INLINE typename word<sizeof(T)>::type bits(const T &value) {
    typename word<sizeof(T)>::type bits;
    memcpy(&bits, &value, sizeof(T));
    return bits;
}
template <class T>
OXSHMEM_INLINE T of_bits(typename word<sizeof(T)>::type bits) {
    T value;
    memcpy(&value, &bits, sizeof(T));
    return value;
}

/* The same memory as elements of another type of the same size. */
template <class W, class T>
OXSHMEM_INLINE W *as(T *at) {
    static_assert(sizeof(W) == sizeof(T), "the types have different sizes");
    return reinterpret_cast<W *>(at);
}
template <class W, class T>
OXSHMEM_INLINE const W *as(const T *at) {
    static_assert(sizeof(W) == sizeof(T), "the types have different sizes");
    return reinterpret_cast<const W *>(at);
}

/* Whether `pe` is reached by loads and stores. */
OXSHMEM_INLINE bool reaches(int pe) {
    if (!OXSHMEM_REMOTE || oxshmem_world.path_table == 0) return true;
    const u64 word = oxshmem_world.n_pes <= 32
                         ? oxshmem_world.path_bits
                         : reinterpret_cast<const u64 *>(oxshmem_world.path_table)[(u32)pe / 32];
    return (word >> (2 * ((u32)pe % 32)) & 3) == 0;
}

/* Whether all PEs are reached by loads and stores, and their heaps lie at a stride. This is the usual world within a
 * machine: its calls test this word alone. */
OXSHMEM_INLINE bool is_uniform() { return __builtin_expect(oxshmem_world.uniform != 0, 1); }

/* Whether it is certain, without a look at tables, that all PEs are reached by loads and stores. */
OXSHMEM_INLINE bool is_near() { return !OXSHMEM_REMOTE || is_uniform(); }

/* The distance from this PE's symmetric memory to that of `pe`: where heaps lie at a stride, and of any load/store PE, whose
 * heaps may be in a table that no kernel changes. The compiler does not know its parts and sees no branch, so that a loop
 * over one PE keeps it and does not compute a part in each round. */
OXSHMEM_INLINE u64 distance_at_stride(int pe) {
    u64 by;
    asm("mov.u64 %0, %1;" : "=l"(by) : "l"(oxshmem_world.heap + oxshmem_world.stride * (u32)pe - oxshmem_world.own));
    return by;
}
OXSHMEM_INLINE u64 distance(int pe) {
    u64 by;
    asm("{ .reg .pred listed; .reg .b64 at; setp.ne.u64 listed, %2, 0; mad.wide.u32 at, %3, 8, %2; mov.u64 %0, %1;"
        " @listed ld.global.u64 %0, [at]; @listed sub.u64 %0, %0, %4; }"
        : "=&l"(by)
        : "l"(oxshmem_world.heap + oxshmem_world.stride * (u32)pe - oxshmem_world.own), "l"(oxshmem_world.bases), "r"(pe),
          "l"(oxshmem_world.own));
    return by;
}

/* Makes a call with the distance to a load/store PE, or another one for other PEs. The uniform world's branch is complete,
 * so that a loop has one test in it. With loads and stores alone there is none. */
template <class Near, class Far>
OXSHMEM_INLINE auto toward(int pe, Near near, Far far) -> decltype(far()) {
    if (!OXSHMEM_REMOTE) return near(distance(pe));
    const u64 by = distance_at_stride(pe);
    if (is_uniform()) return near(by);
    return reaches(pe) ? near(distance(pe)) : far();
}

/* The same memory, moved by a distance. */
template <class T>
OXSHMEM_INLINE T *moved(T *at, u64 by) {
    return (T *)((char *)at + by);
}

OXSHMEM_INLINE void *ptr(const void *own, int pe) {
    const u64 offset = reinterpret_cast<u64>(own) - oxshmem_world.own;
    if (offset >= oxshmem_world.heap_bytes || (u32)pe >= oxshmem_world.n_pes || !reaches(pe)) return nullptr;
    return moved(const_cast<void *>(own), distance(pe));
}

/* st.relaxed.sys. */
#define OXSHMEM_STORE(type, ptx, letter, as)                                                                      \
    OXSHMEM_INLINE void store(type *at, type v) {                                                                 \
        asm volatile("st.relaxed.sys.global." ptx " [%0], %1;" ::"l"(at), letter((as)v) : "memory");              \
    }
OXSHMEM_STORE(u8, "u8", "h", u16)
OXSHMEM_STORE(u16, "u16", "h", u16)
OXSHMEM_STORE(u32, "u32", "r", u32)
OXSHMEM_STORE(u64, "u64", "l", u64)
#undef OXSHMEM_STORE

/* st.volatile and ld.volatile, which have the semantics of st.relaxed.sys and ld.relaxed.sys. The compiler keeps the
 * program's values in registers meanwhile, and makes a loop of its own for the uniform world. */
template <class W>
OXSHMEM_INLINE volatile W &word_at(W *at) {
    return *at;
}

/* ld.relaxed.sys, ld.acquire.sys */
OXSHMEM_INLINE u8 load(const u8 *at) {
    u16 v;
    asm volatile("ld.relaxed.sys.global.u8 %0, [%1];" : "=h"(v) : "l"(at) : "memory");
    return (u8)v;
}
OXSHMEM_INLINE u16 load(const u16 *at) {
    u16 v;
    asm volatile("ld.relaxed.sys.global.u16 %0, [%1];" : "=h"(v) : "l"(at) : "memory");
    return v;
}
OXSHMEM_INLINE u32 load(const u32 *at) {
    u32 v;
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
    return v;
}
OXSHMEM_INLINE u64 load(const u64 *at) {
    u64 v;
    asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(v) : "l"(at) : "memory");
    return v;
}
OXSHMEM_INLINE u16 acquire_bits(const u16 *at) {
    u16 v;
    asm volatile("ld.acquire.sys.global.u16 %0, [%1];" : "=h"(v) : "l"(at) : "memory");
    return v;
}
OXSHMEM_INLINE u32 acquire_bits(const u32 *at) {
    u32 v;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
    return v;
}
OXSHMEM_INLINE u64 acquire_bits(const u64 *at) {
    u64 v;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(v) : "l"(at) : "memory");
    return v;
}
template <class T>
OXSHMEM_INLINE T acquire(const T *at) {
    return of_bits<T>(acquire_bits(as<typename word<sizeof(T)>::type>(at)));
}

template <class T>
OXSHMEM_INLINE void p(T *dest, T value, int pe, int qp) {
    typedef typename word<sizeof(T)>::type W;
    toward(
        pe, [&](u64 by) { word_at(as<W>(moved(dest, by))) = bits(value); },
        [&] { oxshmem_p(dest, bits(value), sizeof(T), pe, qp); });
}
template <class T>
OXSHMEM_INLINE T g(const T *source, int pe, int qp) {
    typedef typename word<sizeof(T)>::type W;
    return toward(
        pe, [&](u64 by) { return of_bits<T>(word_at(as<W>(moved(source, by)))); },
        [&] { return of_bits<T>((W)oxshmem_g(source, sizeof(T), pe, qp)); });
}

OXSHMEM_INLINE void signal(u64 *word, u64 value, int op, int pe, int qp) {
    toward(
        pe,
        [&](u64 by) {
            if (op == NVSHMEM_SIGNAL_ADD) {
                asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" ::"l"(moved(word, by)), "l"(value) : "memory");
            } else {
                word_at(moved(word, by)) = value;
            }
        },
        [&] { oxshmem_signal(word, value, op, pe, qp); });
}

/* Copies of single elements a stride apart; an element of 16 bytes is two words of 8. */
#define OXSHMEM_STRIDED(name)                                                                                     \
    template <int BYTES>                                                                                          \
    OXSHMEM_INLINE void name(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe) {    \
        if (BYTES < 16) {                                                                                         \
            oxshmem_##name(dest, source, dst, sst, n, BYTES, pe);                                                 \
        } else {                                                                                                  \
            oxshmem_##name(dest, source, 2 * dst, 2 * sst, n, 8, pe);                                             \
            oxshmem_##name((char *)dest + 8, (const char *)source + 8, 2 * dst, 2 * sst, n, 8, pe);               \
        }                                                                                                         \
    }
OXSHMEM_STRIDED(iput)
OXSHMEM_STRIDED(iput_warp)
OXSHMEM_STRIDED(iput_block)
OXSHMEM_STRIDED(iget)
OXSHMEM_STRIDED(iget_warp)
OXSHMEM_STRIDED(iget_block)
#undef OXSHMEM_STRIDED

template <class T>
OXSHMEM_INLINE bool holds(T word, int cmp, T value) {
    switch (cmp) {
        case NVSHMEM_CMP_EQ: return word == value;
        case NVSHMEM_CMP_NE: return word != value;
        case NVSHMEM_CMP_GT: return word > value;
        case NVSHMEM_CMP_LE: return word <= value;
        case NVSHMEM_CMP_LT: return word < value;
        default: return word >= value;
    }
}

/* Polls a while, then waits in the library, which looks at the clock and at the other PEs. */
OXSHMEM_INLINE i16 wait_on(const i16 *at, int cmp, i16 v) { return oxshmem_wait_i16(at, cmp, v); }
OXSHMEM_INLINE u16 wait_on(const u16 *at, int cmp, u16 v) { return oxshmem_wait_u16(at, cmp, v); }
OXSHMEM_INLINE i32 wait_on(const i32 *at, int cmp, i32 v) { return oxshmem_wait_i32(at, cmp, v); }
OXSHMEM_INLINE u32 wait_on(const u32 *at, int cmp, u32 v) { return oxshmem_wait_u32(at, cmp, v); }
OXSHMEM_INLINE i64 wait_on(const i64 *at, int cmp, i64 v) { return oxshmem_wait_i64(at, cmp, v); }
OXSHMEM_INLINE u64 wait_on(const u64 *at, int cmp, u64 v) { return oxshmem_wait_u64(at, cmp, v); }
template <class T>
OXSHMEM_INLINE T wait_until(const T *at, int cmp, T value) {
    T seen;
#pragma unroll 4
    for (int polls = 0; !holds(seen = acquire(at), cmp, value); ++polls) {
        if (polls == 4096) return wait_on(at, cmp, value);
    }
    return seen;
}

OXSHMEM_INLINE void copy_name(char *name) {
    const char text[] = NVSHMEM_VENDOR_STRING;
    for (unsigned i = 0; i < sizeof text; ++i) name[i] = text[i];
}

/* Lent shared memory is a hint without effect here: the copies need none. */
OXSHMEM_INLINE void give_smem(void *, size_t) {}
OXSHMEM_INLINE void release_smem() {}

/* A region is a hint that puts may be batched. It has no effect: the queues batch what is posted together without it. A block
 * has at most one. Its shared memory has any content when the kernel starts, so that a state in use names grid and block. */
struct region_state {
    u64 grid, block, handle;
    u32 hints;
    int is_open, status;
};
OXSHMEM_INLINE region_state &region() {
    __shared__ region_state state;
    return state;
}
/* The number of a grid, which differs between the processes of a GPU as well: a block may find another one's shared memory. */
OXSHMEM_INLINE u64 grid_number() {
    u64 number;
    asm("mov.u64 %0, %%gridid;" : "=l"(number));
    return number ^ oxshmem_world.fault << 16 ^ (u64)oxshmem_world.my_pe << 48;
}
OXSHMEM_INLINE u64 block_number() { return ((u64)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
OXSHMEM_INLINE bool region_is_used() { return region().grid == grid_number() && region().block == ~block_number(); }
OXSHMEM_INLINE bool are_hints(u32 hints) { return (hints & ~(u32)NVSHMEMX_REGION_HINT_BATCH_RMA) == 0; }

/* The block's first thread opens a region, or closes it, where `may` allows it; all threads get the status. */
template <class May>
OXSHMEM_INLINE int region_change(int is_open, u32 hints, May may) {
    region_state &state = region();
    __syncthreads();
    if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0) {
        if (!region_is_used()) state = region_state{grid_number(), ~block_number(), 0, 0, 0, 0};
        state.status = may(state) ? NVSHMEMX_SUCCESS : NVSHMEMX_ERROR_INVALID_VALUE;
        if (state.status == NVSHMEMX_SUCCESS) {
            state.handle += is_open;
            state.hints = hints;
            state.is_open = is_open;
        }
    }
    __syncthreads();
    return state.status;
}
OXSHMEM_INLINE int region_start(nvshmemx_region_handle_t *handle, const nvshmemx_region_attrs_t *attrs) {
    const u32 hints = attrs == nullptr ? (u32)NVSHMEMX_REGION_HINT_NONE : attrs->hints;
    const int status = region_change(
        1, hints, [&](const region_state &now) { return handle != nullptr && are_hints(hints) && !now.is_open; });
    if (status == NVSHMEMX_SUCCESS && handle != nullptr) *handle = region().handle;
    return status;
}
OXSHMEM_INLINE int region_stop(nvshmemx_region_handle_t handle) {
    return region_change(0, 0, [&](const region_state &now) { return now.is_open && now.handle == handle; });
}
OXSHMEM_INLINE int region_is_active(uint32_t hints, int *active) {
    if (active == nullptr || !are_hints(hints)) return NVSHMEMX_ERROR_INVALID_VALUE;
    *active = region_is_used() && region().is_open && (region().hints & hints) == hints;
    return NVSHMEMX_SUCCESS;
}

}  // namespace oxshmem_c
#include "atomics.h"
#include "copies.h"
#include "ordering.h"
#include "elements.h"
#include "rounds.h"
#include "collectives.h"
#endif

#endif
