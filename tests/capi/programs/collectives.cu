// Collectives in kernels: rounds of random kinds and sizes in a row, by a thread, a warp and blocks, of several types and
// operations, over two teams, between ends of any alignment and in place. Now and then a PE, or one of its threads, is late.
#include "program.h"

// NVSHMEM's headers have some of these names.
enum class Kind { REDUCE, REDUCESCATTER, FCOLLECT, ALLTOALL, BROADCAST };
constexpr int KINDS = 5;
enum Scope { THREAD, WARP, BLOCK };

// The most bytes of a round's data for one member, and the elements beside it.
constexpr size_t MOST = 20 << 10, BESIDE = 16;

// A round: the same on every PE.
struct Round {
    Kind kind;
    size_t count;
    // The distances of the ends from aligned memory, in elements.
    size_t to, from;
    bool in_place;
    int root;
    // The PE that is late, and whether all of its threads are; -1 is none.
    int late;
    bool all_late;

    __host__ __device__ Round(uint64_t seed, uint64_t number, size_t most, int n_pes) {
        const uint64_t bits = mix(seed, number), others = mix(bits, number);
        kind = Kind(bits % KINDS);
        // Small ones are as frequent as large ones.
        const size_t below = size_t(1) << (bits >> 8) % 16;
        count = 1 + (bits >> 16) % (below < most ? below : most);
        const bool aligned = others % 2 == 0;
        to = aligned ? 0 : (others >> 1) % 5, from = aligned ? 0 : (others >> 8) % 5;
        in_place = (others >> 16) % 4 == 0 && kind != Kind::ALLTOALL;
        root = int((others >> 20) % n_pes);
        late = (others >> 32) % 16 == 0 ? int((others >> 36) % n_pes) : -1;
        all_late = (others >> 44) % 2 == 0;
    }
    __host__ __device__ size_t results(int n_pes) const {
        return kind == Kind::FCOLLECT || kind == Kind::ALLTOALL ? count * n_pes : count;
    }
    __host__ __device__ size_t operands(int n_pes) const {
        return kind == Kind::REDUCESCATTER || kind == Kind::ALLTOALL ? count * n_pes : count;
    }
};

// The calls of a type with an operation.
#define BY(x, name, op, suffix)                                                                      \
    (round.kind == Kind::REDUCE          ? x##name##_##op##_reduce##suffix(team, to, from, n)              \
     : round.kind == Kind::REDUCESCATTER ? x##name##_##op##_reducescatter##suffix(team, to, from, n)       \
     : round.kind == Kind::FCOLLECT      ? x##name##_fcollect##suffix(team, to, from, n)                   \
     : round.kind == Kind::ALLTOALL      ? x##name##_alltoall##suffix(team, to, from, n)                   \
                                   : x##name##_broadcast##suffix(team, to, from, n, round.root))
#define CALLS(made, type, name, op, result)                                                          \
    struct made {                                                                                    \
        using T = type;                                                                              \
        static __device__ T combine(T a, T b) { return result; }                                     \
        template <Scope S>                                                                           \
        static __device__ int call(const Round& round, nvshmem_team_t team, T* to, const T* from) {  \
            const size_t n = round.count;                                                            \
            if constexpr (S == THREAD) return BY(nvshmem_, name, op, );                              \
            if constexpr (S == WARP) return BY(nvshmemx_, name, op, _warp);                          \
            return BY(nvshmemx_, name, op, _block);                                                  \
        }                                                                                            \
    }
CALLS(FloatSums, float, float, sum, a + b);
CALLS(HalfSums, half, half, sum, a + b);
CALLS(Products, int32_t, int32, prod, int32_t(uint32_t(a) * uint32_t(b)));
CALLS(Least, int16_t, int16, min, b < a ? b : a);
CALLS(Greatest, double, double, max, b > a ? b : a);
CALLS(Differences, uint8_t, uint8, xor, uint8_t(a ^ b));

// Small whole numbers, whose sums are exact.
template <class T>
__device__ T operand(uint64_t key, size_t index) {
    return element<T>(key, index);
}
template <>
__device__ half operand(uint64_t key, size_t index) {
    return half(float(mix(key, index) % 129) - 64.0f);
}

// The right result of member `me` at an index of its destination; `key(member)` is the key of a member's operands.
template <class Calls, class Key>
__device__ typename Calls::T wanted(const Round& round, size_t index, int me, int n_pes, Key key) {
    using T = typename Calls::T;
    if (round.kind == Kind::BROADCAST) return operand<T>(key(round.root), index);
    if (round.kind == Kind::FCOLLECT) return operand<T>(key(int(index / round.count)), index % round.count);
    if (round.kind == Kind::ALLTOALL) {
        return operand<T>(key(int(index / round.count)), round.count * me + index % round.count);
    }
    const size_t at = round.kind == Kind::REDUCESCATTER ? round.count * me + index : index;
    T result = operand<T>(key(0), at);
    for (int member = 1; member < n_pes; member++) result = Calls::combine(result, operand<T>(key(member), at));
    return result;
}

// Longer than the headers look for data before they call the library.
constexpr uint64_t LATE_NS = 6000000;

__device__ void wait_ns(uint64_t ns) {
    uint64_t begun, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begun));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begun < ns);
}

