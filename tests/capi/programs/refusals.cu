// Streams that calls refuse: one whose capture a call would spoil, and one of another context; a kernel that ends the
// program; and attributes that a collective launch refuses or has. The call is an error, and captures, streams and the world go on. A call without a
// status ends its process, so that the program starts itself for each such call. NVSHMEM promises nothing of these calls:
// with it the program only does the rest, whose checksum it prints.
#include "program.h"

#include "opened.h"

#include <sys/wait.h>

#if __has_include(<oxshmem.h>)
#include <oxshmem.h>
constexpr bool REFUSES = true;
inline int synchronize(cudaStream_t of) { return oxshmem_stream_synchronize(of); }
#else
constexpr bool REFUSES = false;
inline int synchronize(cudaStream_t) { return 0; }
#endif

// The exit status of a process after an error that has no other way out.
constexpr int EXIT = 255;

__global__ void count(int* counter) { ++*counter; }

// A stream of a context that the program makes beside the CUDA runtime's.
struct Foreign {
    void* library = open_library("libcuda.so.1");
    void* context = nullptr;
    cudaStream_t stream = nullptr;

    Foreign() {
        int gpu = -1;
        void* popped = nullptr;
        CUDA(cudaGetDevice(&gpu));
        CHECK(symbol<int(void**, unsigned, int)>(library, "cuCtxCreate_v2")(&context, 0, gpu) == 0);
        CHECK(symbol<int(cudaStream_t*, unsigned)>(library, "cuStreamCreate")(&stream, 0) == 0);
        CHECK(symbol<int(void**)>(library, "cuCtxPopCurrent_v2")(&popped) == 0 && popped == context);
    }

    ~Foreign() { symbol<int(void*)>(library, "cuCtxDestroy_v2")(context); }
};

// Ends the program with the status of an error.
__global__ void stop() { nvshmem_global_exit(EXIT); }

// Makes a call without a status that can't be served, or ends the program in a kernel. It does not return.
void wrong_call(const std::string& what) {
    // The program has not chosen a GPU yet.
    nvshmem_init();
    CHECK(nvshmemx_init_status() == NVSHMEM_STATUS_IS_BOOTSTRAPPED && nvshmem_team_n_pes(NVSHMEMX_TEAM_NODE) == 1);
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    Array<int> at(1);
    CHECK(nvshmemx_init_status() == NVSHMEM_STATUS_IS_INITIALIZED);
    const int local = 1;
    if (what == "capture") {
        // Memory of the host is copied at once, for which the call would wait for the stream.
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        nvshmemx_putmem_on_stream(at.at(), &local, sizeof(local), nvshmem_my_pe(), stream);
    } else if (what == "exit") {
        stop<<<1, 1, 0, stream>>>();
        CUDA(cudaStreamSynchronize(stream));
    } else {
        Foreign foreign;
        nvshmemx_int_p_on_stream(at.at(), local, nvshmem_my_pe(), foreign.stream);
    }
}

// Starts the program for a wrong call, as a world of one PE, and checks that it ends with the status of an error and with
// one line that has these words.
void ends(const char* program, const char* what, const char* words) {
    const std::string said = std::string(getenv("PROGRAM_MEET") ? getenv("PROGRAM_MEET") : ".") + "/refused." + what +
                             "." + std::to_string(getpid());
    const std::string command = std::string("env -u PROGRAM_PE -u PROGRAM_PES -u PROGRAM_MEET '") + program +
                                "' --wrong " + what + " 2>'" + said + "'";
    const int status = system(command.c_str());
    FILE* from = fopen(said.c_str(), "r");
    CHECK(from != nullptr);
    char line[1024] = "";
    int lines = 0;
    for (char next[1024]; fgets(next, sizeof(next), from) != nullptr;) {
        if (strncmp(next, "oxshmem: ", 9) != 0 || strstr(next, "note: ") != nullptr) continue;
        memcpy(line, next, sizeof(next));
        lines++;
    }
    fclose(from);
    remove(said.c_str());
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT || lines != 1 || strstr(line, words) == nullptr) {
        fail("%s: status %#x and %d lines, the last one: %s", what, status, lines, line);
    }
}

// Captures a kernel around a call that must not be captured, and runs the graph.
void in_a_capture() {
    int* counter;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CUDA(cudaMalloc(&counter, sizeof(*counter)));
    CUDA(cudaMemset(counter, 0, sizeof(*counter)));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    count<<<1, 1, 0, stream>>>(counter);
    if (REFUSES) CHECK(synchronize(stream) == NVSHMEMX_ERROR_INVALID_VALUE);
    count<<<1, 1, 0, stream>>>(counter);
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&ready, graph, 0));
    CUDA(cudaGraphLaunch(ready, stream));
    CUDA(cudaStreamSynchronize(stream));
    int counted = 0;
    CUDA(cudaMemcpy(&counted, counter, sizeof(counted), cudaMemcpyDefault));
    same("counter", 0, counted, 2);
    CUDA(cudaGraphExecDestroy(ready));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaFree(counter));
}

