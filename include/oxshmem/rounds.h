/* Small data of collectives between load/store PEs: one round of packets, as `device/api/src/team/packets.rs` makes it, with
 * the same wire format. Part of core.h. */
#ifndef OXSHMEM_ROUNDS_H
#define OXSHMEM_ROUNDS_H

namespace oxshmem_c {

/* The bytes of a packet, which carries a unit. */
const u32 PACKET_BYTES = 16;
/* Looks at packets before the library waits, which looks at the clock and at the other PEs. */
const int MOST_LOOKS = 4096;
/* Above the number of the last round in which all members met: one of the last two rounds was a large broadcast. */
const u64 LARGE_BROADCAST = (u64)1 << 62;

OXSHMEM_INLINE bool any(const by_thread &, bool yes) { return yes; }
/* A vote orders no memory. */
OXSHMEM_INLINE bool any(const by_warp &, bool yes) {
    __syncwarp();
    return __any_sync(~0u, yes);
}
OXSHMEM_INLINE bool any(const by_block &, bool yes) { return __syncthreads_or(yes); }

/* The units or pairs of units that a thread has in flight where it has more than one, and the members whose single units it
 * has in flight: one after another they would take a read of memory each. */
template <class Threads>
struct in_flight {
    static const int COPIED = Threads::MOST == 32 ? 8 : 4, REDUCED = 2, MEMBERS = 2;
};

/* Loads 16 bytes that no kernel changes. The compiler may load them once for a program's loop. */
OXSHMEM_INLINE unit load_constant(const char *at) {
    unit v;
    asm("ld.global.nc.v2.u64 {%0, %1}, [%2];" : "=l"(v.low), "=l"(v.high) : "l"(at));
    return v;
}

/* A round of a group on the first slot of a team. */
template <class Threads>
struct team_round {
    const Threads group;
    const int number;
    u32 n_pes, me, first, stride, payload, packets_at, half_bytes;
    /* The slot on this PE. */
    char *slot;
    /* The number of the round, and the last one in which all members met. */
    u64 last, met;
    bool failed;

    __device__ __forceinline__ explicit team_round(int team) : group(), number(team), failed(false) {}

    /* Reads the team. False if there is none, or its members have no stride or are not all reached by loads and stores. */
    __device__ __forceinline__ bool find() {
        if ((u32)number >= (u32)oxshmem_teams[1]) return false;
        const char *at = reinterpret_cast<const char *>(oxshmem_teams[0]) + sizeof(oxshmem_team_t) * (u32)number;
        oxshmem_team_t team;
        unit words[4] = {load_constant(at), load_constant(at + 16), load_constant(at + 32), load_constant(at + 48)};
        memcpy(&team, words, sizeof team);
        n_pes = team.n_pes, me = team.me, first = team.first, stride = team.stride;
        payload = team.payload, packets_at = team.packets_at, half_bytes = team.half_bytes;
        slot = reinterpret_cast<char *>(oxshmem_world.own + team.area + team.first_slot);
        const u32 wanted = OXSHMEM_TEAM_UNIFORM | OXSHMEM_TEAM_LOAD_STORE;
        return (team.flags & wanted) == wanted;
    }

    /* The group meets, and reads the slot's rounds. True if all members have ended the round before the last one, because
     * they have met in the last one. */
    __device__ __forceinline__ bool open() {
        group.sync();
        const unit rounds = load_unit<OWN>(reinterpret_cast<const unit *>(slot));
        last = rounds.low + 1;
        met = rounds.high;
        return last_met() + 1 >= last;
    }
    __device__ __forceinline__ u64 last_met() const { return met & (LARGE_BROADCAST - 1); }
    __device__ __forceinline__ bool had_large() const { return met >= LARGE_BROADCAST; }

