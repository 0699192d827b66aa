// Collectives over all PEs: in kernels by one group of each PE, on a stream, and in a graph.
#include "ops.h"

namespace {

// Element `index` of a PE's source: sums of them are exact.
__host__ __device__ float element(uint64_t row, int pe, size_t index) {
    return float((index * 7 + 5 * uint64_t(pe) + row) % 13) - 6.0f;
}

enum class Op { reduce, reducescatter, fcollect, alltoall, broadcast };

Op named(const std::string& name) {
    if (name == "reduce") return Op::reduce;
    if (name == "reducescatter") return Op::reducescatter;
    if (name == "fcollect") return Op::fcollect;
    if (name == "alltoall") return Op::alltoall;
    if (name == "broadcast") return Op::broadcast;
    throw Skip{"no collective " + name};
}

template <Scope S, Op O>
__device__ void call(float* dest, float* source, size_t count) {
    const nvshmem_team_t team = NVSHMEM_TEAM_WORLD;
    if constexpr (S == Scope::warp) {
        if constexpr (O == Op::reduce) nvshmemx_float_sum_reduce_warp(team, dest, source, count);
        if constexpr (O == Op::reducescatter) nvshmemx_float_sum_reducescatter_warp(team, dest, source, count);
        if constexpr (O == Op::fcollect) nvshmemx_float_fcollect_warp(team, dest, source, count);
        if constexpr (O == Op::alltoall) nvshmemx_float_alltoall_warp(team, dest, source, count);
        if constexpr (O == Op::broadcast) nvshmemx_float_broadcast_warp(team, dest, source, count, 0);
    } else {
        if constexpr (O == Op::reduce) nvshmemx_float_sum_reduce_block(team, dest, source, count);
        if constexpr (O == Op::reducescatter) nvshmemx_float_sum_reducescatter_block(team, dest, source, count);
        if constexpr (O == Op::fcollect) nvshmemx_float_fcollect_block(team, dest, source, count);
        if constexpr (O == Op::alltoall) nvshmemx_float_alltoall_block(team, dest, source, count);
        if constexpr (O == Op::broadcast) nvshmemx_float_broadcast_block(team, dest, source, count, 0);
    }
}

template <Scope S, Op O>
__global__ void collective_kernel(float* dest, float* source, size_t count, unsigned iters, Span* spans) {
    // The kernels of all PEs have met before the clock starts.
    if constexpr (S == Scope::warp) nvshmemx_sync_all_warp();
    if constexpr (S != Scope::warp) nvshmemx_sync_all_block();
    const unsigned long long start = begin();
    for (unsigned i = 0; i < iters; i++) call<S, O>(dest, source, count);
    finish(spans, start);
}

template <Op O>
auto by_scope(Scope scope) {
    return scope == Scope::warp ? collective_kernel<Scope::warp, O> : collective_kernel<Scope::block, O>;
}

auto kernel_of(Op op, Scope scope) {
    switch (op) {
        case Op::reduce: return by_scope<Op::reduce>(scope);
        case Op::reducescatter: return by_scope<Op::reducescatter>(scope);
        case Op::fcollect: return by_scope<Op::fcollect>(scope);
        case Op::alltoall: return by_scope<Op::alltoall>(scope);
        default: return by_scope<Op::broadcast>(scope);
    }
}

void enqueue(Op op, float* dest, float* source, size_t count, cudaStream_t stream) {
    const nvshmem_team_t team = NVSHMEM_TEAM_WORLD;
    int failed = 0;
    switch (op) {
        case Op::reduce: failed = nvshmemx_float_sum_reduce_on_stream(team, dest, source, count, stream); break;
        case Op::reducescatter:
            failed = nvshmemx_float_sum_reducescatter_on_stream(team, dest, source, count, stream);
            break;
        case Op::fcollect: failed = nvshmemx_float_fcollect_on_stream(team, dest, source, count, stream); break;
        case Op::alltoall: failed = nvshmemx_float_alltoall_on_stream(team, dest, source, count, stream); break;
        case Op::broadcast: failed = nvshmemx_float_broadcast_on_stream(team, dest, source, count, 0, stream); break;
    }
    check(failed == 0, "a collective on a stream failed");
}

// The time of `work`, which is enqueued between two events, in ns.
template <class Work>
double between_events(cudaStream_t stream, Work work) {
    cudaEvent_t start, end;
    check(cudaEventCreate(&start), "make an event");
    check(cudaEventCreate(&end), "make an event");
    check(cudaEventRecord(start, stream), "record an event");
    work();
    check(cudaEventRecord(end, stream), "record an event");
    check(cudaStreamSynchronize(stream), "wait for the stream");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start, end), "read events");
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    return double(ms) * 1e6;
}

}  // namespace

