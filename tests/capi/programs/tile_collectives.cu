// Collectives of tiles: reductions at each member and at a root, all-gathers and broadcasts, by each scope. NVSHMEM has
// them on GPUs with multicast memory alone; without it the program has nothing to do there. Its checksum is always 0.
#include "tiles.h"

using nvshmemx::NVLS_ONE_SHOT_PULL_NBI;
using nvshmemx::NVLS_ONE_SHOT_PUSH_NBI;
using nvshmemx::NVLS_TWO_SHOT_PUSH_NBI;

enum Kind { SUM, SUM_BY_ROOT, SUM_AT_ROOT, LEAST, GREATEST, GATHER, SEND };

#define CALL(name, suffix, ...) \
    status = nvshmemx::tile_##name##suffix<Src, Dst, Coord, ALGO>(team, src, dst, start, boundary, __VA_ARGS__)
#define BY_SCOPE(name, ...)                                              \
    if constexpr (SCOPE == THREAD) CALL(name, , __VA_ARGS__);            \
    if constexpr (SCOPE == WARP) CALL(name, _warp, __VA_ARGS__);         \
    if constexpr (SCOPE == WARPGROUP) CALL(name, _warpgroup, __VA_ARGS__); \
    if constexpr (SCOPE == BLOCK) CALL(name, _block, __VA_ARGS__)

// One group of the block makes the call, and waits for it.
template <Kind KIND, Scope SCOPE, class T, class To, class From, class Coord>
__global__ void collective(T* to, T* from, To to_layout, From from_layout, nvshmem_team_t team, int root, Coord start,
                           Coord boundary, Findings* findings) {
    using Src = Tensor<T, From>;
    using Dst = Tensor<T, To>;
    constexpr auto ALGO = KIND == SUM_BY_ROOT                  ? NVLS_TWO_SHOT_PUSH_NBI
                          : KIND == GATHER || KIND == SEND     ? NVLS_ONE_SHOT_PUSH_NBI
                                                               : NVLS_ONE_SHOT_PULL_NBI;
    const Src src(from, from_layout);
    const Dst dst(to, to_layout);
    if (group<SCOPE>() != 0 || (SCOPE == THREAD && !is_first<SCOPE>())) return;
    int status = 0, waited = 0;
    if constexpr (KIND == SUM) {
        BY_SCOPE(sum_reduce, 0);
    } else if constexpr (KIND == SUM_BY_ROOT) {
        BY_SCOPE(sum_reduce, root, 0);
    } else if constexpr (KIND == SUM_AT_ROOT) {
        BY_SCOPE(sum_rooted_reduce, root, 0);
    } else if constexpr (KIND == LEAST) {
        BY_SCOPE(min_reduce, 0);
    } else if constexpr (KIND == GREATEST) {
        BY_SCOPE(max_reduce, 0);
    } else if constexpr (KIND == GATHER) {
        BY_SCOPE(allgather, 0);
    } else if (nvshmem_team_my_pe(team) == root) {
        BY_SCOPE(broadcast, 0);
    }
    if constexpr (SCOPE == THREAD) waited = nvshmemx::tile_collective_wait<ALGO>(team, 0);
    if constexpr (SCOPE == WARP) waited = nvshmemx::tile_collective_wait_warp<ALGO>(team, 0);
    if constexpr (SCOPE == WARPGROUP) waited = nvshmemx::tile_collective_wait_warpgroup<ALGO>(team, 0);
    if constexpr (SCOPE == BLOCK) waited = nvshmemx::tile_collective_wait_block<ALGO>(team, 0);
    if (!is_first<SCOPE>()) return;
    COMPARE(findings, 0, status, 0);
    COMPARE(findings, 1, waited, 0);
}

// The arrays of one type, the team, and the round, whose data differs from that of the others.
template <class T>
struct Arrays {
    static constexpr size_t SIZE = 1 << 14;
    Array<T> to{SIZE}, from{SIZE};
    nvshmem_team_t team;
    Findings* found;
    uint64_t round = 0;

    Arrays(nvshmem_team_t team, Findings* found) : team(team), found(found) {}

    T value(int member, size_t index) const {
        return small<T>(key_of(seed, nvshmem_team_translate_pe(team, member, NVSHMEM_TEAM_WORLD), round), index);
    }

    // The right result of member number `me` at an element of the rows of `src`.
    T result(Kind kind, int root, int me, size_t index) const {
        float all = float(value(0, index));
        for (int member = 1; member < nvshmem_team_n_pes(team); member++) {
            const float next = float(value(member, index));
            all = kind == LEAST ? fminf(all, next) : kind == GREATEST ? fmaxf(all, next) : all + next;
        }
        return kind == SEND ? value(root, index) : T(all);
    }

