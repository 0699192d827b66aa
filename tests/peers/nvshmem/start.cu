// The start, up to PEs that have heard of each other.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "ops.h"

namespace {

using Clock = std::chrono::steady_clock;

// Signals the next PE, and counts the blocks for which the library would use lent shared memory.
__global__ void hello_kernel(unsigned long long* heard, unsigned* lending, int pe, int n_pes, unsigned smem) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        nvshmem_ulonglong_p(heard, (unsigned long long)(pe + 1), (pe + 1) % n_pes);
        nvshmem_quiet();
    }
    if (smem > 0) {
        lend<true>(smem);
#ifdef __CUDA_ARCH__
        if (threadIdx.x == 0 && nvshmemi_tma_smem_registered()) atomicAdd(lending, 1);
#endif
        take_back<true>();
    }
}

// Settings for one host's GPUs over loopback; variables that the user has set stay.
void set_environment(bool tma) {
    setenv("NVSHMEM_REMOTE_TRANSPORT", "none", 0);
    setenv("NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", "lo", 0);
    setenv("NVSHMEM_DISABLE_NVLS", "1", 0);
    // NVSHMEM gives collectives on streams to NCCL if it finds it.
    setenv("NCCL_NVLS_ENABLE", "0", 0);
    setenv("NVSHMEM_TMA_POLICY", tma ? "ENABLE" : "DISABLE", 1);
}

}  // namespace

std::string Peer::start() {
    pe = std::stoi(from_environment("PERF_PE"));
    n_pes = std::stoi(from_environment("PERF_N_PES"));
    check(pe >= 0 && pe < n_pes, "PERF_PE is not one of PERF_N_PES");
    const std::string id_name = "nvshmem-unique-id";
    set_environment(tma);

    const auto began = Clock::now();
    take_gpu(pe);
    nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
    if (pe == 0) {
        check(nvshmemx_get_uniqueid(&id) == 0, "nvshmemx_get_uniqueid failed");
        publish(id_name, &id, sizeof(id));
    } else {
        await_published(id_name, &id, sizeof(id));
    }
    nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;
    check(nvshmemx_set_attr_uniqueid_args(pe, n_pes, &id, &attr) == 0, "nvshmemx_set_attr_uniqueid_args failed");
    check(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr) == 0, "nvshmemx_init_attr failed");
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "make a stream");
    flags = static_cast<unsigned long long*>(nvshmem_calloc(PLACES * PLACE, sizeof(*flags)));
    check(flags != nullptr, "nvshmem_calloc of the flags gave nothing");
    launch(hello_kernel, 1, 64, 0, flags, static_cast<unsigned*>(nullptr), pe, n_pes, 0u);
    check(cudaStreamSynchronize(stream), "wait for the first kernel");
    const double init_us = std::chrono::duration<double, std::micro>(Clock::now() - began).count();

    meet();
    unsigned long long heard = 0;
    check(cudaMemcpy(&heard, flags, sizeof(heard), cudaMemcpyDeviceToHost), "read what was heard");
    const int expected = (pe + n_pes - 1) % n_pes + 1;
    check(heard == unsigned(expected),
          "the first kernel's word is " + std::to_string(heard) + ", not " + std::to_string(expected));
    if (tma) {
        // A library that does not use the lent memory would otherwise be measured as if it did.
        const unsigned blocks = 132, smem = unsigned(nvshmemx_ask_smem(NVSHMEMX_SMEM_RECOMMENDED));
        unsigned* lending = reinterpret_cast<unsigned*>(scratch(sizeof(unsigned)));
        unsigned took = 0;
        check(cudaMemsetAsync(lending, 0, sizeof(took), stream), "count lenders");
        launch(hello_kernel, blocks, 64, smem, flags, lending, pe, n_pes, smem);
        check(cudaStreamSynchronize(stream), "lend shared memory");
        check(cudaMemcpy(&took, lending, sizeof(took), cudaMemcpyDeviceToHost), "count lenders");
        check(took == blocks, "the library takes shared memory from " + std::to_string(took) + " of 132 blocks");
    }
    meet();

    char version[64];
    snprintf(version, sizeof(version), "%d.%d.%d", NVSHMEM_VENDOR_MAJOR_VERSION, NVSHMEM_VENDOR_MINOR_VERSION,
             NVSHMEM_VENDOR_PATCH_VERSION);
    return ready_line(tma ? "nvshmem-tma" : "nvshmem", version, init_us);
}
