// Tiles in memory between poison: their layouts, boundaries and elements.
#ifndef PROGRAM_TILES_H
#define PROGRAM_TILES_H

#include <nvshmem.h>
#include <nvshmemx.h>

#include "program.h"

namespace program {

using nvshmemx::Layout;
using nvshmemx::make_layout;
using nvshmemx::make_shape;
using nvshmemx::make_stride;
using nvshmemx::shape;
using nvshmemx::stride;
using nvshmemx::Tensor;

// The coordinates of a boundary: without one, and with one.
using Whole = shape<>;
using Cut = shape<int, int>;

enum Scope { THREAD, WARP, WARPGROUP, BLOCK };
// Threads of the one block, and its groups of a scope. Of threads only the first one of each warp takes part.
constexpr int THREADS = 256;
__host__ __device__ constexpr int groups_of(Scope scope) {
    return scope == BLOCK ? 1 : scope == WARPGROUP ? THREADS / 128 : THREADS / 32;
}
template <Scope SCOPE>
__device__ inline int group() {
    return SCOPE == BLOCK ? 0 : threadIdx.x / (SCOPE == WARPGROUP ? 128 : 32);
}
template <Scope SCOPE>
__device__ inline bool is_first() {
    return threadIdx.x % (THREADS / groups_of(SCOPE)) == 0;
}

// A tile as rows of contiguous elements, each `pitch` elements after the one before it, and the row and the place in it
// at which the boundary is.
struct Rows {
    int rows, length, pitch;
    int row_end, end;

    size_t room() const { return size_t(rows) * pitch; }
    // Returns the number of an element at a place of memory, row by row, or -1 for memory between the rows and outside
    // the boundary.
    int element(size_t at, bool is_cut) const {
        const int row = int(at / pitch), place = int(at % pitch);
        if (row >= rows || place >= length || (is_cut && (row >= row_end || place >= end))) return -1;
        return row * length + place;
    }
};

// Rows along dimension 1, and along dimension 0, with numbers of the program's run.
using AlongOne = Layout<shape<int, int>, stride<int, ConstInt<1>>>;
using AlongZero = Layout<shape<int, int>, stride<ConstInt<1>, int>>;
using Open = Layout<shape<int, int>, stride<int, int>>;

inline AlongOne along_one(Rows tile) {
    return make_layout(make_shape(tile.rows, tile.length), make_stride(tile.pitch, ConstInt<1>()));
}
inline AlongZero along_zero(Rows tile) {
    return make_layout(make_shape(tile.length, tile.rows), make_stride(ConstInt<1>(), tile.pitch));
}
inline Open open(Rows tile) {
    return make_layout(make_shape(tile.rows, tile.length), make_stride(tile.pitch, 1));
}
template <int ROWS, int LENGTH, int PITCH>
auto constant() {
    return make_layout(make_shape(ConstInt<ROWS>(), ConstInt<LENGTH>()), make_stride(ConstInt<PITCH>(), ConstInt<1>()));
}

// An element by its number: small whole numbers, of which every type here has the exact sums.
template <class T>
T small(uint64_t key, uint64_t index) {
    return T(float(int(mix(key, index) % 13) - 6));
}

}  // namespace program

#endif
