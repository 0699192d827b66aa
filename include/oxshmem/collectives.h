/* Collectives: a round of packets inline between load/store PEs whose team has a stride, a call of the library otherwise. A
 * call saves the registers of each thread, which takes longer than a small collective. Both have one wire format, so that
 * members may differ in the form that they take. Part of core.h. */
#ifndef OXSHMEM_COLLECTIVES_H
#define OXSHMEM_COLLECTIVES_H

/* A function of the library as what a collective calls otherwise. */
#define OXSHMEM_OR(...) [&] { return __VA_ARGS__; }

namespace oxshmem_c {

/* The most bytes of data that go by packets; the same for each thread, of copies, of a warp's copies with so many bytes for
 * each thread from all senders, and of reductions. Members must agree on all of them: they are the library's
 * (`device/api/src/team/mod.rs`). */
const u32 MOST_BY_PACKETS = 16 << 10, COPIED_BY_PACKETS = 64, BY_WARP = 256, REDUCED_BY_PACKETS = 256;

/* The bytes for each thread that copies of `bytes` bytes send by packets, of `all` bytes of all senders. */
OXSHMEM_INLINE u32 copied_by_packets(const by_warp &group, u64 bytes, u64 all, u32 payload) {
    return bytes <= payload / UNIT_BYTES * UNIT_BYTES && all <= BY_WARP * group.size ? BY_WARP : COPIED_BY_PACKETS;
}
template <class Threads>
OXSHMEM_INLINE u32 copied_by_packets(const Threads &, u64, u64, u32) {
    return COPIED_BY_PACKETS;
}

/* How data moves: by a round of packets, of one unit for each thread or of more, or by a call of the library. */
enum way { ONE_EACH, ONE_ROUND, BY_LIBRARY };

/* Returns the way of data of which `each` bytes for each thread go by packets. The library takes any ends. */
template <class Threads>
OXSHMEM_INLINE way way_of(const team_round<Threads> &r, const void *dest, const void *source, size_t bytes, u32 each) {
    const u32 one = r.payload / UNIT_BYTES * UNIT_BYTES, size = r.group.size;
    const u32 ends = (u32)reinterpret_cast<u64>(dest) | (u32)reinterpret_cast<u64>(source) | (u32)bytes;
    if (bytes - 1 < UNIT_BYTES * size && bytes <= one) return ONE_EACH;
    const bool by_packets = bytes <= MOST_BY_PACKETS && bytes <= each * size;
    return by_packets && bytes != 0 && bytes <= one && ends % UNIT_BYTES == 0 ? ONE_ROUND : BY_LIBRARY;
}

/* Reduces `n` elements, which are `apart` bytes further for each member of a reduce-scatter. `call` is the library's
 * function. */
template <class Op, class Threads, class T, class Call>
OXSHMEM_INLINE int reduce_by(nvshmem_team_t team, T *dest, const T *source, size_t n, size_t apart, Call call) {
    typedef units<sizeof(T)> data;
    const int COPIED = in_flight<Threads>::COPIED, REDUCED = in_flight<Threads>::REDUCED;
    team_round<Threads> r(team);
    const size_t bytes = n * sizeof(T);
    const way by = r.find() ? way_of(r, dest, source, bytes, REDUCED_BY_PACKETS) : BY_LIBRARY;
    if (by == BY_LIBRARY || !r.open()) return call();
    const data to = data::of(dest, bytes), from = data::of(source, bytes), own = data::of(from.at + apart * r.me, bytes);
    if (by == ONE_EACH) {
        send_all<1>(r, r.half(), from, apart, nullptr);
        reduce_all<1, T, Op>(r, r.half(), to, own);
    } else {
        send_all<COPIED>(r, r.half(), from, apart, nullptr);
        reduce_all<REDUCED, T, Op>(r, r.half(), to, own);
    }
    return r.end(r.last);
}

/* Copies `bytes` bytes of each member to each other one, which are `apart` bytes further for each. */
template <int EACH, class Threads, class Call>
OXSHMEM_INLINE int exchange_by(nvshmem_team_t team, void *dest, const void *source, size_t bytes, size_t apart, Call call) {
    typedef units<EACH> data;
    const int COPIED = in_flight<Threads>::COPIED;
    team_round<Threads> r(team);
    way by = BY_LIBRARY;
    if (r.find()) {
        by = way_of(r, dest, source, bytes, copied_by_packets(r.group, bytes, (u64)bytes * (r.n_pes - 1), r.payload));
    }
    const data to = data::of(dest, bytes), from = data::of(source, bytes);
    char *const own = to.at + bytes * r.me, *const kept = own == from.at + apart * r.me ? nullptr : own;
    if (by == BY_LIBRARY || !r.open()) return call();
    if (by == ONE_EACH) {
        send_all<1>(r, r.half(), from, apart, kept);
        receive_all<1>(r, r.half(), 0, r.n_pes, to, bytes);
    } else {
        send_all<COPIED>(r, r.half(), from, apart, kept);
        receive_all<COPIED>(r, r.half(), 0, r.n_pes, to, bytes);
    }
    return r.end(r.last);
}

/* Copies `bytes` bytes of member `root` to every member. */
template <int EACH, class Threads, class Call>
OXSHMEM_INLINE int broadcast_by(nvshmem_team_t team, void *dest, const void *source, size_t bytes, int root, Call call) {
    typedef units<EACH> data;
    const int COPIED = in_flight<Threads>::COPIED;
    team_round<Threads> r(team);
    way by = BY_LIBRARY;
    if (r.find() && (u32)root < r.n_pes) {
        by = way_of(r, dest, source, bytes, copied_by_packets(r.group, bytes, bytes, r.payload));
    }
    const data to = data::of(dest, bytes), from = data::of(source, bytes);
    const bool sends = r.me == (u32)root, small = bytes <= r.payload / 2;
    if (by == BY_LIBRARY || !r.open_broadcast(small, sends)) return call();
    char *const kept = dest == source ? nullptr : to.at;
    const u32 packets = small ? r.quarter() : r.half();
    if (by == ONE_EACH) {
        if (sends) send_all<1>(r, packets, from, 0, kept);
        r.announce();
        if (!sends) receive_all<1>(r, packets, (u32)root, (u32)root + 1, to, 0);
    } else {
        if (sends) send_all<COPIED>(r, packets, from, 0, kept);
        r.announce();
        if (!sends) receive_all<COPIED>(r, packets, (u32)root, (u32)root + 1, to, 0);
    }
    return r.end(small ? r.met - (r.had_large() ? LARGE_BROADCAST : 0) : r.last_met() + 2 * LARGE_BROADCAST);
}

/* The calls of each group. `BYTES` is the size of an element. */
#define OXSHMEM_COLLECTIVES(suffix, threads)                                                                          \
    template <class Op, class T, class Call>                                                                          \
    OXSHMEM_INLINE int reduce##suffix(nvshmem_team_t team, T *dest, const T *source, size_t n, Call call) {           \
        return reduce_by<Op, threads>(team, dest, source, n, 0, call);                                                \
    }                                                                                                                 \
    template <class Op, class T, class Call>                                                                          \
    OXSHMEM_INLINE int reducescatter##suffix(nvshmem_team_t team, T *dest, const T *source, size_t n, Call call) {    \
        return reduce_by<Op, threads>(team, dest, source, n, n * sizeof(T), call);                                    \
    }                                                                                                                 \
    template <int BYTES, class Call>                                                                                  \
    OXSHMEM_INLINE int fcollect##suffix(nvshmem_team_t team, void *dest, const void *source, size_t n, Call call) {   \
        return exchange_by<(BYTES < 8 ? BYTES : 8), threads>(team, dest, source, n * BYTES, 0, call);                 \
    }                                                                                                                 \
    template <int BYTES, class Call>                                                                                  \
    OXSHMEM_INLINE int alltoall##suffix(nvshmem_team_t team, void *dest, const void *source, size_t n, Call call) {   \
        return exchange_by<(BYTES < 8 ? BYTES : 8), threads>(team, dest, source, n * BYTES, n * BYTES, call);         \
    }                                                                                                                 \
    template <int BYTES, class Call>                                                                                  \
    OXSHMEM_INLINE int broadcast##suffix(nvshmem_team_t team, void *dest, const void *source, size_t n, int root,     \
                                         Call call) {                                                                 \
        return broadcast_by<(BYTES < 8 ? BYTES : 8), threads>(team, dest, source, n * BYTES, root, call);             \
    }
OXSHMEM_COLLECTIVES(, by_thread)
OXSHMEM_COLLECTIVES(_warp, by_warp)
OXSHMEM_COLLECTIVES(_block, by_block)
#undef OXSHMEM_COLLECTIVES

}  // namespace oxshmem_c

#endif
