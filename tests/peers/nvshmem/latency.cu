// The time of one call until it is complete.
#include "check.h"
#include "ops.h"

namespace {

using Word = unsigned long long;

template <Scope S, bool Get, bool Tma>
__global__ void blocking_kernel(char* to, const char* from, size_t bytes, unsigned iters, int pe, unsigned smem,
                                Span* spans) {
    lend<Tma>(smem);
    const unsigned long long start = begin();
    for (unsigned i = 0; i < iters; i++) {
        if constexpr (Get) {
            group_get<S>(to, from, bytes, pe);
        } else {
            group_put<S>(to, from, bytes, pe);
        }
        group_quiet<S>();
    }
    finish(spans, start);
    take_back<Tma>();
}

__global__ void p_kernel(unsigned* to, unsigned value, unsigned iters, int pe, Span* spans) {
    const unsigned long long start = begin();
    for (unsigned i = 0; i < iters; i++) {
        nvshmem_uint_p(to, value + i, pe);
        nvshmem_quiet();
    }
    finish(spans, start);
}

// Each link is 8 bytes: the number of the next link, in a line of its own, so that no cache of the reader's has it.
__global__ void g_kernel(const Word* links, unsigned iters, int pe, Word* last, Span* spans) {
    const unsigned long long start = begin();
    Word link = 0;
    for (unsigned i = 0; i < iters; i++) link = nvshmem_ulonglong_g(links + link * 16, pe);
    // The last link is stored before the clock is read.
    *last = link;
    __threadfence();
    finish(spans, start);
}

__global__ void chain_kernel(Word* links, Word n, Word hop) {
    for (Word k = blockIdx.x * Word(blockDim.x) + threadIdx.x; k < n; k += gridDim.x * Word(blockDim.x)) {
        links[k * 16] = (k + hop) % n;
    }
}

enum class Fetching { add, inc, compare_swap, swap, fetch };

// Each operand depends on the previous result, by `zero`, a 0 that the compiler does not know. The word starts as 0.
template <Fetching Op>
__global__ void atomic_kernel(Word* at, unsigned iters, unsigned zero, int pe, Word* last, Span* spans) {
    const unsigned long long start = begin();
    Word word = *last;
    for (unsigned i = 0; i < iters; i++) {
        const Word none = word & zero;
        if constexpr (Op == Fetching::add) word = nvshmem_ulonglong_atomic_fetch_add(at, none | 1, pe);
        if constexpr (Op == Fetching::inc) word = nvshmem_ulonglong_atomic_fetch_inc(at + none, pe);
        if constexpr (Op == Fetching::compare_swap) {
            word = nvshmem_ulonglong_atomic_compare_swap(at, word, word + 1, pe) + 1;
        }
        if constexpr (Op == Fetching::swap) word = nvshmem_ulonglong_atomic_swap(at, word + 1, pe);
        if constexpr (Op == Fetching::fetch) word = nvshmem_ulonglong_atomic_fetch(at + none, pe);
        compiler_fence();
    }
    *last = word;
    __threadfence();
    finish(spans, start);
}

// Computes the word and the last value after `times` calls in all.
void replay(Fetching op, Word times, Word& word, Word& last) {
    word = last = 0;
    for (Word i = 0; i < times; i++) {
        const Word before = word;
        if (op == Fetching::add || op == Fetching::inc || op == Fetching::compare_swap) word++;
        if (op == Fetching::swap) word = last + 1;
        last = op == Fetching::compare_swap ? before + 1 : before;
    }
}

template <bool Get, bool Tma>
auto blocking_by_scope(Scope scope) {
    if (scope == Scope::thread) return blocking_kernel<Scope::thread, Get, Tma>;
    if (scope == Scope::warp) return blocking_kernel<Scope::warp, Get, Tma>;
    return blocking_kernel<Scope::block, Get, Tma>;
}

Word word_at(Peer& peer, const void* at) {
    Word word;
    check(cudaMemcpyAsync(&word, at, 8, cudaMemcpyDeviceToHost, peer.stream), "read a word");
    check(cudaStreamSynchronize(peer.stream), "read a word");
    return word;
}

void same(Word found, Word expected, const char* what) {
    if (found != expected) {
        throw Wrong{std::string("1 of 1 ") + what + ": found " + std::to_string(found) + ", expected " +
                    std::to_string(expected)};
    }
}

Times blocking(Peer& peer, const Request& r) {
    const bool get = r.test == "shmem_get_latency";
    const unsigned threads = r.one_group();
    peer.tma_can_serve(r, r.bytes, threads);
    const size_t places = Peer::places(r.bytes), far = Peer::shift(places - 1, r.bytes);
    char* source = peer.source(far + r.bytes + r.skew) + (get ? 0 : r.skew);
    char* target = peer.target(far + r.bytes + r.skew) + (get ? r.skew : 0);
    fill_random(peer, source, far + r.bytes, seed_of(r, peer.pe));
    poison_target(peer, target, far + r.bytes);
    const size_t smem = peer.lent(r);
    auto kernel = get ? (peer.tma ? blocking_by_scope<true, true>(r.scope) : blocking_by_scope<true, false>(r.scope))
                      : (peer.tma ? blocking_by_scope<false, true>(r.scope) : blocking_by_scope<false, false>(r.scope));
    const bool mine = peer.sends(r);
    Times times = Peer::at_places(r, places, [&](size_t place, const Request& part) {
        const size_t shift = Peer::shift(place, r.bytes);
        char *to = target + (get ? 0 : shift), *from = source + (get ? shift : 0);
        return peer.repeat_kernel(part, 1, mine, [&](unsigned, Span* spans) {
            if (mine)
                peer.launch(kernel, 1, threads, smem, to, from, r.bytes, part.iters, peer.other(), unsigned(smem), spans);
        });
    });
    if (get && mine) {
        compare_random(peer, target, r.bytes, seed_of(r, peer.other()), far);
        compare_guards(peer, target, r.bytes);
    }
    for (size_t place = 0; !get && peer.receives(r) && place < places; place++) {
        char* to = target + Peer::shift(place, r.bytes);
        compare_random(peer, to, r.bytes, seed_of(r, peer.other()));
        compare_guards(peer, to, r.bytes);
    }
    return times;
}

Times p(Peer& peer, const Request& r) {
    const size_t reach = Peer::shift(Peer::PLACES - 1, 4) + 4;
    char* target = peer.target(reach);
    poison_target(peer, target, reach);
    const auto word = [&](size_t place) { return reinterpret_cast<unsigned*>(target + Peer::shift(place, 4)); };
    const bool mine = peer.sends(r);
    unsigned last = 0;
    Times times = Peer::at_places(r, Peer::PLACES, [&](size_t place, const Request& part) {
        last = random_half(seed_of(r, peer.other()), 0) + part.iters - 1;
        const unsigned value = random_half(seed_of(r, peer.pe), 0);
        return peer.repeat_kernel(part, 1, mine, [&](unsigned, Span* spans) {
            if (mine) peer.launch(p_kernel, 1, 1, 0, word(place), value, part.iters, peer.other(), spans);
        });
    });
    for (size_t place = 0; peer.receives(r) && place < Peer::PLACES; place++) {
        same(word_at(peer, word(place)) & 0xffffffff, last, "elements");
        compare_guards(peer, reinterpret_cast<char*>(word(place)), 4);
    }
    return times;
}

Times g(Peer& peer, const Request& r) {
    // More links than a call follows, if there is room: none is read twice.
    const Word n = std::min<Word>(std::max<Word>(r.iters + 1, 1024), 1 << 16), hop = 5;
    Word* links = reinterpret_cast<Word*>(peer.source(n * 128));
    Word* last = reinterpret_cast<Word*>(peer.scratch(8));
    peer.launch(chain_kernel, 64, 256, 0, links, n, hop);
    const bool mine = peer.sends(r);
    Times times = peer.repeat_kernel(r, 1, mine, [&](unsigned, Span* spans) {
        if (mine) peer.launch(g_kernel, 1, 1, 0, links, r.iters, peer.other(), last, spans);
    });
    if (mine) same(word_at(peer, last), hop * r.iters % n, "last links");
    return times;
}

Times atomic(Peer& peer, const Request& r) {
    const struct {
        const char* name;
        Fetching op;
        void (*kernel)(Word*, unsigned, unsigned, int, Word*, Span*);
    } all[] = {
        {"fetch_add", Fetching::add, atomic_kernel<Fetching::add>},
        {"add", Fetching::add, atomic_kernel<Fetching::add>},
        {"inc", Fetching::inc, atomic_kernel<Fetching::inc>},
        {"compare_swap", Fetching::compare_swap, atomic_kernel<Fetching::compare_swap>},
        {"swap", Fetching::swap, atomic_kernel<Fetching::swap>},
        {"fetch", Fetching::fetch, atomic_kernel<Fetching::fetch>},
    };
    for (const auto& one : all) {
        if (r.op != one.name && !(r.op.empty() && one.op == Fetching::add)) continue;
        Word* last = reinterpret_cast<Word*>(peer.scratch(8));
        const bool mine = peer.sends(r);
        return Peer::at_places(r, Peer::PLACES, [&](size_t place, const Request& part) {
            Word* at = peer.flags + place * Peer::PLACE;
            check(cudaMemsetAsync(last, 0, 8, peer.stream), "begin with 0");
            const Times times = peer.repeat_kernel(part, 1, mine, [&](unsigned, Span* spans) {
                if (mine) peer.launch(one.kernel, 1, 1, 0, at, part.iters, 0u, peer.other(), last, spans);
            });
            Word word_then, last_then;
            replay(one.op, Word(r.repeat + 1) * part.iters, word_then, last_then);
            if (mine) same(word_at(peer, last), last_then, "last values");
            if (peer.receives(r)) same(word_at(peer, at), word_then, "words");
            return times;
        });
    }
    throw Skip{"no fetching atomic " + r.op};
}

}  // namespace

Times run_latency(Peer& peer, const Request& r) {
    peer.needs_two();
    if (r.test == "shmem_put_latency" || r.test == "shmem_get_latency") return blocking(peer, r);
    if (peer.tma) throw Skip{"single elements do not go through shared memory"};
    if (r.test == "shmem_p_latency") return p(peer, r);
    return r.test == "shmem_g_latency" ? g(peer, r) : atomic(peer, r);
}