Times run_collective(Peer& peer, const Request& r) {
    if (peer.tma) throw Skip{"the bulk copy engine is for copies"};
    if (!r.variant.empty() || r.ctas > 1) throw Skip{"the library chooses algorithm and blocks"};
    const Op op = named(r.op);
    const size_t count = r.bytes / 4, n = size_t(peer.n_pes);
    const size_t sources = op == Op::reducescatter || op == Op::alltoall ? n : 1;
    const size_t dests = op == Op::fcollect || op == Op::alltoall ? n : 1;
    float* source = reinterpret_cast<float*>(peer.source(r.bytes * sources));
    float* dest = reinterpret_cast<float*>(peer.target(r.bytes * dests));
    const uint64_t row = r.seed % 13;
    std::vector<float> data(count * sources);
    for (size_t i = 0; i < data.size(); i++) data[i] = element(row, peer.pe, i);
    check(cudaMemcpy(source, data.data(), data.size() * 4, cudaMemcpyHostToDevice), "fill the source");
    check(cudaMemset(dest, 0xa5, r.bytes * dests), "poison the destination");

    Times times;
    if (r.test == "coll_latency") {
        auto kernel = kernel_of(op, r.scope);
        const unsigned threads = r.scope == Scope::warp ? 32 : r.threads;
        cudaFuncAttributes limits;
        check(cudaFuncGetAttributes(&limits, kernel), "ask for a kernel's limits");
        if (unsigned(limits.maxThreadsPerBlock) < threads) {
            throw Skip{"it can't be launched with " + std::to_string(threads) + " threads"};
        }
        times = peer.repeat_kernel(r, 1, true, [&](unsigned, Span* spans) {
            peer.launch_collective(kernel, 1, threads, 0, dest, source, count, r.iters, spans);
        });
    } else {
        cudaGraphExec_t graph = nullptr;
        if (r.test == "coll_in_graph") {
            cudaGraph_t captured;
            check(cudaStreamBeginCapture(peer.stream, cudaStreamCaptureModeRelaxed), "begin a capture");
            for (unsigned i = 0; i < r.iters; i++) enqueue(op, dest, source, count, peer.stream);
            check(cudaStreamEndCapture(peer.stream, &captured), "end a capture");
            check(cudaGraphInstantiate(&graph, captured, 0), "instantiate a graph");
            cudaGraphDestroy(captured);
        }
        times = peer.repeat(r, true, [&](unsigned) {
            nvshmemx_barrier_all_on_stream(peer.stream);
            return between_events(peer.stream, [&] {
                if (graph) {
                    check(cudaGraphLaunch(graph, peer.stream), "launch a graph");
                } else {
                    for (unsigned i = 0; i < r.iters; i++) enqueue(op, dest, source, count, peer.stream);
                }
            });
        });
        if (graph) cudaGraphExecDestroy(graph);
    }

    std::vector<float> seen(count * dests);
    check(cudaMemcpy(seen.data(), dest, seen.size() * 4, cudaMemcpyDeviceToHost), "read the destination");
    for (size_t i = 0; i < seen.size(); i++) {
        float expected = 0;
        const size_t me = size_t(peer.pe);
        switch (op) {
            case Op::reduce:
                for (size_t pe = 0; pe < n; pe++) expected += element(row, int(pe), i);
                break;
            case Op::reducescatter:
                for (size_t pe = 0; pe < n; pe++) expected += element(row, int(pe), me * count + i);
                break;
            case Op::fcollect: expected = element(row, int(i / count), i % count); break;
            case Op::alltoall: expected = element(row, int(i / count), me * count + i % count); break;
            case Op::broadcast: expected = element(row, 0, i); break;
        }
        if (seen[i] != expected) {
            throw Wrong{"element " + std::to_string(i) + ": " + std::to_string(seen[i]) + " where " +
                        std::to_string(expected) + " was sent"};
        }
    }
    peer.meet();
    return times;
}