    // Reduces or sends one tile, and compares all memory.
    template <Kind KIND, Scope SCOPE, class To, class From, class Coord>
    void check(Rows dst, Rows src, To to_layout, From from_layout, Coord start, Coord boundary, bool across = false) {
        const int me = nvshmem_team_my_pe(team), members = nvshmem_team_n_pes(team), root = int(round % members);
        const bool is_cut = !cuda::std::is_same<Coord, Whole>::value;
        to.poison();
        from.fill([&](size_t i) { return value(me, i); });
        nvshmem_barrier_all();
        launch(collective<KIND, SCOPE, T, To, From, Coord>, 1, THREADS, to.at(), from.at(), to_layout, from_layout, team,
               root, start, boundary, found);
        nvshmemx_barrier_all_on_stream(stream);
        settle(found, 2);
        to.expect("tile", [&](size_t at) {
            const int row = int(at / dst.pitch), place = int(at % dst.pitch);
            const int member = KIND != GATHER ? 0 : across ? place / src.length : row / src.rows;
            const int in_row = row - (across ? 0 : member * src.rows);
            const int in_place = place - (across ? member * src.length : 0);
            const size_t in = size_t(in_row) * src.pitch + in_place;
            if (row >= dst.rows || place >= dst.length || src.element(in, is_cut) < 0) return poisoned<T>();
            if (KIND == SUM_AT_ROOT && me != root) return poisoned<T>();
            return KIND == GATHER ? value(member, in) : result(KIND, root, me, in);
        });
        nvshmem_barrier_all();
        round++;
    }

    // A reduction or broadcast along either dimension, of the whole tile and with a boundary.
    template <Kind KIND, Scope SCOPE>
    void each(Rows dst, Rows src) {
        const Cut start = make_shape(3, 16), turned = make_shape(16, 3);
        check<KIND, SCOPE>(dst, src, along_one(dst), along_one(src), Whole(), Whole());
        const Cut end = make_shape(3 + src.row_end, 16 + src.end);
        const Cut turned_end = make_shape(16 + src.end, 3 + src.row_end);
        check<KIND, SCOPE>(dst, src, along_one(dst), along_one(src), start, end);
        check<KIND, SCOPE>(dst, src, along_zero(dst), along_zero(src), turned, turned_end);
    }

    // The members' tiles below each other, and beside each other.
    template <Scope SCOPE>
    void gather(Rows src) {
        const int members = nvshmem_team_n_pes(team);
        const Rows below = {src.rows * members, src.length, src.pitch + 16, 0, 0};
        const Rows beside = {src.rows, src.length * members, src.length * members + 8, 0, 0};
        const Cut start = make_shape(3, 16), end = make_shape(3 + src.row_end, 16 + src.end);
        check<GATHER, SCOPE>(below, src, along_one(below), along_one(src), Whole(), Whole());
        check<GATHER, SCOPE>(beside, src, along_one(beside), along_one(src), start, end, true);
    }
};

// NVSHMEM has no least and greatest values of float.
void check_all(nvshmem_team_t team, Findings* found) {
    Arrays<float> floats(team, found);
    Arrays<half> halves(team, found);
    Arrays<__nv_bfloat16> bfloats(team, found);
    const Rows wide[2] = {{9, 40, 48, 0, 0}, {9, 40, 56, 7, 30}}, middle[2] = {{13, 22, 26, 0, 0}, {13, 22, 38, 13, 14}};
    const Rows full[2] = {{16, 32, 32, 0, 0}, {16, 32, 32, 12, 4}};
    for (uint64_t i = 0; i < rounds; i++) {
        floats.each<SUM, BLOCK>(wide[0], wide[1]);
        floats.each<SUM, THREAD>(middle[0], middle[1]);
        floats.each<SUM_BY_ROOT, BLOCK>(full[0], full[1]);
        floats.each<SUM_AT_ROOT, WARP>(middle[0], middle[1]);
        floats.each<SEND, WARPGROUP>(wide[0], wide[1]);
        floats.gather<BLOCK>(wide[1]);
        floats.gather<THREAD>(middle[1]);
        halves.each<SUM, WARPGROUP>(wide[0], wide[1]);
        halves.each<LEAST, BLOCK>(middle[0], middle[1]);
        halves.each<GREATEST, WARP>(wide[0], wide[1]);
        halves.gather<WARP>(full[1]);
        bfloats.each<SUM, BLOCK>(middle[0], middle[1]);
        bfloats.each<SUM_BY_ROOT, WARP>(wide[0], wide[1]);
        bfloats.each<SEND, BLOCK>(full[0], full[1]);
    }
}

int main(int argc, char** argv) {
    start(argc, argv, "tile_collectives", 3);
    Findings* found = findings();
#ifdef OXSHMEM_VENDOR_STRING
    const bool by_loads_and_stores = true;
#else
    const bool by_loads_and_stores = false;
#endif
    Array<float> some(1);
    if (by_loads_and_stores || nvshmemx_mc_ptr(NVSHMEM_TEAM_WORLD, some.at()) != nullptr) {
        check_all(NVSHMEM_TEAM_WORLD, found);
        // A team of its own, of the same PEs.
        nvshmem_team_t all;
        CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, n_pes, nullptr, 0, &all) == 0);
        check_all(all, found);
        CHECK(nvshmem_team_sync(all) == 0);
        nvshmem_team_destroy(all);
    }
    checksum = 0;
    return finish();
}
