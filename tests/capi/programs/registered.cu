// Memory of the program as symmetric memory: allocations of the driver (cuMemCreate) that are registered, used by
// kernels, on streams and by collectives, unregistered and registered again. Wrong calls are errors, after which all
// goes on; NVSHMEM promises nothing of them, and with it the program does the rest.
#include "program.h"

#include "opened.h"

#if __has_include(<oxshmem.h>)
constexpr bool REFUSES = true;
#else
constexpr bool REFUSES = false;
#endif

constexpr int THREADS = 256;
constexpr size_t N = 100003;

// The driver's functions that allocate.
struct Memory {
    void* library = open_library("libcuda.so.1");
    decltype(&cuMemGetAllocationGranularity) granularity = FUNCTION_OF(library, cuMemGetAllocationGranularity);
    decltype(&cuMemCreate) create = FUNCTION_OF(library, cuMemCreate);
    decltype(&cuMemRelease) release = FUNCTION_OF(library, cuMemRelease);
    decltype(&cuMemAddressReserve) reserve = FUNCTION_OF(library, cuMemAddressReserve);
    decltype(&cuMemAddressFree) give_back = FUNCTION_OF(library, cuMemAddressFree);
    decltype(&cuMemMap) map = FUNCTION_OF(library, cuMemMap);
    decltype(&cuMemUnmap) unmap = FUNCTION_OF(library, cuMemUnmap);
    decltype(&cuMemSetAccess) allow = FUNCTION_OF(library, cuMemSetAccess);
    decltype(&cuDeviceGetAttribute) attribute = FUNCTION_OF(library, cuDeviceGetAttribute);
};

// An allocation of the program's own, with its mapping.
class Allocation {
  public:
    Allocation(const Memory& memory, size_t least, bool shareable = true) : memory(memory) {
        int gpu = -1, rdma = 0;
        CUDA(cudaGetDevice(&gpu));
        memory.attribute(&rdma, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED, gpu);
        CUmemAllocationProp prop = {};
        prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        prop.requestedHandleTypes = shareable ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : CU_MEM_HANDLE_TYPE_NONE;
        prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, gpu};
        prop.allocFlags.gpuDirectRDMACapable = rdma != 0;
        size_t step = 0;
        CHECK(memory.granularity(&step, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) == CUDA_SUCCESS);
        bytes = (least + step - 1) / step * step;
        CHECK(memory.create(&handle, bytes, &prop, 0) == CUDA_SUCCESS);
        CHECK(memory.reserve(&base, bytes, 0, 0, 0) == CUDA_SUCCESS);
        CHECK(memory.map(base, bytes, 0, handle, 0) == CUDA_SUCCESS);
        CUmemAccessDesc access = {};
        access.location = prop.location;
        access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        CHECK(memory.allow(base, bytes, &access, 1) == CUDA_SUCCESS);
        CUDA(cudaMemset(at(), 0xa5, bytes));
        CUDA(cudaDeviceSynchronize());
    }

    ~Allocation() {
        memory.unmap(base, bytes);
        memory.give_back(base, bytes);
        memory.release(handle);
    }

    void* at() const { return reinterpret_cast<void*>(base); }

    size_t bytes = 0;

  private:
    const Memory& memory;
    CUdeviceptr base = 0;
    CUmemGenericAllocationHandle handle = 0;
};

// The parts of an allocation, at its symmetric address.
struct Parts {
    float *inbox, *outbox, *fetched;
    uint64_t *flag, *counter;
    long long *numbers, *sums;

    explicit Parts(void* at) {
        inbox = static_cast<float*>(at);
        outbox = inbox + N;
        fetched = outbox + N;
        flag = reinterpret_cast<uint64_t*>(fetched + N + 1);
        counter = flag + 1;
        numbers = reinterpret_cast<long long*>(counter + 1);
        sums = numbers + 1000;
    }
};
constexpr size_t BYTES = (3 * N + 1) * sizeof(float) + 2002 * sizeof(uint64_t);

