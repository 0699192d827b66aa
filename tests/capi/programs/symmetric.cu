// Symmetric memory as a framework for tensors uses it: a host library that is opened, a module that the driver loads, a
// kernel that takes the peers' addresses, teams, and collectives of bytes on a stream.
#include "check.h"

constexpr int N = 2050;

#if defined MODULE
#include <nvshmem.h>
#include <nvshmemx.h>

// The module's kernel: sends to the right with a signal, reads from the left, and leaves a number with each PE.
extern "C" __global__ void exchange(float* inbox, float* got, const float* outbox, uint64_t* flag, int64_t* numbers,
                                    uint64_t round) {
    const int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes(), right = (me + 1) % n_pes, left = (me + n_pes - 1) % n_pes;
    nvshmemx_putmem_signal_block(inbox, outbox, N * sizeof(float), flag, 1, NVSHMEM_SIGNAL_ADD, right);
    nvshmemx_getmem_nbi_block(got, outbox, N * sizeof(float), left);
    if (threadIdx.x == 0) {
        for (int to = 0; to < n_pes; to++) nvshmem_int64_p(numbers + me, int64_t(round) * 1000 + me, to);
        nvshmem_signal_wait_until(flag, NVSHMEM_CMP_GE, round);
    }
    nvshmem_quiet();
    nvshmemx_barrier_all_block();
}
#else
#include <nvshmem.h>
#include <nvshmemx.h>

#include "opened.h"

using namespace program;

constexpr int THREADS = 256;

// The functions of the opened library.
struct Opened {
    void* library = open_library("libnvshmem_host.so.3");
    decltype(&nvshmem_malloc) malloc = FUNCTION_OF(library, nvshmem_malloc);
    decltype(&nvshmem_free) free = FUNCTION_OF(library, nvshmem_free);
    decltype(&nvshmem_ptr) ptr = FUNCTION_OF(library, nvshmem_ptr);
    decltype(&nvshmem_barrier_all) barrier_all = FUNCTION_OF(library, nvshmem_barrier_all);
    decltype(&nvshmem_team_split_strided) split = FUNCTION_OF(library, nvshmem_team_split_strided);
    decltype(&nvshmem_team_n_pes) team_n_pes = FUNCTION_OF(library, nvshmem_team_n_pes);
    decltype(&nvshmem_team_my_pe) team_my_pe = FUNCTION_OF(library, nvshmem_team_my_pe);
    decltype(&nvshmem_team_destroy) team_destroy = FUNCTION_OF(library, nvshmem_team_destroy);
    decltype(&nvshmemx_get_uniqueid) get_uniqueid = FUNCTION_OF(library, nvshmemx_get_uniqueid);
    decltype(&nvshmemx_cumodule_init) module_init = FUNCTION_OF(library, nvshmemx_cumodule_init);
    decltype(&nvshmemx_cumodule_finalize) module_end = FUNCTION_OF(library, nvshmemx_cumodule_finalize);
    decltype(&nvshmemx_putmem_on_stream) put = FUNCTION_OF(library, nvshmemx_putmem_on_stream);
    decltype(&nvshmemx_getmem_on_stream) get = FUNCTION_OF(library, nvshmemx_getmem_on_stream);
    decltype(&nvshmemx_barrier_on_stream) barrier = FUNCTION_OF(library, nvshmemx_barrier_on_stream);
    decltype(&nvshmemx_alltoallmem_on_stream) alltoall = FUNCTION_OF(library, nvshmemx_alltoallmem_on_stream);
    decltype(&nvshmemx_broadcastmem_on_stream) broadcast = FUNCTION_OF(library, nvshmemx_broadcastmem_on_stream);
};

// Memory of a program that keeps no type for it.
template <class T>
T* allocate(const Opened& opened, size_t count, int byte) {
    auto* at = static_cast<T*>(opened.malloc(count * sizeof(T)));
    CHECK(at != nullptr);
    CUDA(cudaMemset(at, byte, count * sizeof(T)));
    return at;
}

template <class F>
void expect(const char* what, const float* at, size_t count, F wanted) {
    std::vector<float> values(count);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(values.data(), at, count * sizeof(float), cudaMemcpyDefault));
    for (size_t i = 0; i < count; i++) same(what, i, values[i], wanted(i));
}

// A kernel without a call of the library: it stores to the peers' memory and raises a word of each peer. The peers
// raise those at `words[me]`.
__global__ void all_gather(float* const* peers, uint64_t* const* words, const float* own, int me, int n_pes,
                           uint64_t round) {
    for (int i = 0; i < n_pes; i++) {
        const int to = (me + i) % n_pes;
        for (int at = threadIdx.x; at < N; at += blockDim.x) peers[to][me * N + at] = own[at];
    }
    __threadfence_system();
    __syncthreads();
    for (int to = threadIdx.x; to < n_pes; to += blockDim.x) {
        atomicExch_system(reinterpret_cast<unsigned long long*>(words[to] + me), (unsigned long long)round);
        while (*reinterpret_cast<volatile uint64_t*>(words[me] + to) < round) continue;
    }
    __threadfence_system();
}

