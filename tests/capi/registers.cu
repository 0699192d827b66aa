// Small kernels of users, whose registers a test counts.
#include <nvshmem.h>
#include <nvshmemx.h>

extern "C" __global__ void put_by_block(float *dest, const float *source, size_t n, int pe, uint64_t *word) {
    nvshmemx_float_put_block(dest, source, n, pe);
    if (threadIdx.x == 0) {
        nvshmem_quiet();
        nvshmem_signal_wait_until(word, NVSHMEM_CMP_GE, 1);
    }
}

extern "C" __global__ void put_by_thread(float *dest, const float *source, size_t n, int pe, uint64_t *word) {
    nvshmem_float_put(dest, source, n, pe);
    nvshmem_fence();
    nvshmemx_signal_op(word, 1, NVSHMEM_SIGNAL_SET, pe);
    nvshmem_signal_wait_until(word, NVSHMEM_CMP_GE, 1);
}

extern "C" __global__ void put_signal_by_block(float *dest, const float *source, size_t n, int pe, uint64_t *word) {
    nvshmemx_float_put_signal_block(dest, source, n, word, 1, NVSHMEM_SIGNAL_SET, pe);
    if (threadIdx.x == 0) nvshmem_signal_wait_until(word, NVSHMEM_CMP_GE, 1);
}

extern "C" __global__ void put_nbi_by_warp(float *dest, const float *source, size_t n, int pe, uint64_t *word) {
    nvshmemx_float_put_nbi_warp(dest, source, n, pe);
    nvshmem_fence();
    if (threadIdx.x == 0) nvshmemx_signal_op(word, 1, NVSHMEM_SIGNAL_SET, pe);
}

extern "C" __global__ void get_by_block(float *dest, const float *source, size_t n, int pe) {
    nvshmemx_float_get_block(dest, source, n, pe);
}

extern "C" __global__ void p_and_wait(float *dest, float value, int pe, uint64_t *word) {
    nvshmem_float_p(dest, value, pe);
    nvshmem_signal_wait_until(word, NVSHMEM_CMP_GE, 1);
}
