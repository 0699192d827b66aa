// Collectives over all PEs: in kernels by one group of each PE, on a stream, and in a graph.
#include "collective.h"
#include "ops.h"

namespace {

using Op = Collective::Op;

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

}  // namespace

Times run_collective(Peer& peer, const Request& r) {
    if (peer.tma) throw Skip{"the bulk copy engine is for copies"};
    if (!r.variant.empty() || r.ctas > 1) throw Skip{"the library chooses algorithm and blocks"};
    const Collective row(r, peer.pe, peer.n_pes);
    float* source = reinterpret_cast<float*>(peer.source(row.source_bytes()));
    float* dest = reinterpret_cast<float*>(peer.target(row.dest_bytes()));
    row.prepare(source, dest);

    const auto enqueue_one = [&] { enqueue(row.op, dest, source, row.count, peer.stream); };
    const auto enqueue_all = [&] {
        for (unsigned i = 0; i < r.iters; i++) enqueue_one();
    };
    Times times;
    if (r.test == "coll_latency") {
        auto kernel = kernel_of(row.op, r.scope);
        cudaFuncAttributes limits;
        check(cudaFuncGetAttributes(&limits, kernel), "ask for a kernel's limits");
        if (unsigned(limits.maxThreadsPerBlock) < r.one_group()) {
            throw Skip{"it can't be launched with " + std::to_string(r.one_group()) + " threads"};
        }
        times = peer.repeat_kernel(r, 1, true, [&](unsigned, Span* spans) {
            peer.launch_collective(kernel, 1, r.one_group(), 0, dest, source, row.count, r.iters, spans);
        });
    } else if (r.test == "coll_in_graph") {
        const Graph graph(peer.stream, enqueue_all);
        times = peer.repeat(r, true, [&](unsigned) {
            nvshmemx_barrier_all_on_stream(peer.stream);
            return between_events(peer.stream, [&] { graph.launch(peer.stream); });
        });
        times.ctas = graph.ctas();
    } else {
        times = peer.repeat(r, true, [&](unsigned) {
            nvshmemx_barrier_all_on_stream(peer.stream);
            return between_events(peer.stream, enqueue_all);
        });
        times.ctas = Graph(peer.stream, enqueue_one).ctas();
    }
    row.compare(dest);
    peer.meet();
    return times;
}
