// A host program that takes CUDA's runtime and C's library from these headers, as programs for NVSHMEM do.
#include <nvshmem.h>
#include <nvshmemx.h>

int main() {
    float *at = nullptr;
    // The template of the runtime's interface for C++.
    if (cudaMalloc(&at, 1024) != cudaSuccess || nvshmemx_init_status() != NVSHMEM_STATUS_NOT_INITIALIZED) {
        fprintf(stderr, "%s\n", strerror(errno));
        exit(1);
    }
    int2 pair = make_int2(1, 2);
    return pair.x + pair.y == 3 ? 0 : 1;
}
