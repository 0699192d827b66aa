// The start, up to PEs that have heard of each other.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "ops.h"

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto MEETING_LIMIT = std::chrono::seconds(60);

std::string from_environment(const char* name) {
    const char* value = getenv(name);
    check(value != nullptr && *value != 0, std::string("the environment variable ") + name + " is missing");
    return value;
}

// PE 0 writes its id under another name first, so that no PE reads half of it.
void publish(const std::string& path, const nvshmemx_uniqueid_t& id) {
    const std::string draft = path + ".draft";
    FILE* file = fopen(draft.c_str(), "wb");
    check(file != nullptr, "cannot write " + draft + ": " + strerror(errno));
    const bool written = fwrite(&id, sizeof(id), 1, file) == 1;
    check(fclose(file) == 0 && written, "cannot write " + draft + ": " + strerror(errno));
    check(rename(draft.c_str(), path.c_str()) == 0, "cannot name " + path + ": " + strerror(errno));
}

void await_published(const std::string& path, nvshmemx_uniqueid_t& id) {
    const auto since = Clock::now();
    while (true) {
        if (FILE* file = fopen(path.c_str(), "rb")) {
            const bool whole = fread(&id, sizeof(id), 1, file) == 1;
            fclose(file);
            check(whole, path + " is shorter than a unique id");
            return;
        }
        check(Clock::now() - since < MEETING_LIMIT, "PE 0 wrote no " + path + " within 60 s");
        usleep(100);
    }
}

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
    setenv("NVSHMEM_TMA_POLICY", tma ? "ENABLE" : "DISABLE", 1);
}

std::string driver_version() {
    std::string found = "unknown";
    if (FILE* file = fopen("/sys/module/nvidia/version", "r")) {
        char text[64] = "";
        if (fscanf(file, "%63s", text) == 1) found = text;
        fclose(file);
    }
    if (FILE* file = found == "unknown" ? fopen("/proc/driver/nvidia/version", "r") : nullptr) {
        // The first word of digits and points: "NVRM version: ... Kernel Module  580.159.04  Release Build".
        char word[128];
        while (fscanf(file, "%127s", word) == 1) {
            if (strspn(word, "0123456789.") == strlen(word) && strchr(word, '.')) {
                found = word;
                break;
            }
        }
        fclose(file);
    }
    return found;
}

}  // namespace

std::string Peer::start() {
    pe = std::stoi(from_environment("PERF_PE"));
    n_pes = std::stoi(from_environment("PERF_N_PES"));
    check(pe >= 0 && pe < n_pes, "PERF_PE is not one of PERF_N_PES");
    const std::string path = from_environment("PERF_MEET") + "/nvshmem-unique-id";
    set_environment(tma);

    const auto began = Clock::now();
    check(cudaSetDevice(pe), "take this PE's GPU");
    nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
    if (pe == 0) {
        check(nvshmemx_get_uniqueid(&id) == 0, "nvshmemx_get_uniqueid failed");
        publish(path, id);
    } else {
        await_published(path, id);
    }
    nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;
    check(nvshmemx_set_attr_uniqueid_args(pe, n_pes, &id, &attr) == 0, "nvshmemx_set_attr_uniqueid_args failed");
    check(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr) == 0, "nvshmemx_init_attr failed");
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "make a stream");
    flags = static_cast<unsigned long long*>(nvshmem_calloc(N_FLAGS, sizeof(*flags)));
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

    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, pe), "ask for the GPU's name");
    char line[512];
    snprintf(line, sizeof(line),
             "ready {\"peer\":\"%s\",\"version\":\"%d.%d.%d\",\"device\":\"%s\",\"driver\":\"%s\",\"init_us\":%.1f}",
             tma ? "nvshmem-tma" : "nvshmem", NVSHMEM_VENDOR_MAJOR_VERSION, NVSHMEM_VENDOR_MINOR_VERSION,
             NVSHMEM_VENDOR_PATCH_VERSION, device.name, driver_version().c_str(), init_us);
    return line;
}
