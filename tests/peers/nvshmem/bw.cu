// Bandwidth of put and get, and the issue rate of puts.
#include "check.h"
#include "ops.h"

namespace {

// The copy of each group in each iteration.
struct Move {
    char* to;
    const char* from;
    size_t piece;
    // Each iteration of a get reads `step` bytes further on, `window` times, then again from the start.
    size_t step;
    unsigned window, iters;
    int pe;
    // Stops the clock when the last call has returned, before the quiet.
    bool issue_only;
};

template <Scope S, bool Get, bool Tma>
__global__ void move_kernel(Move move, unsigned smem, Span* spans) {
    lend<Tma>(smem);
    const size_t at = group_index<S>() * move.piece;
    const unsigned long long start = begin();
    unsigned turn = 0;
    for (unsigned i = 0; i < move.iters; i++) {
        if constexpr (Get) {
            group_get_nbi<S>(move.to + at, move.from + at + turn * move.step, move.piece, move.pe);
            turn = turn + 1 == move.window ? 0 : turn + 1;
        } else {
            group_put_nbi<S>(move.to + at, move.from + at, move.piece, move.pe);
        }
        compiler_fence();
    }
    if (move.issue_only) finish(spans, start);
    group_quiet<S>();
    if (!move.issue_only) finish(spans, start);
    take_back<Tma>();
}

using MoveKernel = void (*)(Move, unsigned, Span*);

template <bool Get, bool Tma>
MoveKernel by_scope(Scope scope) {
    if (scope == Scope::thread) return move_kernel<Scope::thread, Get, Tma>;
    if (scope == Scope::warp) return move_kernel<Scope::warp, Get, Tma>;
    return move_kernel<Scope::block, Get, Tma>;
}

// A get's loads may stay in the reader's L1 cache, which a later iteration would read instead of the link. Gets
// therefore advance through this much of the peer's memory: more than all L1 caches of a GPU hold.
constexpr size_t WINDOW = 64 << 20;

}  // namespace

Times run_bw(Peer& peer, const Request& r) {
    peer.needs_two();
    const bool get = r.test == "shmem_get_bw", rate = r.test == "shmem_put_nbi_rate";
    const size_t groups = r.groups(), piece = groups ? r.bytes / groups : 0, moved = piece * groups;
    if (piece == 0) throw Skip{"fewer bytes than groups"};
    peer.tma_can_serve(r, piece, r.threads);

    Move move{};
    move.piece = piece;
    move.step = round_up(moved, 256);
    move.window = get ? unsigned(std::max<size_t>(1, std::min<size_t>(r.iters, WINDOW / move.step))) : 1;
    move.iters = r.iters;
    move.pe = peer.other();
    move.issue_only = rate;
    const size_t filled = move.step * move.window;
    char* source = peer.source(filled + r.skew) + (get ? 0 : r.skew);
    // The gets of a row read many places.
    const size_t places = get || rate ? 1 : Peer::places(moved), far = Peer::shift(places - 1, moved);
    char* target = peer.target(moved + far + r.skew) + (get ? r.skew : 0);
    fill_random(peer, source, filled, seed_of(r, peer.pe));
    poison_target(peer, target, far + moved);
    move.from = source;

    const size_t smem = peer.lent(r);
    const MoveKernel kernel = get ? (peer.tma ? by_scope<true, true>(r.scope) : by_scope<true, false>(r.scope))
                                  : (peer.tma ? by_scope<false, true>(r.scope) : by_scope<false, false>(r.scope));
    const bool mine = peer.sends(r);
    Times times = Peer::at_places(r, places, [&](size_t place, const Request& part) {
        move.to = target + Peer::shift(place, moved);
        move.iters = part.iters;
        return peer.repeat_kernel(part, r.ctas, mine, [&](unsigned, Span* spans) {
            if (mine) peer.launch(kernel, r.ctas, r.threads, smem, move, unsigned(smem), spans);
        });
    });
    // The data of a put is at the other PE; that of a get is here, from the source of the last iteration on.
    for (size_t place = 0; (get ? mine : peer.receives(r)) && place < places; place++) {
        const size_t last = get ? (r.iters - 1) % move.window * move.step : 0;
        char* to = target + Peer::shift(place, moved);
        compare_random(peer, to, moved, seed_of(r, peer.other()), last);
        compare_guards(peer, to, moved);
    }
    return times;
}
