// Operations of the host: put and get, on a stream and not, and symmetric memory.
#include <chrono>

#include "check.h"

namespace {

using Clock = std::chrono::steady_clock;

double ns_since(Clock::time_point start) {
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

Times malloc_times(Peer& peer, const Request& r) {
    return peer.repeat(r, true, [&](unsigned) {
        double total = 0;
        for (unsigned i = 0; i < r.iters; i++) {
            const auto start = Clock::now();
            void* at = nvshmem_malloc(r.bytes);
            total += ns_since(start);
            check(at != nullptr, "nvshmem_malloc of " + std::to_string(r.bytes) + " bytes gave nothing");
            nvshmem_free(at);
        }
        return total;
    });
}

}  // namespace

Times run_host(Peer& peer, const Request& r) {
    if (peer.tma) throw Skip{"no kernel of the caller's lends shared memory"};
    if (r.test == "malloc") return malloc_times(peer, r);
    peer.needs_two();
    const bool get = r.op == "get";
    if (!get && r.op != "put" && !r.op.empty()) throw Skip{"no host operation " + r.op};
    char* source = peer.source(r.bytes + r.skew) + (get ? 0 : r.skew);
    char* target = peer.target(r.bytes + r.skew) + (get ? r.skew : 0);
    fill_random(peer, source, r.bytes, seed_of(r, peer.pe));
    poison_target(peer, target, r.bytes);

    cudaEvent_t start = nullptr, end = nullptr;
    check(cudaEventCreate(&start), "make an event");
    check(cudaEventCreate(&end), "make an event");
    const bool mine = peer.sends(r);
    const int pe = peer.other();
    cudaStream_t stream = peer.stream;
    const auto on_stream = [&] {
        get ? nvshmemx_getmem_on_stream(target, source, r.bytes, pe, stream)
            : nvshmemx_putmem_on_stream(target, source, r.bytes, pe, stream);
    };
    Times times = peer.repeat(r, mine, [&](unsigned) -> double {
        if (!mine) return 0;
        const auto began = Clock::now();
        if (r.test == "bw") {
            check(cudaEventRecord(start, stream), "record an event");
            for (unsigned i = 0; i < r.iters; i++) {
                get ? nvshmemx_getmem_nbi_on_stream(target, source, r.bytes, pe, stream)
                    : nvshmemx_putmem_nbi_on_stream(target, source, r.bytes, pe, stream);
            }
            nvshmemx_quiet_on_stream(stream);
            check(cudaEventRecord(end, stream), "record an event");
            check(cudaStreamSynchronize(stream), "wait for the stream");
            float ms = 0;
            check(cudaEventElapsedTime(&ms, start, end), "read events");
            return double(ms) * 1e6;
        }
        for (unsigned i = 0; i < r.iters; i++) {
            if (r.test == "stream_latency") {
                on_stream();
                check(cudaStreamSynchronize(stream), "wait for the stream");
            } else {
                get ? nvshmem_getmem(target, source, r.bytes, pe) : nvshmem_putmem(target, source, r.bytes, pe);
                nvshmem_quiet();
            }
        }
        return ns_since(began);
    });
    check(cudaEventDestroy(start), "drop an event");
    check(cudaEventDestroy(end), "drop an event");
    if (get ? mine : peer.receives(r)) {
        compare_random(peer, target, r.bytes, seed_of(r, pe));
        compare_guards(peer, target, r.bytes);
    }
    return times;
}