    /* The word in which a member announces rounds to this one. */
    __device__ __forceinline__ u64 *started(u32 member) const {
        return reinterpret_cast<u64 *>(slot + OXSHMEM_TEAM_STARTED) + member;
    }
    /* The same for a broadcast. Its root waits a while until the others have ended the rounds whose packets it overwrites:
     * that of two rounds before, or, among small ones, which have quarters of a slot's packets, that of four before. */
    __device__ __forceinline__ bool open_broadcast(bool small, bool sends) {
        if (open() || !sends) return true;
        const u64 three_before = last > 3 ? last - 3 : 0, met_after = last_met() + 1;
        const u64 of_small = three_before > met_after ? three_before : met_after;
        const u64 needed = small && !had_large() ? of_small : last - 1;
        bool late = false;
#pragma unroll 1
        for (u32 member = group.rank; member < n_pes && !late; member += group.size) {
            int looks = 0;
            while (member != me && load(started(member)) < needed && looks < MOST_LOOKS) ++looks;
            late = looks == MOST_LOOKS;
        }
        return !any(group, late);
    }
    /* Announces the round of a broadcast to the other members. */
    __device__ __forceinline__ void announce() const {
#pragma unroll 1
        for (u32 member = group.rank; member < n_pes; member += group.size) {
            if (member != me) store(moved(started(me), to(member)), last);
        }
    }

    /* Ends the round: the fault of any thread is every thread's. Returns the status. */
    __device__ __forceinline__ int end(u64 now_met) {
        if (any(group, failed)) return -1;
        if (group.rank == 0) store_unit(reinterpret_cast<unit *>(slot), unit{last, now_met});
        return 0;
    }

    __device__ __forceinline__ u32 flag() const { return (u32)last == 0 ? ~0u : (u32)last; }
    /* The offsets of packets in the slot: of a round, and of a small broadcast. */
    __device__ __forceinline__ u32 half() const { return packets_at + ((u32)last & 1) * half_bytes; }
    __device__ __forceinline__ u32 quarter() const { return half() + ((u32)last & 2 ? payload : 0); }
    __device__ __forceinline__ char *packets_of(u32 from, u32 member) const { return slot + from + member * 2 * payload; }
    /* The distance to a member's memory, and the member after another one. */
    __device__ __forceinline__ u64 to(u32 member) const { return distance((int)(first + member * stride)); }
    __device__ __forceinline__ u32 after(u32 member) const { return member + 1 < n_pes ? member + 1 : 0; }

    /* Sends units `size` apart to a member, before `count`. `from` is the offset of packets. */
    template <int HELD>
    __device__ __forceinline__ void send(u32 from, u32 member, const u64 (&data)[HELD], u32 index, u32 count) const {
        const u64 flags = (u64)flag() << 32;
        char *const there = moved(packets_of(from, me) + PACKET_BYTES * index, to(member));
#pragma unroll
        for (int k = 0; k < HELD; ++k) {
            if (HELD > 1 && index + k * group.size >= count) break;
            asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(there + PACKET_BYTES * k * group.size),
                         "l"((data[k] & 0xffffffff) | flags), "l"(data[k] >> 32 | flags)
                         : "memory");
        }
    }
    /* Looks at units of a member. */
    template <int HELD>
    __device__ __forceinline__ bool look(u32 from, u32 member, u64 (&data)[HELD], u32 index, u32 count) const {
        const char *const at = packets_of(from, member) + PACKET_BYTES * index;
        unit seen[HELD];
#pragma unroll
        for (int k = 0; k < HELD; ++k) {
            /* A register that is loaded under a condition would count as used before. */
            if (HELD > 1) seen[k] = unit{(u64)flag() << 32, (u64)flag() << 32};
            if (HELD == 1 || index + k * group.size < count) {
                seen[k] = load_unit<PEER>(reinterpret_cast<const unit *>(at + PACKET_BYTES * k * group.size));
            }
        }
        bool all = true;
#pragma unroll
        for (int k = 0; k < HELD; ++k) {
            data[k] = (seen[k].low & 0xffffffff) | seen[k].high << 32;
            all &= (u32)(seen[k].low >> 32) == flag() && (u32)(seen[k].high >> 32) == flag();
        }
        return all;
    }
    /* Receives the units of `SEVERAL` members from `member` on, before `end` and but of this one. */
    template <int SEVERAL, int HELD>
    __device__ __forceinline__ void receive(u32 from, u32 member, u32 end, u64 (&data)[SEVERAL][HELD], u32 index,
                                            u32 count) {
#pragma unroll 1
        for (int looks = 0;; ++looks) {
            bool all = true;
#pragma unroll
            for (int m = 0; m < SEVERAL; ++m) {
#pragma unroll
                for (int k = 0; k < HELD; ++k) data[m][k] = 0;
                if (member + m < end && member + m != me) all &= look(from, member + m, data[m], index, count);
            }
            if (all || failed) return;
            if (looks >= MOST_LOOKS) await(from, member, member + SEVERAL < end ? member + SEVERAL : end, index, count, HELD);
        }
    }
    /* Waits for the same packets in the library, up to its first fault: each wait has the limit for itself. */
    __device__ __forceinline__ void await(u32 from, u32 member, u32 end, u32 index, u32 count, int held) {
#pragma unroll 1
        for (; member < end && !failed; ++member) {
            const u32 stop = index + held * group.size < count ? index + held * group.size : count;
#pragma unroll 1
            for (u32 at = index; member != me && at < stop && !failed; at += group.size) {
                failed = oxshmem_await_packet(number, member, last, packets_of(from, member) + PACKET_BYTES * at) != 0;
            }
        }
    }
};

