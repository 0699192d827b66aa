// A ring: each PE sends its block to its right neighbour with a signal, and waits for the one from the left.
#include "program.h"

__global__ void ring(float* inbox, const float* block, size_t n, uint64_t* flag) {
    const int right = (nvshmem_my_pe() + 1) % nvshmem_n_pes();
    nvshmemx_float_put_signal_nbi_block(inbox, block, n, flag, 1, NVSHMEM_SIGNAL_ADD, right);
    if (threadIdx.x == 0) nvshmem_signal_wait_until(flag, NVSHMEM_CMP_EQ, 1);
    nvshmemx_barrier_all_block();
}

int main(int argc, char** argv) {
    start(argc, argv, "ring", 1);
    const size_t n = 100003;
    const int left = (pe + n_pes - 1) % n_pes;
    Array<float> inbox(n), block(n);
    Array<uint64_t> flag(1);
    flag.zero();
    block.fill([&](size_t i) { return element<float>(key_of(seed, pe, 0), i); });
    nvshmem_barrier_all();
    launch(ring, 1, 512, inbox.at(), block.at(), n, flag.at());
    CUDA(cudaStreamSynchronize(stream));
    inbox.expect("inbox", [&](size_t i) { return element<float>(key_of(seed, left, 0), i); });
    return finish();
}
