// Tiles put to the right neighbour and got from the left one: by each scope, along either dimension, with strides of the
// program's run and of types, and with boundaries. Memory between the rows and outside the boundary keeps its poison.
#include "tiles.h"

// Moves the tile of each group, `space` elements after that of the group before it.
template <bool PUT, Scope SCOPE, nvshmemx::tile_algo_t ALGO, class T, class To, class From, class Coord>
__device__ int move(Tensor<T, To> to, Tensor<T, From> from, Coord start, Coord boundary, int peer) {
#define CALL(suffix)                                                                                              \
    if constexpr (PUT) return nvshmemx::tile_put##suffix<Src, Dst, Coord, ALGO>(from, to, start, boundary, peer, 0); \
    if constexpr (!PUT) return nvshmemx::tile_get##suffix<Src, Dst, Coord, ALGO>(from, to, start, boundary, peer, 0)
    using Src = Tensor<T, From>;
    using Dst = Tensor<T, To>;
    if constexpr (SCOPE == THREAD) {
        CALL();
    } else if constexpr (SCOPE == WARP) {
        CALL(_warp);
    } else if constexpr (SCOPE == WARPGROUP) {
        CALL(_warpgroup);
    } else {
        CALL(_block);
    }
#undef CALL
}

template <bool PUT, Scope SCOPE, nvshmemx::tile_algo_t ALGO, class T, class To, class From, class Coord>
__global__ void tiles(T* to, T* from, To to_layout, From from_layout, size_t to_space, size_t from_space, Coord start,
                      Coord boundary, Findings* findings) {
    const int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes(), peer = (me + (PUT ? 1 : n_pes - 1)) % n_pes;
    if (SCOPE != THREAD || is_first<SCOPE>()) {
        const Tensor<T, To> dst(to + group<SCOPE>() * to_space, to_layout);
        const Tensor<T, From> src(from + group<SCOPE>() * from_space, from_layout);
        const int status = move<PUT, SCOPE, ALGO, T, To, From, Coord>(dst, src, start, boundary, peer);
        if (is_first<SCOPE>()) COMPARE(findings, group<SCOPE>(), status, 0);
    }
    nvshmem_quiet();
}

// Calls without memory are errors.
__global__ void refused(float* at, AlongOne layout, Findings* findings) {
    using Of = Tensor<float, AlongOne>;
    constexpr auto ALGO = nvshmemx::PEER_PUSH_NBI;
    const Of some(at, layout), none(layout);
    const int put = nvshmemx::tile_put<Of, Of, Whole, ALGO>(some, none, {}, {}, 0, 0);
    const int got = nvshmemx::tile_get<Of, Of, Whole, ALGO>(none, some, {}, {}, 0, 0);
    COMPARE(findings, 0, put, int(NVSHMEMX_ERROR_INVALID_VALUE));
    COMPARE(findings, 1, got, int(NVSHMEMX_ERROR_INVALID_VALUE));
}

// The arrays of one type, and the round, whose data differs from that of the others.
template <class T>
struct Arrays {
    static constexpr size_t SIZE = 1 << 15;
    Array<T> to{SIZE}, from{SIZE};
    Findings* found;
    uint64_t round = 0;

    explicit Arrays(Findings* found) : found(found) {}

    // Moves tiles from rows to rows, and compares all memory. Each begins `skew` elements after a multiple of 16 bytes.
    template <bool PUT, Scope SCOPE, nvshmemx::tile_algo_t ALGO, class To, class From, class Coord>
    void check(Rows dst, Rows src, To to_layout, From from_layout, Coord start, Coord boundary, int skew) {
        const size_t to_space = (dst.room() + 63) / 64 * 64, from_space = (src.room() + 63) / 64 * 64;
        CHECK(groups_of(SCOPE) * to_space + skew <= SIZE && groups_of(SCOPE) * from_space + skew <= SIZE);
        const int left = (pe + n_pes - 1) % n_pes;
        const auto value = [&](int of, size_t index) {
            return T(float(int(mix(key_of(seed, of, round), index) % 255) - 127));
        };
        to.poison();
        from.fill([&](size_t i) { return value(pe, i); });
        nvshmem_barrier_all();
        launch(tiles<PUT, SCOPE, ALGO, T, To, From, Coord>, 1, THREADS, to.at(skew), from.at(skew), to_layout,
               from_layout, to_space, from_space, start, boundary, found);
        nvshmemx_barrier_all_on_stream(stream);
        settle(found, groups_of(SCOPE));
        to.expect(PUT ? "put" : "got", [&](size_t i) {
            const size_t group = (i - skew) / to_space, at = (i - skew) % to_space;
            const bool is_cut = !cuda::std::is_same<Coord, Whole>::value;
            const int element = i < size_t(skew) || group >= groups_of(SCOPE) ? -1 : dst.element(at, is_cut);
            if (element < 0) return poisoned<T>();
            const size_t row = element / dst.length, place = element % dst.length;
            return value(left, skew + group * from_space + row * src.pitch + place);
        });
        nvshmem_barrier_all();
        round++;
    }

