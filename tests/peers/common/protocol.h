// The protocol of PROTOCOL.md for peers in C++: requests, answers, and how PEs find each other.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

// The group whose threads make a call together.
enum class Scope { thread, warp, block };

// One `run` line, with the protocol's defaults for missing keys.
struct Request {
    std::string test, op, variant, stat;
    Scope scope = Scope::block;
    unsigned ctas = 1, threads = 1024, iters = 100, repeat = 5;
    size_t bytes = 8, skew = 0, nx = 4096, ny = 4096;
    // Shared memory that each block lends to NVSHMEM under --tma; 0: the library's recommendation.
    size_t smem = 0;
    bool both = false, line = false, bound = false, corrupt = false;
    // The seed of generators: equal on every PE, different for every row.
    uint64_t seed = 0;

    static Request parse(const std::string& text);
    // Threads of a kernel in which one group alone calls.
    unsigned one_group() const { return scope == Scope::block ? threads : scope == Scope::warp ? 32 : 1; }
    size_t groups() const {
        return size_t(ctas) * (scope == Scope::block ? 1 : scope == Scope::warp ? threads / 32 : threads);
    }
};

// Thrown if this peer has no such row: why, equal on every PE.
struct Skip {
    std::string why;
};

// The received data differs from the sent data.
struct Wrong {
    std::string what;
};

// Nanoseconds for an iteration, by repetition; none on a PE that only serves.
struct Times : std::vector<double> {
    // The blocks that the library chose for the row; 0: unknown, or those of the request.
    unsigned ctas = 0;
};

inline void check(cudaError_t code, const char* step) {
    if (code != cudaSuccess) {
        throw std::runtime_error(std::string(step) + ": " + cudaGetErrorString(code) + " (" + std::to_string(code) +
                                 ")");
    }
}

inline void check(bool good, const std::string& step) {
    if (!good) throw std::runtime_error(step);
}

// Takes this PE's GPU. PEs share GPUs if there are more PEs than GPUs.
inline void take_gpu(int pe) {
    int gpus = 0;
    check(cudaGetDeviceCount(&gpus), "count the GPUs");
    check(cudaSetDevice(pe % gpus), "take this PE's GPU");
}

inline size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

// The value of a variable, which must be set.
std::string from_environment(const char* name);

// PE 0 gives `bytes` to the other PEs, under a name in the folder in which they meet.
void publish(const std::string& name, const void* at, size_t bytes);
void await_published(const std::string& name, void* at, size_t bytes);

// The first line of a process.
std::string ready_line(const std::string& peer, const std::string& version, double init_us);

// Serves until `quit` or the end of the input, and returns the exit status. `start` returns the first line, `end` is
// called after the last request. A step that takes more than 120 s ends the process, since libraries wait without a
// limit. Only answers go to the standard output; what libraries print there goes to standard error.
int serve(const std::function<std::string()>& start, const std::function<Times(const Request&)>& run,
          const std::function<void()>& end);