/* Sends a thread's units to every other member, `apart` bytes further for each, and copies those for this one to `kept`
 * unless it is null. */
template <int HELD, int EACH, class Threads>
OXSHMEM_INLINE void send_all(const team_round<Threads> &r, u32 packets, const units<EACH> &source, size_t apart, char *kept) {
    const u32 size = r.group.size, count = source.count();
#pragma unroll 1
    for (u32 index = r.group.rank; index < count; index += HELD * size) {
        u32 member = r.after(r.me);
        u64 data[HELD];
        units<EACH>::of(source.at + apart * member, source.bytes).load(data, index, size);
#pragma unroll 1
        while (member != r.me) {
            r.send(packets, member, data, index, count);
            member = r.after(member);
            if (apart > 0 && (member != r.me || kept != nullptr)) {
                units<EACH>::of(source.at + apart * member, source.bytes).load(data, index, size);
            }
        }
        if (kept != nullptr) units<EACH>::of(kept, source.bytes).store(data, index, size);
        if (HELD == 1) return;
    }
}

/* Stores a thread's units of the members from `first` to before `end`, but of this one, `apart` bytes further for each. */
template <int HELD, int EACH, class Threads>
OXSHMEM_INLINE void receive_all(team_round<Threads> &r, u32 packets, u32 first, u32 end, const units<EACH> &dest,
                                size_t apart) {
    const int SEVERAL = HELD == 1 ? in_flight<Threads>::MEMBERS : 1;
    const u32 size = r.group.size, count = dest.count();
#pragma unroll 1
    for (u32 index = r.group.rank; index < count; index += HELD * size) {
#pragma unroll 1
        for (u32 member = first; member < end; member += SEVERAL) {
            u64 data[SEVERAL][HELD];
            r.receive(packets, member, end, data, index, count);
            if (r.failed) return;
#pragma unroll
            for (int m = 0; m < SEVERAL; ++m) {
                if (member + m >= end || member + m == r.me) continue;
                units<EACH>::of(dest.at + apart * (member + m), dest.bytes).store(data[m], index, size);
            }
        }
        if (HELD == 1) return;
    }
}

/* Reduces a thread's units of all members, in their order. */
template <int HELD, class T, class Op, class Threads>
OXSHMEM_INLINE void reduce_all(team_round<Threads> &r, u32 packets, const units<sizeof(T)> &dest,
                               const units<sizeof(T)> &source) {
    const int SEVERAL = HELD == 1 ? in_flight<Threads>::MEMBERS : 1;
    const u32 size = r.group.size, count = dest.count();
#pragma unroll 1
    for (u32 index = r.group.rank; index < count; index += HELD * size) {
        u64 own[HELD];
        source.load(own, index, size);
        sums<T, Op> reduced[HELD];
#pragma unroll 1
        for (u32 member = 0; member < r.n_pes; member += SEVERAL) {
            u64 data[SEVERAL][HELD];
            r.receive(packets, member, r.n_pes, data, index, count);
#pragma unroll
            for (int m = 0; m < SEVERAL; ++m) {
                if (member + m >= r.n_pes) break;
#pragma unroll
                for (int k = 0; k < HELD; ++k) {
                    const u64 operand = member + m == r.me ? own[k] : data[m][k];
                    if (member + m == 0) reduced[k].set(operand);
                    if (member + m > 0) reduced[k].add(operand);
                }
            }
        }
        if (r.failed) return;
#pragma unroll
        for (int k = 0; k < HELD; ++k) own[k] = reduced[k].unit();
        dest.store(own, index, size);
        if (HELD == 1) return;
    }
}

}  // namespace oxshmem_c

#endif