    // Both directions, with the whole tile and with a boundary; the tile begins at coordinates of its own.
    template <Scope SCOPE, class To, class From>
    void both(Rows dst, Rows src, To to_layout, From from_layout, bool along_zero, int skew = 0) {
        const int row = 7, place = 24;
        const Cut start = along_zero ? make_shape(place, row) : make_shape(row, place);
        const Cut boundary = along_zero ? make_shape(place + dst.end, row + dst.row_end)
                                        : make_shape(row + dst.row_end, place + dst.end);
        check<true, SCOPE, nvshmemx::PEER_PUSH_NBI>(dst, src, to_layout, from_layout, Whole(), Whole(), skew);
        check<false, SCOPE, nvshmemx::PEER_PULL_NBI>(dst, src, to_layout, from_layout, start, boundary, skew);
        check<true, SCOPE, nvshmemx::PEER_PUSH_NBI>(dst, src, to_layout, from_layout, start, boundary, skew);
    }
};

// Boundaries of 16-bit types are even, and so are their rows, since NVSHMEM moves at least 4 bytes.
int main(int argc, char** argv) {
    start(argc, argv, "tiles", 3);
    Findings* found = findings();
    Arrays<float> floats(found);
    Arrays<half> halves(found);
    Arrays<__nv_bfloat16> bfloats(found);
    // Rows by accesses of 16, 8 and 4 bytes, one element in each, and the full pitch.
    const Rows wide[2] = {{9, 40, 48, 7, 30}, {9, 40, 56, 0, 0}}, middle[2] = {{13, 22, 26, 13, 15}, {13, 22, 38, 0, 0}};
    const Rows narrow[2] = {{5, 13, 17, 2, 13}, {5, 13, 20, 0, 0}}, column[2] = {{24, 1, 8, 23, 1}, {24, 1, 4, 0, 0}};
    const Rows full[2] = {{16, 32, 32, 12, 4}, {16, 32, 32, 0, 0}}, none[2] = {{6, 16, 16, 6, 0}, {6, 16, 24, 0, 0}};
    for (uint64_t i = 0; i < rounds; i++) {
        for (auto& tile : {wide, middle, narrow, column, full, none}) {
            floats.both<BLOCK>(tile[0], tile[1], along_one(tile[0]), along_one(tile[1]), false);
            floats.both<WARP>(tile[0], tile[1], along_zero(tile[0]), along_zero(tile[1]), true, tile[0].length == 13);
        }
        floats.both<THREAD>(narrow[0], narrow[1], open(narrow[0]), open(narrow[1]), false);
        floats.both<THREAD>(wide[0], wide[1], open(wide[0]), open(wide[1]), false, 2);
        floats.both<WARPGROUP>(wide[0], wide[1], constant<9, 40, 48>(), constant<9, 40, 56>(), false);
        floats.check<true, BLOCK, nvshmemx::REMOTE_PUSH_NBI>(middle[0], middle[1], along_one(middle[0]),
                                                             along_one(middle[1]), Whole(), Whole(), 1);
        floats.check<false, WARP, nvshmemx::REMOTE_PULL_NBI>(wide[0], wide[1], along_one(wide[0]), along_one(wide[1]),
                                                             Whole(), Whole(), 0);
        for (auto& tile : {wide, full, none}) {
            halves.both<WARP>(tile[0], tile[1], open(tile[0]), open(tile[1]), false, 2);
            halves.both<BLOCK>(tile[0], tile[1], along_zero(tile[0]), along_zero(tile[1]), true);
        }
        const Rows even[2] = {{13, 22, 26, 11, 14}, {13, 22, 38, 0, 0}};
        bfloats.both<BLOCK>(even[0], even[1], along_one(even[0]), along_one(even[1]), false);
        bfloats.both<THREAD>(wide[0], wide[1], constant<9, 40, 48>(), constant<9, 40, 56>(), false);
        bfloats.both<WARPGROUP>(even[0], even[1], along_zero(even[0]), along_zero(even[1]), true, 4);
    }
    launch(refused, 1, 1, floats.to.at(), along_one(wide[0]), found);
    settle(found, 2);
    return finish();
}
