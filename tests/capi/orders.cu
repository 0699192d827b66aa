// Kernels whose PTX is checked instruction by instruction. Those named `golden_` keep the promises of the kernels of the
// same name in Rust (`xtask/golden.toml`), the others those of `orders.toml`.
#include <nvshmem.h>
#include <nvshmemx.h>

extern "C" {

__global__ void golden_fence(unsigned *at, uint64_t *flag, int pe) {
    nvshmem_uint_p(at, 7, pe);
    nvshmem_fence();
    nvshmem_uint64_p(flag, 1, pe);
}

__global__ void golden_quiet(unsigned *at, uint64_t *other, int pe) {
    nvshmem_uint_p(at, 7, pe);
    nvshmem_quiet();
    nvshmem_uint64_p(other, nvshmem_uint64_g(other, pe) + 1, pe);
}

__global__ void golden_put_signal_block(char *to, const char *from, size_t bytes, uint64_t *flag, int pe) {
    nvshmemx_putmem_signal_block(to, from, bytes, flag, 1, NVSHMEM_SIGNAL_SET, pe);
}

__global__ void golden_put_signal_add(char *to, const char *from, size_t bytes, uint64_t *flag, int pe) {
    nvshmem_putmem_signal(to, from, bytes, flag, 1, NVSHMEM_SIGNAL_ADD, pe);
}

// Units are copied in line, because a call saves registers of each thread.
__global__ void copies(char *to, char *from, size_t bytes, int pe) {
    nvshmemx_putmem_nbi_block(to, from, bytes, pe);
    nvshmemx_getmem_block(from, to, bytes, pe);
}

// A get may have its destination on the stack, which no access to global memory reaches.
__global__ void get_to_stack(const long *from, long *out, int i, int pe) {
    long here[8];
    nvshmem_long_get(here, from, 8, pe);
    *out = here[i];
}

__global__ void elements(char *a, short *b, float *c, double *d, int pe) {
    nvshmem_char_p(a, nvshmem_char_g(a, pe), pe);
    nvshmem_short_p(b, nvshmem_short_g(b, pe), pe);
    nvshmem_float_p(c, nvshmem_float_g(c, pe), pe);
    nvshmem_double_p(d, nvshmem_double_g(d, pe), pe);
}

__global__ void signals(uint64_t *set, uint64_t *add, uint64_t *seen, int pe) {
    nvshmemx_signal_op(set, 1, NVSHMEM_SIGNAL_SET, pe);
    nvshmemx_signal_op(add, 1, NVSHMEM_SIGNAL_ADD, pe);
    *seen = nvshmem_signal_fetch(set);
}

__global__ void wait(uint64_t *flag, const float *data, float *out) {
    nvshmem_signal_wait_until(flag, NVSHMEM_CMP_EQ, 1);
    *out = *data;
}

__global__ void atomics_32(unsigned *at, unsigned *old, int pe) {
    nvshmem_uint_atomic_inc(at, pe);
    nvshmem_uint_atomic_or(at, 2, pe);
    old[0] = nvshmem_uint_atomic_fetch_add(at, 3, pe);
    old[1] = nvshmem_uint_atomic_swap(at, 4, pe);
    old[2] = nvshmem_uint_atomic_compare_swap(at, 4, 5, pe);
    old[3] = nvshmem_uint_atomic_fetch_xor(at, 6, pe);
    nvshmem_uint_atomic_set(at, 7, pe);
    old[4] = nvshmem_uint_atomic_fetch(at, pe);
}

// An atomic is as wide as its type, `unsigned long` too.
__global__ void atomics_64(unsigned long *at, unsigned long *old, int pe) {
    nvshmem_ulong_atomic_add(at, 1, pe);
    nvshmem_ulong_atomic_and(at, 2, pe);
    old[0] = nvshmem_ulong_atomic_fetch_add(at, 3, pe);
    old[1] = nvshmem_ulong_atomic_swap(at, 4, pe);
    old[2] = nvshmem_ulong_atomic_compare_swap(at, 4, 5, pe);
}

__global__ void sums(half *a, float *b, double *c, int pe) {
    nvshmemx_half_atomic_add(a, half(1), pe);
    nvshmemx_float_atomic_add(b, 1, pe);
    nvshmemx_double_atomic_add(c, 1, pe);
}

// Members' tiles are read after all have come, past L1; the results are stored before the wait ends.
using Rows = nvshmemx::Tensor<float, nvshmemx::Layout<nvshmemx::shape<int, int>, nvshmemx::stride<int, ConstInt<1>>>>;
__global__ void tile_pull(Rows from, Rows to, nvshmem_team_t team) {
    using nvshmemx::NVLS_ONE_SHOT_PULL_NBI;
    nvshmemx::tile_sum_reduce_block<Rows, Rows, nvshmemx::shape<>, NVLS_ONE_SHOT_PULL_NBI>(team, from, to, {}, {}, 0);
    nvshmemx::tile_collective_wait_block<NVLS_ONE_SHOT_PULL_NBI>(team, 0);
}
}
