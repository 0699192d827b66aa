// PE 0 and PE 1 answer each other: a round is both ways.
#include "check.h"
#include "ops.h"

namespace {

using Word = unsigned long long;

// The operation that carries the round's number, and the data with it.
enum class By { p, put_p, put_signal, signal, atomic, put_atomic };

struct Ping {
    char* to;
    const char* from;
    size_t bytes;
    Word* flag;
    // Rounds played before this kernel.
    Word played;
    unsigned iters;
    int pe, other;
};

template <By B, Scope S, bool Tma>
__device__ void send(const Ping& ping, Word round) {
    uint64_t* signal = reinterpret_cast<uint64_t*>(ping.flag);
    if constexpr (B == By::p) nvshmem_ulonglong_p(ping.flag, round, ping.other);
    if constexpr (B == By::signal) nvshmemx_signal_op(signal, round, NVSHMEM_SIGNAL_SET, ping.other);
    if constexpr (B == By::atomic) nvshmem_ulonglong_atomic_inc(ping.flag, ping.other);
    if constexpr (B == By::put_signal)
        group_put_signal_nbi<S>(ping.to, ping.from, ping.bytes, signal, round, ping.other);
    if constexpr (B == By::put_p || B == By::put_atomic) {
        group_put_nbi<S>(ping.to, ping.from, ping.bytes, ping.other);
        group_fence<S, Tma>();
        if (leads<S>()) {
            if constexpr (B == By::put_p) nvshmem_ulonglong_p(ping.flag, round, ping.other);
            if constexpr (B == By::put_atomic) nvshmem_ulonglong_atomic_inc(ping.flag, ping.other);
        }
    }
}

template <By B, Scope S>
__device__ void await(const Ping& ping, Word round) {
    if (leads<S>()) {
        if constexpr (B == By::signal || B == By::put_signal) {
            nvshmem_signal_wait_until(reinterpret_cast<uint64_t*>(ping.flag), NVSHMEM_CMP_GE, round);
        } else {
            nvshmem_ulonglong_wait_until(ping.flag, NVSHMEM_CMP_GE, round);
        }
    }
    group_sync<S>();
}

template <By B, Scope S, bool Tma>
__global__ void ping_pong_kernel(Ping ping, unsigned smem, Span* spans) {
    // Other PEs launch it too, since the launch is collective.
    if (ping.pe > 1) return;
    lend<Tma>(smem);
    unsigned long long start = 0;
    // The first round is not timed: in it the two kernels meet.
    for (unsigned i = 0; i <= ping.iters; i++) {
        if (i == 1) start = begin();
        const Word round = ping.played + i + 1;
        if (ping.pe == 0) send<B, S, Tma>(ping, round);
        await<B, S>(ping, round);
        if (ping.pe == 1) send<B, S, Tma>(ping, round);
    }
    finish(spans, start);
    group_quiet<S>();
    take_back<Tma>();
}

using PingKernel = void (*)(Ping, unsigned, Span*);

template <By B, bool Tma>
PingKernel by_scope(Scope scope) {
    if (scope == Scope::thread) return ping_pong_kernel<B, Scope::thread, Tma>;
    if (scope == Scope::warp) return ping_pong_kernel<B, Scope::warp, Tma>;
    return ping_pong_kernel<B, Scope::block, Tma>;
}

template <By B>
PingKernel with_payload(const Peer& peer, Scope scope) {
    return peer.tma ? by_scope<B, true>(scope) : by_scope<B, false>(scope);
}

}  // namespace

Times run_ping_pong(Peer& peer, const Request& r) {
    peer.needs_two();
    PingKernel kernel = nullptr;
    bool payload = true;
    if (r.test == "shmem_put_ping_pong_latency") {
        kernel = with_payload<By::put_p>(peer, r.scope);
    } else if (r.test == "shmem_put_signal_ping_pong_latency") {
        kernel = with_payload<By::put_signal>(peer, r.scope);
    } else if (r.test == "shmem_put_atomic_ping_pong_latency") {
        kernel = with_payload<By::put_atomic>(peer, r.scope);
    } else {
        payload = false;
        if (r.test == "shmem_p_ping_pong_latency") kernel = ping_pong_kernel<By::p, Scope::thread, false>;
        if (r.test == "shmem_signal_ping_pong_latency") kernel = ping_pong_kernel<By::signal, Scope::thread, false>;
        if (r.test == "shmem_atomic_ping_pong_latency") kernel = ping_pong_kernel<By::atomic, Scope::thread, false>;
    }
    const unsigned threads = payload ? r.one_group() : 1;
    if (payload) {
        peer.tma_can_serve(r, r.bytes, threads);
    } else if (peer.tma) {
        throw Skip{"single elements do not go through shared memory"};
    }

    Ping ping{};
    ping.bytes = payload ? r.bytes : 0;
    ping.pe = peer.pe;
    ping.other = peer.other();
    char* source = peer.source(ping.bytes + r.skew + 1) + r.skew;
    const size_t reach = ping.bytes + Peer::shift(Peer::PLACES - 1, ping.bytes);
    char* target = peer.target(reach);
    fill_random(peer, source, ping.bytes, seed_of(r, peer.pe));
    poison_target(peer, target, reach);
    ping.from = source;

    const size_t smem = payload ? peer.lent(r) : 0;
    Times times = Peer::at_places(r, Peer::PLACES, [&](size_t place, const Request& part) {
        ping.flag = peer.flags + place * Peer::PLACE;
        ping.to = target + Peer::shift(place, ping.bytes);
        ping.iters = part.iters;
        return peer.repeat_kernel(part, 1, peer.pe < 2, [&](unsigned repetition, Span* spans) {
            ping.played = Word(repetition) * (part.iters + 1);
            peer.launch_collective(kernel, 1, threads, smem, ping, unsigned(smem), spans);
        });
    });
    for (double& time : times) time /= 2;
    for (size_t place = 0; peer.pe < 2 && place < Peer::PLACES; place++) {
        char* to = target + Peer::shift(place, ping.bytes);
        compare_random(peer, to, ping.bytes, seed_of(r, peer.other()));
        compare_guards(peer, to, ping.bytes);
    }
    return times;
}