// Gives every PE's elements to every PE by the kernel, if this PE can reach all memory by loads and stores.
void gather_by_addresses(const Opened& opened, float* all, const float* own, cudaStream_t stream) {
    auto* words = allocate<uint64_t>(opened, n_pes, 0);
    std::vector<void*> addresses;
    for (void* at : {static_cast<void*>(all), static_cast<void*>(words)}) {
        for (int of = 0; of < n_pes; of++) addresses.push_back(opened.ptr(at, of));
    }
    CHECK(addresses[pe] == all && addresses[n_pes + pe] == words);
    for (void* address : addresses) CHECK(address != nullptr);
    void** table;
    CUDA(cudaMalloc(&table, addresses.size() * sizeof(void*)));
    CUDA(cudaMemcpy(table, addresses.data(), addresses.size() * sizeof(void*), cudaMemcpyDefault));
    CUDA(cudaDeviceSynchronize());
    opened.barrier_all();
    for (uint64_t round = 1; round <= rounds; round++) {
        auto* peers = reinterpret_cast<float* const*>(table);
        auto* of_words = reinterpret_cast<uint64_t* const*>(table + n_pes);
        void* args[] = {&peers, &of_words, &own, &pe, &n_pes, &round};
        CHECK(nvshmemx_collective_launch((const void*)all_gather, 1, THREADS, args, 0, stream) == 0);
    }
    CUDA(cudaStreamSynchronize(stream));
    opened.barrier_all();
    opened.free(words);
}

int main(int argc, char** argv) {
    if (!begin(argc, argv, "symmetric", 50)) fail("PROGRAM_PE, PROGRAM_PES and PROGRAM_MEET must say where PEs meet");
    take_gpu(pe);
    Opened opened;
    Driver driver;
    nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
    if (pe == 0) CHECK(opened.get_uniqueid(&id) == 0);
    pass_on("unique-id", &id, sizeof(id));
    // Nothing sets its version, as in the frameworks that start so.
    nvshmemx_init_attr_t attr;
    CHECK(nvshmemx_set_attr_uniqueid_args(pe, n_pes, &id, &attr) == 0);
    CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr) == 0);
    cudaStream_t stream;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUmodule module;
    CUfunction kernel;
    CHECK(driver.module_load(&module, module_file(argv[0]).c_str()) == CUDA_SUCCESS);
    CHECK(driver.module_function(&kernel, module, "exchange") == CUDA_SUCCESS);
    CHECK(opened.module_init(module) == 0);
    nvshmem_team_t team = NVSHMEM_TEAM_INVALID;
    CHECK(opened.split(NVSHMEM_TEAM_WORLD, 0, 1, n_pes, nullptr, 0, &team) == 0);
    CHECK(opened.team_n_pes(team) == n_pes && opened.team_my_pe(team) == pe);

    const int right = (pe + 1) % n_pes, left = (pe + n_pes - 1) % n_pes;
    const size_t all = size_t(N) * n_pes;
    auto *inbox = allocate<float>(opened, all, 0xa5), *got = allocate<float>(opened, all, 0xa5);
    auto* outbox = allocate<float>(opened, all, 0xa5);
    auto* flag = allocate<uint64_t>(opened, 1, 0);
    auto* numbers = allocate<int64_t>(opened, n_pes, 0);
    std::vector<float> values(all);
    for (size_t i = 0; i < all; i++) values[i] = element<float>(key_of(seed, pe, 0), i);
    CUDA(cudaMemcpy(outbox, values.data(), all * sizeof(float), cudaMemcpyDefault));
    CUDA(cudaDeviceSynchronize());
    opened.barrier_all();
    const auto of = [&](int of_pe, size_t i) { return element<float>(key_of(seed, of_pe, 0), i); };

    for (uint64_t round = 1; round <= rounds; round++) {
        void* args[] = {&inbox, &got, &outbox, &flag, &numbers, &round};
        CHECK(driver.launch(kernel, 1, 1, 1, THREADS, 1, 1, 0, stream, args) == CUDA_SUCCESS);
    }
    CUDA(cudaStreamSynchronize(stream));
    expect("inbox by the module", inbox, N, [&](size_t i) { return of(left, i); });
    expect("got by the module", got, N, [&](size_t i) { return of(left, i); });
    std::vector<int64_t> seen(n_pes);
    CUDA(cudaMemcpy(seen.data(), numbers, n_pes * sizeof(int64_t), cudaMemcpyDefault));
    for (int i = 0; i < n_pes; i++) same("numbers", i, seen[i], int64_t(rounds) * 1000 + i);

    const size_t bytes = N * sizeof(float);
    CHECK(opened.barrier(team, stream) == 0);
    opened.put(inbox, outbox + 1, bytes - sizeof(float), right, stream);
    CHECK(opened.barrier(team, stream) == 0);
    opened.get(got, outbox, bytes, right, stream);
    CUDA(cudaStreamSynchronize(stream));
    expect("inbox of the stream", inbox, N - 1, [&](size_t i) { return of(left, i + 1); });
    expect("got by the stream", got, N, [&](size_t i) { return of(right, i); });
    CHECK(opened.barrier(team, stream) == 0);
    CHECK(opened.alltoall(team, inbox, outbox, bytes, stream) == 0);
    CUDA(cudaStreamSynchronize(stream));
    expect("all to all", inbox, all, [&](size_t i) { return of(int(i / N), pe * N + i % N); });
    CHECK(opened.broadcast(team, got, outbox, bytes, n_pes - 1, stream) == 0);
    CUDA(cudaStreamSynchronize(stream));
    expect("broadcast", got, N, [&](size_t i) { return of(n_pes - 1, i); });
    gather_by_addresses(opened, inbox, outbox, stream);
    expect("gathered", inbox, all, [&](size_t i) { return of(int(i / N), i % N); });

    CHECK(opened.module_end(module) == 0);
    CHECK(driver.module_unload(module) == CUDA_SUCCESS);
    opened.team_destroy(team);
    for (void* at : {(void*)inbox, (void*)got, (void*)outbox, (void*)flag, (void*)numbers}) opened.free(at);
    nvshmem_finalize();
    return program::right();
}
#endif
