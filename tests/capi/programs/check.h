// Random data, checks on the host and on the device, a checksum, and the way in which PEs without a launcher meet.
// It uses nothing of NVSHMEM, so that a program may open the library itself.
#ifndef PROGRAM_CHECK_H
#define PROGRAM_CHECK_H

#include <cuda_runtime.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace program {

inline const char* name = "";
inline int pe = 0, n_pes = 1;
inline uint64_t seed = 1, rounds = 0, checksum = 0;

// Prints the first wrong value and ends the process.
[[noreturn]] inline void fail(const char* format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    printf("%s: PE %d of %d: %s\n", name, pe, n_pes, text);
    fflush(stdout);
    _exit(1);
}

// Prints the closing line and returns the exit code.
inline int right() {
    printf("%s: right, PE %d of %d, checksum %016llx\n", name, pe, n_pes, (unsigned long long)checksum);
    fflush(stdout);
    return 0;
}

inline void cuda(cudaError_t code, const char* call, int line) {
    if (code != cudaSuccess) fail("line %d: %s: %s", line, call, cudaGetErrorString(code));
}

#define CUDA(call) program::cuda(call, #call, __LINE__)
#define CHECK(condition)                                                                     \
    do {                                                                                     \
        if (!(condition)) program::fail("line %d: not so: %s", __LINE__, #condition);        \
    } while (false)

// A random number: the same for the same arguments, on host and device.
__host__ __device__ inline uint64_t mix(uint64_t key, uint64_t index) {
    uint64_t bits = key + (index + 1) * 0x9e3779b97f4a7c15ull;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
    return bits ^ (bits >> 31);
}

// The element at an index of the random data of a key. Elements of floating point are small whole numbers.
template <class T>
__host__ __device__ inline T element(uint64_t key, uint64_t index) {
    return T(mix(key, index));
}
template <>
__host__ __device__ inline float element(uint64_t key, uint64_t index) {
    return float(int(mix(key, index) % 2001) - 1000);
}
template <>
__host__ __device__ inline double element(uint64_t key, uint64_t index) {
    return double(int(mix(key, index) % 2000001) - 1000000);
}

// The key of a PE's data in a round.
__host__ __device__ inline uint64_t key_of(uint64_t seed, int pe, uint64_t round) {
    return mix(mix(seed, uint64_t(pe)), round);
}

// The bits of an element.
template <class T>
__host__ __device__ inline uint64_t bits_of(T value) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(T));
    return bits;
}

// Compares one value of the host, and adds it to the checksum.
template <class T>
inline void same(const char* what, uint64_t index, T got, T wanted) {
    if (bits_of(got) != bits_of(wanted)) {
        fail("%s[%llu] is %.17g (%#llx), not %.17g (%#llx)", what, (unsigned long long)index, double(got),
             (unsigned long long)bits_of(got), double(wanted), (unsigned long long)bits_of(wanted));
    }
    checksum = mix(checksum, bits_of(got));
}

// The first wrong value that a kernel found, and the number of values that it compared.
struct Findings {
    unsigned long long wrong, compared;
    unsigned long long index, got, wanted;
    int line;
};

// Compares one value of the device. The caller's line says where.
template <class T>
__device__ inline void compare(Findings* findings, int line, uint64_t index, T got, T wanted) {
    atomicAdd(&findings->compared, 1ull);
    if (bits_of(got) == bits_of(wanted) || atomicAdd(&findings->wrong, 1ull) > 0) return;
    findings->line = line;
    findings->index = index;
    findings->got = bits_of(got);
    findings->wanted = bits_of(wanted);
}

#define COMPARE(findings, index, got, wanted) program::compare(findings, __LINE__, index, got, wanted)

inline Findings* findings() {
    Findings* made;
    CUDA(cudaMalloc(&made, sizeof(*made)));
    CUDA(cudaMemset(made, 0, sizeof(*made)));
    return made;
}

// Ends the program if a kernel has found a wrong value, or has not compared this number of values since the last call.
inline void settle(Findings* findings, uint64_t compared) {
    Findings seen;
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(&seen, findings, sizeof(seen), cudaMemcpyDefault));
    if (seen.wrong > 0) {
        fail("line %d of a kernel: value %llu is %#llx, not %#llx; %llu of %llu values are wrong", seen.line,
             seen.index, seen.got, seen.wanted, seen.wrong, seen.compared);
    }
    if (seen.compared != compared) {
        fail("kernels compared %llu values, not %llu", seen.compared, (unsigned long long)compared);
    }
    CUDA(cudaMemset(findings, 0, sizeof(*findings)));
    checksum = mix(checksum, compared);
}

// Returns the number after `--OPTION`.
inline uint64_t option(int argc, char** argv, const char* wanted, uint64_t otherwise) {
    for (int i = 1; i + 1 < argc; i++) {
        if (strcmp(argv[i], wanted) == 0) return strtoull(argv[i + 1], nullptr, 10);
    }
    return otherwise;
}

// Reads the options --seed and --rounds, and whether PROGRAM_PE, PROGRAM_PES and PROGRAM_MEET say where PEs meet.
inline bool begin(int argc, char** argv, const char* called, uint64_t default_rounds) {
    name = called;
    seed = option(argc, argv, "--seed", 1);
    rounds = option(argc, argv, "--rounds", default_rounds);
    const char *of_pe = getenv("PROGRAM_PE"), *of_pes = getenv("PROGRAM_PES");
    if (of_pe == nullptr || of_pes == nullptr || getenv("PROGRAM_MEET") == nullptr) return false;
    pe = atoi(of_pe);
    n_pes = atoi(of_pes);
    CHECK(0 <= pe && pe < n_pes);
    return true;
}

// Makes PE 0's bytes those of every PE, through a file of a folder that all PEs see. Each name is used once.
inline void pass_on(const char* what, void* bytes, size_t count) {
    const std::string file = std::string(getenv("PROGRAM_MEET")) + "/" + what, part = file + ".part";
    if (pe == 0) {
        FILE* to = fopen(part.c_str(), "wb");
        CHECK(to != nullptr && fwrite(bytes, 1, count, to) == count && fclose(to) == 0);
        CHECK(rename(part.c_str(), file.c_str()) == 0);
        return;
    }
    FILE* from = nullptr;
    for (int tries = 0; (from = fopen(file.c_str(), "rb")) == nullptr; tries++) {
        if (tries == 60000) fail("PE 0 has not written %s in a minute", file.c_str());
        usleep(1000);
    }
    CHECK(fread(bytes, 1, count, from) == count);
    fclose(from);
}

// Makes a GPU current: the one of this place among the PEs of the node, in a circle.
inline void take_gpu(int place) {
    int gpus = 0;
    CUDA(cudaGetDeviceCount(&gpus));
    CUDA(cudaSetDevice(place % gpus));
}

}  // namespace program

#endif
