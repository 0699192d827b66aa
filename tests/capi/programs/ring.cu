// A ring: each PE sends its block to its right neighbour with a signal, and waits for the one from the left.
#include <nvshmem.h>
#include <nvshmemx.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void ring(float* inbox, const float* block, size_t n, uint64_t* flag) {
    const int right = (nvshmem_my_pe() + 1) % nvshmem_n_pes();
    nvshmemx_float_put_signal_nbi_block(inbox, block, n, flag, 1, NVSHMEM_SIGNAL_ADD, right);
    if (threadIdx.x == 0) nvshmem_signal_wait_until(flag, NVSHMEM_CMP_EQ, 1);
    nvshmemx_barrier_all_block();
}

static void check(cudaError_t code, const char* step) {
    if (code == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", step, cudaGetErrorString(code));
    std::exit(1);
}

int main() {
    nvshmem_init();
    const int pe = nvshmem_my_pe(), n_pes = nvshmem_n_pes(), left = (pe + n_pes - 1) % n_pes;
    check(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)), "cudaSetDevice");
    size_t n = 100003;
    auto* inbox = static_cast<float*>(nvshmem_calloc(n, sizeof(float)));
    auto* block = static_cast<float*>(nvshmem_malloc(n * sizeof(float)));
    auto* flag = static_cast<uint64_t*>(nvshmem_calloc(1, sizeof(uint64_t)));
    std::vector<float> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = float(pe * 1000 + i % 1000);
    check(cudaMemcpy(block, values.data(), n * sizeof(float), cudaMemcpyDefault), "cudaMemcpy");
    nvshmem_barrier_all();
    void* args[] = {&inbox, &block, &n, &flag};
    if (nvshmemx_collective_launch(reinterpret_cast<const void*>(ring), 1, 512, args, 0, nullptr) != 0) return 1;
    check(cudaDeviceSynchronize(), "the kernel");
    check(cudaMemcpy(values.data(), inbox, n * sizeof(float), cudaMemcpyDefault), "cudaMemcpy");
    for (size_t i = 0; i < n; ++i) {
        if (values[i] == float(left * 1000 + i % 1000)) continue;
        std::fprintf(stderr, "PE %d: element %zu is %g\n", pe, i, values[i]);
        return 1;
    }
    std::printf("PE %d of %d: the block of PE %d has arrived\n", pe, n_pes, left);
    nvshmem_finalize();
    return 0;
}