// Each PE passes a stream of another context, so that none waits for the others.
void of_another_context() {
    Foreign foreign;
    CHECK(synchronize(foreign.stream) != 0);
    CHECK(nvshmemx_barrier_on_stream(NVSHMEM_TEAM_WORLD, foreign.stream) != 0);
}

// Counts the blocks, and the clusters that they form.
__global__ void count_clusters(unsigned* blocks, unsigned* clusters) {
    unsigned rank = 0;
#if __CUDA_ARCH__ >= 900
    asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(rank));
#endif
    if (threadIdx.x == 0) atomicAdd(blocks, 1);
    if (threadIdx.x == 0 && rank == 0) atomicAdd(clusters, 1);
}

// Launches a grid with attributes, and returns the status.
int launch_with(std::vector<cudaLaunchAttribute> attributes, unsigned** counters, dim3 grid = dim3(4)) {
    void* args[] = {&counters[0], &counters[1]};
    nvshmemx_collective_launch_attr_t attr = {};
    attr.cuda_config.gridDim = grid;
    attr.cuda_config.blockDim = dim3(32);
    attr.cuda_config.stream = stream;
    attr.cuda_config.attrs = attributes.data();
    attr.cuda_config.numAttrs = unsigned(attributes.size());
    return nvshmemx_collective_launch_attr(&attr, (const void*)count_clusters, args);
}

void with_attributes() {
    int gpu = -1, major = 0;
    CUDA(cudaGetDevice(&gpu));
    CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu));
    cudaLaunchAttribute cooperative = {}, apart = {}, priority = {}, clusters = {};
    cooperative.id = apart.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    priority.id = cudaLaunchAttributePriority;
    clusters.id = cudaLaunchAttributeClusterDimension;
    clusters.val.clusterDim.x = 2, clusters.val.clusterDim.y = clusters.val.clusterDim.z = 1;
    unsigned* counters[2];
    CUDA(cudaMalloc(&counters[0], 2 * sizeof(unsigned)));
    CUDA(cudaMemset(counters[0], 0, 2 * sizeof(unsigned)));
    CUDA(cudaDeviceSynchronize());
    counters[1] = counters[0] + 1;
    CHECK(launch_with({apart}, counters) == NVSHMEMX_ERROR_INVALID_VALUE);
    CHECK(launch_with({priority, priority}, counters) == NVSHMEMX_ERROR_INVALID_VALUE);
    CHECK(launch_with({}, counters) == 0);
    CHECK(launch_with({priority, cooperative}, counters) == 0);
    const bool has_clusters = major >= 9;
    if (has_clusters) CHECK(launch_with({clusters, priority}, counters) == 0);
    CUDA(cudaStreamSynchronize(stream));
    unsigned counted[2];
    CUDA(cudaMemcpy(counted, counters[0], sizeof(counted), cudaMemcpyDefault));
    same("blocks", 0, counted[0], has_clusters ? 12u : 8u);
    same("clusters", 0, counted[1], has_clusters ? 10u : 8u);
    if (has_clusters) {
        // As many clusters as fit, where GPCs may have SMs left over.
        clusters.val.clusterDim.x = 4;
        CUDA(cudaMemset(counters[0], 0, sizeof(counted)));
        CUDA(cudaDeviceSynchronize());
        CHECK(launch_with({clusters}, counters, dim3(0, 0, 0)) == 0);
        CUDA(cudaStreamSynchronize(stream));
        CUDA(cudaMemcpy(counted, counters[0], sizeof(counted), cudaMemcpyDefault));
        CHECK(counted[1] > 0);
        same("blocks of clusters", 0, counted[0], 4 * counted[1]);
    }
    CUDA(cudaFree(counters[0]));
}

int main(int argc, char** argv) {
    if (argc == 3 && std::string(argv[1]) == "--wrong") {
        wrong_call(argv[2]);
        return 0;
    }
    start(argc, argv, "refusals", 1);
    Array<int> at(1);
    in_a_capture();
    if (REFUSES) {
        const uint64_t of_both = checksum;
        of_another_context();
        with_attributes();
        checksum = of_both;
        ends(argv[0], "capture", "on a stream that is being captured");
        ends(argv[0], "context", "stream");
        ends(argv[0], "exit", "a kernel of PE 0 ended the program by nvshmem_global_exit with status 255");
    }
    nvshmem_barrier_all();
    // The world goes on.
    nvshmemx_int_p_on_stream(at.at(), 100 + pe, (pe + 1) % n_pes, stream);
    nvshmemx_barrier_all_on_stream(stream);
    CUDA(cudaStreamSynchronize(stream));
    at.expect("the neighbour's number", [&](size_t) { return 100 + (pe + n_pes - 1) % n_pes; });
    return finish();
}