__global__ void exchange(Parts parts, int me, int n_pes, uint64_t key, uint64_t right_key, uint64_t left_key,
                         uint64_t round, Findings* findings) {
    const int right = (me + 1) % n_pes;
    for (size_t i = threadIdx.x; i < N; i += blockDim.x) parts.outbox[i] = element<float>(key, i);
    __syncthreads();
    nvshmemx_barrier_all_block();
    nvshmemx_float_put_signal_block(parts.inbox, parts.outbox, N, parts.flag, round, NVSHMEM_SIGNAL_SET, right);
    nvshmemx_float_get_block(parts.fetched, parts.outbox, N, right);
    if (threadIdx.x == 0) {
        for (int to = 0; to < n_pes; to++) nvshmem_uint64_atomic_add(parts.counter, me + 1, to);
        nvshmem_signal_wait_until(parts.flag, NVSHMEM_CMP_EQ, round);
    }
    __syncthreads();
    nvshmemx_barrier_all_block();
    for (size_t i = threadIdx.x; i < N; i += blockDim.x) {
        COMPARE(findings, i, parts.inbox[i], element<float>(left_key, i));
        COMPARE(findings, i, parts.fetched[i], element<float>(right_key, i));
        const float* theirs = static_cast<const float*>(nvshmem_ptr(parts.outbox, right));
        if (theirs != nullptr) COMPARE(findings, i, theirs[i], element<float>(right_key, i));
    }
    if (threadIdx.x == 0) COMPARE(findings, 0, *parts.counter, round * (n_pes * (n_pes + 1) / 2));
    nvshmemx_barrier_all_block();
}

// Uses a registered allocation, and checks the data at its symmetric and at its own address.
void use(const Allocation& allocation, void* symmetric, Findings* found, const char* what) {
    const Parts parts(symmetric), own(allocation.at());
    const int right = (pe + 1) % n_pes, left = (pe + n_pes - 1) % n_pes;
    CUDA(cudaMemset(parts.flag, 0, 2 * sizeof(uint64_t)));
    CUDA(cudaDeviceSynchronize());
    const bool near = nvshmem_ptr(symmetric, right) != nullptr;
    for (uint64_t round = 1; round <= rounds; round++) {
        nvshmem_barrier_all();
        launch(exchange, 1, THREADS, parts, pe, n_pes, key_of(seed, pe, round), key_of(seed, right, round),
               key_of(seed, left, round), round, found);
        CUDA(cudaStreamSynchronize(stream));
        settle(found, N * (near ? 3 : 2) + 1);
    }
    // On a stream, from ordinary symmetric memory and into it, and by a collective.
    Array<float> source(N), got(N);
    source.fill([](size_t i) { return element<float>(key_of(seed, pe, 0), i); });
    std::vector<long long> numbers(1000), sums(1000);
    for (size_t i = 0; i < numbers.size(); i++) numbers[i] = (long long)(mix(key_of(seed, pe, 0), i) % 1000);
    CUDA(cudaMemcpy(parts.numbers, numbers.data(), 1000 * sizeof(long long), cudaMemcpyDefault));
    CUDA(cudaDeviceSynchronize());
    nvshmem_barrier_all();
    nvshmemx_float_put_on_stream(parts.inbox, source.at(), N, right, stream);
    nvshmemx_barrier_all_on_stream(stream);
    nvshmemx_float_get_on_stream(got.at(), parts.inbox, N, right, stream);
    CHECK(nvshmemx_longlong_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, parts.sums, parts.numbers, 1000, stream) == 0);
    CUDA(cudaStreamSynchronize(stream));
    got.expect("got", [](size_t i) { return element<float>(key_of(seed, pe, 0), i); });
    std::vector<float> inbox(N);
    CUDA(cudaMemcpy(inbox.data(), own.inbox, N * sizeof(float), cudaMemcpyDefault));
    for (size_t i = 0; i < N; i++) same(what, i, inbox[i], element<float>(key_of(seed, left, 0), i));
    CUDA(cudaMemcpy(sums.data(), own.sums, 1000 * sizeof(long long), cudaMemcpyDefault));
    for (size_t i = 0; i < sums.size(); i++) {
        long long sum = 0;
        for (int from = 0; from < n_pes; from++) sum += (long long)(mix(key_of(seed, from, 0), i) % 1000);
        same("sums", i, sums[i], sum);
    }
    nvshmem_barrier_all();
}

