// barrier_all and sync_all, by one group of each PE and on a stream.
#include "collective.h"
#include "ops.h"

namespace {

template <Scope S, bool Barrier>
__device__ void meet_all() {
    if constexpr (Barrier) {
        if constexpr (S == Scope::thread) nvshmem_barrier_all();
        if constexpr (S == Scope::warp) nvshmemx_barrier_all_warp();
        if constexpr (S == Scope::block) nvshmemx_barrier_all_block();
    } else {
        if constexpr (S == Scope::thread) nvshmem_sync_all();
        if constexpr (S == Scope::warp) nvshmemx_sync_all_warp();
        if constexpr (S == Scope::block) nvshmemx_sync_all_block();
    }
}

template <Scope S, bool Barrier>
__global__ void meet_kernel(unsigned iters, Span* spans) {
    // The kernels of all PEs have met before the clock starts.
    meet_all<S, Barrier>();
    const unsigned long long start = begin();
    for (unsigned i = 0; i < iters; i++) meet_all<S, Barrier>();
    finish(spans, start);
}

template <bool Barrier>
auto by_scope(Scope scope) {
    if (scope == Scope::thread) return meet_kernel<Scope::thread, Barrier>;
    if (scope == Scope::warp) return meet_kernel<Scope::warp, Barrier>;
    return meet_kernel<Scope::block, Barrier>;
}

Times on_stream(Peer& peer, const Request& r, void (*call)(cudaStream_t)) {
    return peer.repeat(r, true, [&](unsigned) {
        // The streams of all PEs have met before the first event is recorded.
        call(peer.stream);
        return between_events(peer.stream, [&] {
            for (unsigned i = 0; i < r.iters; i++) call(peer.stream);
        });
    });
}

}  // namespace

Times run_coll(Peer& peer, const Request& r) {
    if (peer.tma) throw Skip{"nothing is copied"};
    if (r.test == "barrier_on_stream") return on_stream(peer, r, nvshmemx_barrier_all_on_stream);
    if (r.test == "sync_on_stream") return on_stream(peer, r, nvshmemx_sync_all_on_stream);
    auto kernel = r.test == "barrier_latency" ? by_scope<true>(r.scope) : by_scope<false>(r.scope);
    return peer.repeat_kernel(r, 1, true, [&](unsigned, Span* spans) {
        peer.launch_collective(kernel, 1, r.one_group(), 0, r.iters, spans);
    });
}
