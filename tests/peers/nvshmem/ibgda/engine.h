// The engine that completes posted entries: the kernels `sink` and `sink_checked` of tests/nic-kernels, from the same
// PTX that the project's own program loads, so that both libraries are measured against one engine.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

inline void must(cudaError_t answer, const char* what) {
    if (answer != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(answer));
}

inline void must(CUresult answer, const char* what) {
    const char* text = nullptr;
    if (answer == CUDA_SUCCESS) return;
    cuGetErrorString(answer, &text);
    throw std::runtime_error(std::string(what) + ": " + (text ? text : "an unknown error"));
}

// The present step of the program, for the report of a program that is held up.
inline std::atomic<const char*> doing{"starting"};

// `SinkQueue` of tests/nic-kernels/src/table.rs.
struct SinkQueue {
    uint64_t doorbell, dbr, cqe, sq, start;
    uint32_t depth, qpn;
    uint64_t unused[2];
};
static_assert(sizeof(SinkQueue) == 64, "as the engine reads it");

// `SinkReport`.
struct SinkReport {
    uint64_t done, rings, astray, late;
    uint64_t entries, elements, values, places;
    uint64_t violations, rule, index, found;
    uint64_t unused[4];
};
static_assert(sizeof(SinkReport) == 128, "as the engine writes it");

// `SinkJob`.
struct SinkJob {
    uint64_t table, reports, stop, limit_ns;
    uint32_t queues, unused;
};
static_assert(sizeof(SinkJob) == 40, "as the engine reads it");

// Zeroed GPU memory, freed with this object.
class Device {
public:
    explicit Device(size_t bytes) : bytes_(bytes) {
        must(cudaMalloc(&at_, bytes), "allocate memory of the GPU");
        must(cudaMemset(at_, 0, bytes), "clear memory of the GPU");
        must(cudaDeviceSynchronize(), "clear memory of the GPU");
    }
    // A free would wait for an engine that an error has left running, and the error would not be reported.
    ~Device() {
        if (std::uncaught_exceptions() == 0) cudaFree(at_);
    }
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    char* at(size_t byte = 0) const { return static_cast<char*>(at_) + byte; }
    uint64_t address(size_t byte = 0) const { return reinterpret_cast<uint64_t>(at(byte)); }
    size_t bytes() const { return bytes_; }

private:
    void* at_ = nullptr;
    size_t bytes_;
};

class Engine {
public:
    static constexpr unsigned THREADS = 256;
    static constexpr uint64_t LIMIT_NS = 60000000000ull;

    explicit Engine(const std::string& ptx) {
        std::ifstream file(ptx, std::ios::binary);
        if (!file) throw std::runtime_error("cannot read the engine's kernels in " + ptx);
        std::string image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        must(cuModuleLoadData(&module_, image.c_str()), "load the engine's kernels");
        must(cuModuleGetFunction(&plain_, module_, "sink"), "find the kernel `sink`");
        must(cuModuleGetFunction(&checks_, module_, "sink_checked"), "find the kernel `sink_checked`");
        int registers = 0;
        // A kernel is loaded on its first query: now, while none runs.
        must(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, plain_), "load the kernel `sink`");
        must(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, checks_), "load the kernel `sink_checked`");
        must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create the engine's stream");
        must(cudaStreamCreateWithFlags(&control_, cudaStreamNonBlocking), "create a stream");
        must(cudaStreamCreateWithFlags(&posting_, cudaStreamNonBlocking), "create the posting kernels' stream");
        must(cudaMallocHost(&one_, sizeof *one_), "allocate memory for the stop word");
        *one_ = 1;
    }

    // The stream of the engine, and that of posting kernels.
    cudaStream_t stream() const { return stream_; }
    cudaStream_t posting() const { return posting_; }

    // `table` and `reports` have `queues` rows; `stop` is a word. All of it is GPU memory.
    void start(bool checks, uint64_t table, uint64_t reports, uint64_t stop, unsigned queues) {
        doing = "launching the engine";
        stop_ = stop;
        must(cuMemsetD32(stop, 0, 1), "clear the engine's stop word");
        must(cudaDeviceSynchronize(), "clear the engine's stop word");
        // The first argument is a world's state, which the engine does not use. The driver knows its size.
        std::vector<uint64_t> world(512, 0);
        SinkJob job{table, reports, stop, LIMIT_NS, queues, 0};
        void* arguments[] = {world.data(), &job};
        must(cuLaunchKernel(checks ? checks_ : plain_, 1, 1, 1, THREADS, 1, 1, 0, stream_, arguments, nullptr),
             "launch the engine");
    }

    void end() {
        if (!stop_) return;
        doing = "stopping the engine";
        // A copy, since a memset may be a kernel of the driver's, which would have to be loaded.
        must(cudaMemcpyAsync(reinterpret_cast<void*>(stop_), one_, sizeof *one_, cudaMemcpyHostToDevice, control_), "stop the engine");
        must(cudaStreamSynchronize(stream_), "wait for the engine");
        stop_ = 0;
    }

private:
    CUmodule module_ = nullptr;
    CUfunction plain_ = nullptr, checks_ = nullptr;
    cudaStream_t stream_ = nullptr, control_ = nullptr, posting_ = nullptr;
    uint32_t* one_ = nullptr;
    CUdeviceptr stop_ = 0;
};
