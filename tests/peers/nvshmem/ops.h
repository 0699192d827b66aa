// The library's calls by scope, and the first and last lines of all rows' kernels.
//
// The library uses the same copy for the forms with a type, with a size and in bytes: at run time it takes the widest
// access that both addresses allow. The form in bytes is therefore as fast as any.
#pragma once

#include "perf.h"

#ifdef __CUDACC__

__device__ inline unsigned long long device_ns() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}

// No instruction; prevents an iteration's accesses from being moved out of the loop or merged with the next
// iteration's.
__device__ inline void compiler_fence() { asm volatile("" ::: "memory"); }

// The block's threads call. Returns the start time to the thread that will record it.
__device__ inline unsigned long long begin() {
    __syncthreads();
    unsigned long long now = device_ns();
    __syncthreads();
    return now;
}

// The block's threads call, when each has ended.
__device__ inline void finish(Span* spans, unsigned long long start) {
    __syncthreads();
    if (threadIdx.x == 0) spans[blockIdx.x] = Span{start, device_ns()};
}

// The shared memory that a block lends to the library, from its kernel's first line to its last.
template <bool Tma>
__device__ inline void lend(unsigned bytes) {
    if constexpr (Tma) {
        extern __shared__ __align__(128) unsigned char lent_memory[];
        nvshmemx_give_smem(lent_memory, bytes);
        __syncthreads();
    }
}

template <bool Tma>
__device__ inline void take_back() {
    if constexpr (Tma) {
        __syncthreads();
        nvshmemx_release_smem();
    }
}

// The calling thread's group among the grid's.
template <Scope S>
__device__ inline size_t group_index() {
    if constexpr (S == Scope::block) return blockIdx.x;
    const size_t thread = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    return S == Scope::warp ? thread / 32 : thread;
}

template <Scope S>
__device__ inline bool leads() {
    return S == Scope::thread || (S == Scope::warp ? threadIdx.x % 32 == 0 : threadIdx.x == 0);
}

template <Scope S>
__device__ inline void group_sync() {
    if constexpr (S == Scope::block) __syncthreads();
    if constexpr (S == Scope::warp) __syncwarp();
}

template <Scope S>
__device__ inline void group_put_nbi(void* to, const void* from, size_t bytes, int pe) {
    if constexpr (S == Scope::thread) nvshmem_putmem_nbi(to, from, bytes, pe);
    if constexpr (S == Scope::warp) nvshmemx_putmem_nbi_warp(to, from, bytes, pe);
    if constexpr (S == Scope::block) nvshmemx_putmem_nbi_block(to, from, bytes, pe);
}

template <Scope S>
__device__ inline void group_get_nbi(void* to, const void* from, size_t bytes, int pe) {
    if constexpr (S == Scope::thread) nvshmem_getmem_nbi(to, from, bytes, pe);
    if constexpr (S == Scope::warp) nvshmemx_getmem_nbi_warp(to, from, bytes, pe);
    if constexpr (S == Scope::block) nvshmemx_getmem_nbi_block(to, from, bytes, pe);
}

template <Scope S>
__device__ inline void group_put(void* to, const void* from, size_t bytes, int pe) {
    if constexpr (S == Scope::thread) nvshmem_putmem(to, from, bytes, pe);
    if constexpr (S == Scope::warp) nvshmemx_putmem_warp(to, from, bytes, pe);
    if constexpr (S == Scope::block) nvshmemx_putmem_block(to, from, bytes, pe);
}

template <Scope S>
__device__ inline void group_get(void* to, const void* from, size_t bytes, int pe) {
    if constexpr (S == Scope::thread) nvshmem_getmem(to, from, bytes, pe);
    if constexpr (S == Scope::warp) nvshmemx_getmem_warp(to, from, bytes, pe);
    if constexpr (S == Scope::block) nvshmemx_getmem_block(to, from, bytes, pe);
}

template <Scope S>
__device__ inline void group_put_signal_nbi(void* to, const void* from, size_t bytes, uint64_t* signal, uint64_t value,
                                            int pe) {
    constexpr int set = NVSHMEM_SIGNAL_SET;
    if constexpr (S == Scope::thread) nvshmem_putmem_signal_nbi(to, from, bytes, signal, value, set, pe);
    if constexpr (S == Scope::warp) nvshmemx_putmem_signal_nbi_warp(to, from, bytes, signal, value, set, pe);
    if constexpr (S == Scope::block) nvshmemx_putmem_signal_nbi_block(to, from, bytes, signal, value, set, pe);
}

// The group has met since its last call. One fence covers all of a group's stores. A bulk copy is drained by the thread
// that issued it, which the library does not reveal: its scoped forms let every thread drain its own.
template <Scope S>
__device__ inline void group_quiet() {
    if constexpr (S == Scope::thread) {
        nvshmem_quiet();
    } else {
        nvshmemx_qp_handle_t all = NVSHMEMX_QP_ALL;
        if constexpr (S == Scope::warp) nvshmemx_qp_quiet_warp(NVSHMEMX_PE_ALL, &all, 1);
        if constexpr (S == Scope::block) nvshmemx_qp_quiet_block(NVSHMEMX_PE_ALL, &all, 1);
    }
}

// Orders the group's puts before its leader's next operation. The group has met since its last call. Without bulk
// copies the leader's fence covers all of the group.
template <Scope S, bool Tma>
__device__ inline void group_fence() {
    if constexpr (Tma) {
        nvshmem_fence();
        group_sync<S>();
    } else {
        if (leads<S>()) nvshmem_fence();
    }
}

#endif
