#include "collective.h"

#include <cuda.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstring>

namespace {

constexpr unsigned char POISON = 0xa5;

// Element `index` of a PE's source: sums of them are exact.
float element(uint64_t row, int pe, size_t index) {
    return float((index * 7 + 5 * uint64_t(pe) + row) % 13) - 6.0f;
}

Collective::Op named(const std::string& name) {
    using Op = Collective::Op;
    if (name == "reduce") return Op::reduce;
    if (name == "reducescatter") return Op::reducescatter;
    if (name == "fcollect") return Op::fcollect;
    if (name == "alltoall") return Op::alltoall;
    if (name == "broadcast") return Op::broadcast;
    throw Skip{"no collective " + name};
}

// The driver's query, since the runtime's knows only kernels of its own program. Null if the driver lacks it.
auto kernel_params() {
    using Query = CUresult (*)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*);
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    return reinterpret_cast<Query>(driver ? dlsym(driver, "cuGraphKernelNodeGetParams_v2") : nullptr);
}

unsigned largest_kernel(cudaGraph_t graph) {
    static const auto params_of = kernel_params();
    size_t n = 0;
    check(cudaGraphGetNodes(graph, nullptr, &n), "count the nodes of a graph");
    std::vector<cudaGraphNode_t> nodes(n);
    check(cudaGraphGetNodes(graph, nodes.data(), &n), "list the nodes of a graph");
    unsigned most = 0;
    for (cudaGraphNode_t node : nodes) {
        cudaGraphNodeType type;
        check(cudaGraphNodeGetType(node, &type), "ask for a node's type");
        CUDA_KERNEL_NODE_PARAMS kernel = {};
        if (type != cudaGraphNodeTypeKernel || !params_of || params_of(node, &kernel) != CUDA_SUCCESS) continue;
        most = std::max(most, kernel.gridDimX * kernel.gridDimY * kernel.gridDimZ);
    }
    return most;
}

class Event {
public:
    Event() { check(cudaEventCreate(&event_), "make an event"); }
    Event(const Event&) = delete;
    ~Event() { cudaEventDestroy(event_); }
    void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "record an event"); }
    double ns_since(const Event& earlier) const {
        float ms = 0;
        check(cudaEventElapsedTime(&ms, earlier.event_, event_), "read events");
        return double(ms) * 1e6;
    }

private:
    cudaEvent_t event_ = nullptr;
};

}  // namespace

Collective::Collective(const Request& r, int pe, int n_pes)
    : op(named(r.op)), count(r.bytes / 4), pe_(pe), n_pes_(n_pes), row_(r.seed % 13), corrupt_(r.corrupt) {
    if (op == Op::reducescatter || op == Op::alltoall) sources_ = size_t(n_pes);
    if (op == Op::fcollect || op == Op::alltoall) dests_ = size_t(n_pes);
}

void Collective::prepare(float* source, float* dest) const {
    std::vector<float> data(count * sources_);
    for (size_t i = 0; i < data.size(); i++) data[i] = element(row_, pe_, i);
    check(cudaMemcpy(source, data.data(), data.size() * 4, cudaMemcpyHostToDevice), "fill the source");
    char* guarded = reinterpret_cast<char*>(dest) - GUARD;
    check(cudaMemset(guarded, POISON, dest_bytes() + 2 * GUARD), "poison the destination");
    // Streams that do not wait for the default one follow.
    check(cudaDeviceSynchronize(), "fill the source and poison the destination");
}

float Collective::expected(size_t index) const {
    const size_t me = size_t(pe_);
    const auto sum = [&](size_t of) {
        float all = 0;
        for (int pe = 0; pe < n_pes_; pe++) all += element(row_, pe, of);
        return all;
    };
    switch (op) {
        case Op::reduce: return sum(index);
        case Op::reducescatter: return sum(me * count + index);
        case Op::fcollect: return element(row_, int(index / count), index % count);
        case Op::alltoall: return element(row_, int(index / count), me * count + index % count);
        default: return element(row_, 0, index);
    }
}

void Collective::compare(const float* dest) const {
    std::vector<char> guarded(dest_bytes() + 2 * GUARD);
    const char* from = reinterpret_cast<const char*>(dest) - GUARD;
    check(cudaMemcpy(guarded.data(), from, guarded.size(), cudaMemcpyDeviceToHost), "read the destination");
    std::vector<float> seen(count * dests_);
    memcpy(seen.data(), guarded.data() + GUARD, dest_bytes());
    if (corrupt_ && !seen.empty()) seen[0] += 1;
    size_t wrong = 0, first = 0;
    for (size_t i = 0; i < seen.size(); i++) {
        if (seen[i] == expected(i)) continue;
        if (wrong++ == 0) first = i;
    }
    if (wrong > 0) {
        throw Wrong{std::to_string(wrong) + " of " + std::to_string(seen.size()) + " elements, first " +
                    std::to_string(first) + ": " + std::to_string(seen[first]) + " where " +
                    std::to_string(expected(first)) + " was sent"};
    }
    const auto poisoned = [](char c) { return static_cast<unsigned char>(c) == POISON; };
    const auto before = guarded.begin() + GUARD, after = guarded.end() - GUARD;
    if (!std::all_of(guarded.begin(), before, poisoned)) throw Wrong{"bytes before the destination have changed"};
    if (!std::all_of(after, guarded.end(), poisoned)) throw Wrong{"bytes after the destination have changed"};
}

Graph::Graph(cudaStream_t stream, const std::function<void()>& enqueue) {
    cudaGraph_t captured;
    // Libraries may allocate or ask for events while they enqueue.
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "begin a capture");
    enqueue();
    check(cudaStreamEndCapture(stream, &captured), "end a capture");
    ctas_ = largest_kernel(captured);
    check(cudaGraphInstantiate(&exec_, captured, 0), "instantiate a graph");
    cudaGraphDestroy(captured);
}

Graph::~Graph() {
    if (exec_) cudaGraphExecDestroy(exec_);
}

double between_events(cudaStream_t stream, const std::function<void()>& enqueue) {
    Event start, end;
    start.record(stream);
    enqueue();
    end.record(stream);
    check(cudaStreamSynchronize(stream), "wait for the stream");
    return end.ns_since(start);
}
