// Regions of the host and of blocks: at most one at a time, which is open between its start and its stop.
#include "program.h"

constexpr uint32_t BATCH = NVSHMEMX_REGION_HINT_BATCH_RMA, UNKNOWN = 1u << 31;
constexpr int INVALID = NVSHMEMX_ERROR_INVALID_VALUE;

// The answer to a query, or -1 for an error.
__device__ int is_active(uint32_t hints) {
    int active = -1;
    return nvshmemx_region_is_active(hints, &active) == 0 ? active : -1;
}

#ifdef OXSHMEM_VENDOR_STRING
constexpr int STAY_OPEN = 1;
#else
// NVSHMEM has a place for each open region, and loses that of a region without a stop.
constexpr int STAY_OPEN = 0;
#endif

// Each thread compares the same 18 answers. The last region of a block of an odd number may stay open.
__global__ void regions(Findings* findings) {
    nvshmemx_region_attrs_t attrs = NVSHMEMX_REGION_ATTRS_INITIALIZER, unknown = NVSHMEMX_REGION_ATTRS_INITIALIZER;
    attrs.hints = BATCH;
    unknown.hints = UNKNOWN;
    nvshmemx_region_handle_t region = 0, other = 0;
    COMPARE(findings, 0, is_active(0), 0);
    COMPARE(findings, 1, nvshmemx_region_stop_block(1), INVALID);
    COMPARE(findings, 2, nvshmemx_region_start_block(&region, &unknown), INVALID);
    COMPARE(findings, 3, nvshmemx_region_start_block(nullptr, &attrs), INVALID);
    COMPARE(findings, 4, is_active(UNKNOWN), -1);
    COMPARE(findings, 5, nvshmemx_region_is_active(0, nullptr), INVALID);
    COMPARE(findings, 6, nvshmemx_region_start_block(&region, &attrs), 0);
    COMPARE(findings, 7, is_active(0) + 2 * is_active(BATCH), 3);
    COMPARE(findings, 8, nvshmemx_region_start_block(&other, &attrs), INVALID);
    COMPARE(findings, 9, nvshmemx_region_stop_block(region + 1), INVALID);
    COMPARE(findings, 10, is_active(BATCH), 1);
    COMPARE(findings, 11, nvshmemx_region_stop_block(region), 0);
    COMPARE(findings, 12, is_active(0), 0);
    COMPARE(findings, 13, nvshmemx_region_stop_block(region), INVALID);
    COMPARE(findings, 14, nvshmemx_region_start_block(&other, nullptr), 0);
    COMPARE(findings, 15, other != region, true);
    COMPARE(findings, 16, is_active(0) + 2 * is_active(BATCH), 1);
    COMPARE(findings, 17, (blockIdx.x & STAY_OPEN) != 0 ? 0 : nvshmemx_region_stop_block(other), 0);
}

int is_active_on_host(uint32_t hints) {
    int active = -1;
    return nvshmemx_region_is_active(hints, &active) == 0 ? active : -1;
}

void of_host() {
    nvshmemx_region_attrs_t attrs = NVSHMEMX_REGION_ATTRS_INITIALIZER;
    attrs.hints = BATCH;
    nvshmemx_region_handle_t region = 0;
    CHECK(nvshmemx_region_start(&region, &attrs) == 0);
    CHECK(is_active_on_host(0) == 1 && is_active_on_host(BATCH) == 1);
    CHECK(nvshmemx_region_stop(region) == 0 && is_active_on_host(0) == 0);
    CHECK(nvshmemx_region_start(&region, nullptr) == 0);
    CHECK(is_active_on_host(0) == 1 && is_active_on_host(BATCH) == 0);
    CHECK(nvshmemx_region_stop(region) == 0);
}

int main(int argc, char** argv) {
    start(argc, argv, "regions", 20);
    Findings* found = findings();
    of_host();
    for (uint64_t round = 0; round < rounds; round++) {
        // Blocks of later rounds have the shared memory of these.
        const int blocks = 1 + int(mix(seed, round) % 400), threads = 1 + int(mix(seed, round) / 400 % 512);
        regions<<<blocks, threads, 0, stream>>>(found);
        CUDA(cudaGetLastError());
        settle(found, uint64_t(18) * blocks * threads);
    }
    return finish();
}
