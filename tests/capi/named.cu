// Collectives under NVSHMEM's own names, as compilers without headers call them: the part for the GPU is linked with
// `liboxshmem_device.ptx`, whose functions are those of the bitcode. docs/c.md has the commands.
#include "check.h"

constexpr int N = 1030;

#if defined MODULE
extern "C" {
__device__ int nvshmem_my_pe();
__device__ void nvshmem_barrier_all();
__device__ int nvshmemx_broadcastmem_block(int team, void* dest, const void* source, size_t bytes, int root);
__device__ int nvshmemx_fcollectmem_warp(int team, void* dest, const void* source, size_t bytes);
__device__ int nvshmemx_alltoallmem_block(int team, void* dest, const void* source, size_t bytes);
__device__ int nvshmem_int32_sum_reduce(int team, int* dest, const int* source, size_t count);
__device__ int nvshmemx_int8_min_reduce_block(int team, signed char* dest, const signed char* source, size_t count);
__device__ int nvshmemx_half_sum_reduce_block(int team, void* dest, const void* source, size_t count);
__device__ int nvshmemx_double_max_reduce_warp(int team, double* dest, const double* source, size_t count);

// Every thread makes the calls of a thread, as in Triton.
__global__ void collectives(char* copied, char* gathered, char* exchanged, const char* bytes, int* sum, const int* ints,
                            signed char* least, void* halves, const void* of_halves, double* most,
                            const double* doubles, int* codes) {
    int code = nvshmemx_broadcastmem_block(0, copied, bytes, N, 1);
    if (threadIdx.x < 32) code |= nvshmemx_fcollectmem_warp(0, gathered, bytes, N);
    __syncthreads();
    code |= nvshmemx_alltoallmem_block(0, exchanged, bytes, N);
    nvshmem_barrier_all();
    __syncthreads();
    code |= nvshmem_int32_sum_reduce(0, sum, ints, 3);
    __syncthreads();
    code |= nvshmemx_int8_min_reduce_block(0, least, (const signed char*)bytes, N);
    code |= nvshmemx_half_sum_reduce_block(0, halves, of_halves, N);
    if (threadIdx.x < 32) code |= nvshmemx_double_max_reduce_warp(0, most, doubles, N);
    if (code != 0) atomicAdd(codes, 1);
}
}
#else
#include <cuda_fp16.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include "opened.h"

using namespace program;

// A symmetric array, in which the program leaves values of its own.
template <class T>
struct Own {
    T* at;
    size_t count;

    explicit Own(size_t of) : at(static_cast<T*>(nvshmem_malloc(of * sizeof(T)))), count(of) {
        CHECK(at != nullptr);
        CUDA(cudaMemset(at, 0x5a, count * sizeof(T)));
    }

    template <class F>
    void fill(F value) {
        std::vector<T> values(count);
        for (size_t i = 0; i < count; i++) values[i] = value(i);
        CUDA(cudaMemcpy(at, values.data(), count * sizeof(T), cudaMemcpyDefault));
    }

    template <class F>
    void expect(const char* what, size_t until, F wanted) {
        std::vector<T> values(count);
        CUDA(cudaMemcpy(values.data(), at, count * sizeof(T), cudaMemcpyDefault));
        for (size_t i = 0; i < until; i++) same(what, i, double(values[i]), double(wanted(i)));
    }
};

int main(int argc, char** argv) {
    if (!begin(argc, argv, "named", 20)) fail("PROGRAM_PE, PROGRAM_PES and PROGRAM_MEET must say where PEs meet");
    take_gpu(pe);
    Driver driver;
    nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
    if (pe == 0) CHECK(nvshmemx_get_uniqueid(&id) == 0);
    pass_on("unique-id", &id, sizeof(id));
    nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;
    CHECK(nvshmemx_set_attr_uniqueid_args(pe, n_pes, &id, &attr) == 0);
    CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr) == 0);
    CUmodule module;
    CUfunction kernel;
    CHECK(driver.module_load(&module, (std::string(argv[0]) + ".cubin").c_str()) == CUDA_SUCCESS);
    CHECK(driver.module_function(&kernel, module, "collectives") == CUDA_SUCCESS);
    CHECK(nvshmemx_cumodule_init(module) == 0);
    const size_t all = size_t(N) * n_pes;
    Own<char> bytes(all), copied(N), gathered(all), exchanged(all), least(N);
    Own<int> ints(3), sum(3), codes(1);
    Own<__half> of_halves(N), halves(N);
    Own<double> doubles(N), most(N);
    const auto byte = [](int of, size_t i) { return char(of * 31 + i * 7); };
    bytes.fill([&](size_t i) { return byte(pe, i); });
    ints.fill([&](size_t i) { return int(100 * pe + i); });
    of_halves.fill([&](size_t i) { return __float2half(float(i % 50) + 0.5f * pe); });
    doubles.fill([&](size_t i) { return double(i % 2 == 0 ? pe : -pe); });
    codes.fill([](size_t) { return 0; });
    CUDA(cudaDeviceSynchronize());
    nvshmem_barrier_all();
    for (uint64_t round = 0; round < rounds; round++) {
        void* args[] = {&copied.at, &gathered.at, &exchanged.at, &bytes.at,   &sum.at,     &ints.at,
                        &least.at,  &halves.at,   &of_halves.at, &most.at, &doubles.at, &codes.at};
        CHECK(driver.launch(kernel, 1, 1, 1, 128, 1, 1, 0, nullptr, args) == CUDA_SUCCESS);
        CUDA(cudaDeviceSynchronize());
        const int last = n_pes - 1;
        codes.expect("calls that failed", 1, [](size_t) { return 0; });
        copied.expect("broadcast", N, [&](size_t i) { return byte(1, i); });
        gathered.expect("all-gather", all, [&](size_t i) { return byte(int(i / N), i % N); });
        exchanged.expect("all-to-all", all, [&](size_t i) { return byte(int(i / N), pe * N + i % N); });
        sum.expect("sum", 3, [&](size_t i) { return 100 * last * n_pes / 2 + int(i) * n_pes; });
        least.expect("least", N, [&](size_t i) {
            char wanted = byte(0, i);
            for (int of = 1; of < n_pes; of++) wanted = std::min(wanted, byte(of, i));
            return wanted;
        });
        halves.expect("halves", N, [&](size_t i) { return float(n_pes * (i % 50)) + 0.25f * last * n_pes; });
        most.expect("largest", N, [&](size_t i) { return i % 2 == 0 ? last : 0; });
        nvshmem_barrier_all();
    }
    CHECK(nvshmemx_cumodule_finalize(module) == 0 && nvshmemx_cumodule_finalize(module) != 0);
    nvshmem_finalize();
    return program::right();
}
#endif