// Wrong calls of all PEs, and of the last one.
void refusals(const Memory& memory, const Allocation& registered, void* symmetric, const Allocation& other) {
    auto refused = [](void* at, size_t bytes, int flags = 0) {
        CHECK(nvshmemx_buffer_register_symmetric(at, bytes, flags) == nullptr);
    };
    void *plain = nullptr, *heap = nvshmem_malloc(1 << 20);
    CUDA(cudaMalloc(&plain, registered.bytes));
    refused(nullptr, other.bytes);
    refused(other.at(), 0);
    refused(other.at(), other.bytes - 1);
    refused(other.at(), other.bytes / 2);
    refused(static_cast<char*>(other.at()) + other.bytes / 2, other.bytes / 2);
    refused(plain, registered.bytes);
    refused(heap, registered.bytes);
    refused(registered.at(), registered.bytes);
    refused(symmetric, registered.bytes);
    refused(other.at(), other.bytes, 1);
    refused(pe == n_pes - 1 ? nullptr : other.at(), other.bytes);
    {
        const Allocation alone(memory, BYTES, false);
        refused(alone.at(), alone.bytes);
    }
    if (n_pes > 1) refused(pe == 0 ? registered.at() : other.at(), pe == 0 ? registered.bytes : other.bytes);
    CHECK(nvshmemx_buffer_unregister_symmetric(symmetric, registered.bytes / 2) == NVSHMEMX_ERROR_INVALID_VALUE);
    CHECK(nvshmemx_buffer_unregister_symmetric(other.at(), other.bytes) == NVSHMEMX_ERROR_INVALID_VALUE);
    CHECK(nvshmemx_buffer_unregister_symmetric(heap, 1 << 20) == NVSHMEMX_ERROR_INVALID_VALUE);
    CUDA(cudaFree(plain));
    nvshmem_free(heap);
}

int main(int argc, char** argv) {
    // NVSHMEM's own granularity is larger than the driver's.
    if (!REFUSES) setenv("NVSHMEM_CUMEM_GRANULARITY", "2097152", 0);
    start(argc, argv, "registered", 5);
    const Memory memory;
    Findings* found = findings();
    const Allocation first(memory, BYTES), second(memory, 3 * BYTES);
    for (int turn = 0; turn < 3; turn++) {
        void* a = nvshmemx_buffer_register_symmetric(first.at(), first.bytes, 0);
        void* b = nvshmemx_buffer_register_symmetric(second.at(), second.bytes, 0);
        CHECK(a != nullptr && b != nullptr && a != b && a != first.at());
        use(first, a, found, "the first allocation");
        use(second, b, found, "the second allocation");
        if (REFUSES && turn == 1) {
            const Allocation other(memory, 5 * BYTES);
            refusals(memory, first, a, other);
        }
        CHECK(nvshmemx_buffer_unregister_symmetric(a, first.bytes) == 0);
        if (REFUSES) CHECK(nvshmemx_buffer_unregister_symmetric(a, first.bytes) == NVSHMEMX_ERROR_INVALID_VALUE);
        use(second, b, found, "the second allocation alone");
        // The place is free for the memory that was there.
        void* again = nvshmemx_buffer_register_symmetric_at_preferred_address(first.at(), first.bytes, a, 0);
        CHECK(again == a);
        use(first, again, found, "the first allocation again");
        CHECK(nvshmemx_buffer_unregister_symmetric(b, second.bytes) == 0);
        CHECK(nvshmemx_buffer_unregister_symmetric(again, first.bytes) == 0);
    }
    CUDA(cudaFree(found));
    return finish();
}