// Makes `rounds` rounds by a group of `threads` threads; the other threads of the block are idle.
template <class Calls, Scope SCOPE>
__global__ void collectives(typename Calls::T* dest, typename Calls::T* source, nvshmem_team_t team, uint64_t seed,
                            uint64_t rounds, int threads, Findings* found) {
    using T = typename Calls::T;
    if (int(threadIdx.x) >= threads) return;
    auto sync = [] {
        if (SCOPE == WARP) __syncwarp();
        if (SCOPE == BLOCK) __syncthreads();
    };
    const int me = nvshmem_team_my_pe(team), n_pes = nvshmem_team_n_pes(team);
    for (uint64_t number = 0; number < rounds; number++) {
        const Round round(seed, number, MOST / sizeof(T), n_pes);
        auto key = [&](int member) { return key_of(seed, member, number); };
        const size_t results = round.results(n_pes), operands = round.operands(n_pes);
        T *to = dest + BESIDE + round.to, *from = source + BESIDE + round.from;
        if (round.in_place) {
            from = to;
            if (round.kind == Kind::FCOLLECT) from = to + round.count * me;
            if (round.kind == Kind::REDUCESCATTER) to = from + round.count * me;
        }
        // The elements beside the results. In place, the operands of others are there.
        const size_t beside = round.in_place ? 0 : BESIDE;
        for (size_t i = threadIdx.x; i < results + 2 * beside; i += threads) to[i - beside] = operand<T>(~seed, i);
        sync();
        if (round.late == me && (round.all_late || threadIdx.x == 0)) wait_ns(LATE_NS);
        for (size_t i = threadIdx.x; i < operands; i += threads) from[i] = operand<T>(key(me), i);
        const int status = Calls::template call<SCOPE>(round, team, to, from);
        COMPARE(found, number, status, 0);
        for (size_t i = threadIdx.x; i < results; i += threads) {
            COMPARE(found, number << 32 | i, to[i], wanted<Calls>(round, i, me, n_pes, key));
        }
        for (size_t i = threadIdx.x; i < 2 * beside; i += threads) {
            const size_t at = i < beside ? i : results + i;
            COMPARE(found, number << 32 | at, to[at - beside], operand<T>(~seed, at));
        }
        sync();
    }
}

template <class Calls>
class Collectives {
    using T = typename Calls::T;
    Array<T> dest{size_t(n_pes) * MOST / sizeof(T) + 4 * BESIDE}, source{dest.size()};
    nvshmem_team_t team;
    Findings* found;

  public:
    Collectives(nvshmem_team_t team, Findings* found) : team(team), found(found) {}

    template <Scope SCOPE>
    void by(int threads, uint64_t rounds) {
        const uint64_t key = mix(seed, sizeof(T) << 16 | SCOPE << 12 | threads);
        uint64_t compared = 0;
        for (uint64_t number = 0; number < rounds; number++) {
            const Round round(key, number, MOST / sizeof(T), n_pes);
            compared += threads + round.results(n_pes) + (round.in_place ? 0 : 2 * BESIDE);
        }
        const int block = SCOPE == BLOCK ? threads : 64;
        launch(collectives<Calls, SCOPE>, 1, block, dest.at(), source.at(), team, key, rounds,
               threads, found);
        settle(found, compared);
        nvshmem_barrier_all();
    }
    void by_all() {
        by<THREAD>(1, rounds / 4);
        by<WARP>(32, rounds);
        for (int threads : {32, 96, 256}) by<BLOCK>(threads, rounds);
    }
};

int main(int argc, char** argv) {
    start(argc, argv, "collectives", 200);
    Findings* found = findings();
    // The same PEs under another number.
    nvshmem_team_t again = NVSHMEM_TEAM_INVALID;
    CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, n_pes, nullptr, 0, &again) == 0);
    Collectives<FloatSums>(NVSHMEM_TEAM_WORLD, found).by_all();
    Collectives<HalfSums>(again, found).by_all();
    Collectives<Products>(NVSHMEM_TEAM_WORLD, found).by_all();
    Collectives<Least>(again, found).by_all();
    Collectives<Greatest>(NVSHMEM_TEAM_WORLD, found).by_all();
    Collectives<Differences>(again, found).by_all();
    nvshmem_team_destroy(again);
    return finish();
}
