// The peer's process.
#include <cstdio>
#include <cstring>

#include "perf.h"

namespace {

using Run = Times (*)(Peer&, const Request&);

const struct {
    const char* test;
    Run run;
} TESTS[] = {
    {"shmem_put_bw", run_bw},
    {"shmem_get_bw", run_bw},
    {"shmem_put_nbi_rate", run_bw},
    {"shmem_p_bw", run_rates},
    {"shmem_g_bw", run_rates},
    {"shmem_st_bw", run_rates},
    {"shmem_atomic_bw", run_rates},
    {"shmem_put_latency", run_latency},
    {"shmem_get_latency", run_latency},
    {"shmem_p_latency", run_latency},
    {"shmem_g_latency", run_latency},
    {"shmem_atomic_latency", run_latency},
    {"shmem_p_ping_pong_latency", run_ping_pong},
    {"shmem_put_ping_pong_latency", run_ping_pong},
    {"shmem_put_signal_ping_pong_latency", run_ping_pong},
    {"shmem_signal_ping_pong_latency", run_ping_pong},
    {"shmem_atomic_ping_pong_latency", run_ping_pong},
    {"shmem_put_atomic_ping_pong_latency", run_ping_pong},
    {"barrier_latency", run_coll},
    {"sync_latency", run_coll},
    {"barrier_on_stream", run_coll},
    {"sync_on_stream", run_coll},
    {"coll_latency", run_collective},
    {"coll_on_stream", run_collective},
    {"coll_in_graph", run_collective},
    {"bw", run_host},
    {"latency", run_host},
    {"stream_latency", run_host},
    {"malloc", run_host},
    {"host_barrier", run_calls},
    {"host_malloc_free", run_calls},
    {"host_p", run_calls},
    {"host_meet", run_calls},
    {"jacobi", run_jacobi},
};

Times run(Peer& peer, const Request& r) {
    for (const auto& one : TESTS) {
        if (r.test != one.test) continue;
        peer.clear_flags();
        return one.run(peer, r);
    }
    throw Skip{"no such test"};
}

}  // namespace

int main(int argc, char** argv) {
    Peer peer;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--tma") == 0) {
            peer.tma = true;
        } else {
            fprintf(stderr, "usage: nvshmem-perf [--tma], with PERF_PE, PERF_N_PES and PERF_MEET set\n");
            return 2;
        }
    }
    return serve([&] { return peer.start(); }, [&](const Request& r) { return run(peer, r); },
                 [] { nvshmem_finalize(); });
}
