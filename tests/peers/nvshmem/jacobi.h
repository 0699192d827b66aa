// The Jacobi solver's field and step, like those of the project's own solver: rows split over PEs, a halo row above and
// below, two copies. Arithmetic, strips and tiles are equal, so that the exchange alone differs.
#pragma once

#include "ops.h"

// Rows that one thread computes at a time, so that it uses most loaded elements twice.
constexpr int STRIP = 4;
// Columns of a strip, moved by one load or store of 16 bytes.
constexpr int QUAD = 4;
// Elements of a line before the first interior column, which then starts at a multiple of 128 bytes.
constexpr int LEAD = 32;

// One PE's part. Lines go from 0 (the halo above) to `rows` + 1 (the halo below), columns from 0 to `nx` + 1.
struct Slab {
    // The field after an even and after an odd number of steps; symmetric.
    float* field[2];
    // The last step whose edge the PE above and below has sent, by column of tiles; symmetric.
    uint64_t *from_above, *from_below;
    // The sum of the squared changes of this PE's points in the last step.
    double* residual;
    int nx, rows, rows_above;
    size_t stride;
    // Tiles are QUAD times as wide as a block and STRIP times as high.
    int tile_columns, tile_rows;
    int pe, n_pes;

    __host__ __device__ size_t index(int line, int column) const { return line * stride + LEAD - 1 + column; }
    __host__ __device__ bool has_above() const { return pe > 0; }
    __host__ __device__ bool has_below() const { return pe + 1 < n_pes; }
};

inline size_t stride_of(size_t nx) { return round_up(LEAD + nx + 1, LEAD); }

// The left and right boundary at `row` of `rows`, boundary rows counted: a period of a sine.
inline float boundary(size_t row, size_t rows) {
    if (row == 0 || row + 1 == rows) return 0.0f;
    return float(sin(6.283185307179586 * double(row) / double(rows - 1)));
}

// The interior rows of `pe`: the first (0 is the one below the top boundary), and their number.
inline std::pair<size_t, size_t> slab_rows(size_t pe, size_t n_pes, size_t ny) {
    const size_t each = ny / n_pes, over = ny % n_pes;
    return {pe * each + std::min(pe, over), each + (pe < over ? 1 : 0)};
}

// Computes the whole field after `steps` steps by a plain kernel on this GPU alone, and compares it with this PE's rows
// bit by bit, and their residual in the last step with `residual`. Throws Wrong.
void compare_with_plain(Peer&, const Slab&, size_t ny, unsigned steps, double residual);

#ifdef __CUDACC__

__device__ inline float five_point(float left, float right, float up, float down) {
    return 0.25f * ((left + right) + (up + down));
}

// Written so that nothing is fused.
__device__ inline double squared_change(float now, float before) {
    const double change = double(now) - double(before);
    return __dmul_rn(change, change);
}

// Adds the sum of the block's threads to `to`. The block calls.
__device__ inline void add_block_sum(double* to, double sum) {
    __shared__ double of_warp[32];
    const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x, warps = blockDim.x * blockDim.y / 32;
    for (int hop = 16; hop > 0; hop /= 2) sum += __shfl_xor_sync(0xffffffff, sum, hop);
    if (thread % 32 == 0) of_warp[thread / 32] = sum;
    __syncthreads();
    if (thread < 32) {
        sum = thread < warps ? of_warp[thread] : 0.0;
        for (int hop = 16; hop > 0; hop /= 2) sum += __shfl_xor_sync(0xffffffff, sum, hop);
        if (thread == 0) atomicAdd(to, sum);
    }
}

// A step from `now` to `next`.
struct Step {
    const Slab& slab;
    const float* now;
    float* next;

    __device__ Step(const Slab& slab, unsigned taken)
        : slab(slab), now(taken & 1 ? slab.field[1] : slab.field[0]), next(taken & 1 ? slab.field[0] : slab.field[1]) {}

    // The calling thread's first column and first row of a tile.
    __device__ int column(int tile_column) const {
        return (tile_column * int(blockDim.x) + int(threadIdx.x)) * QUAD + 1;
    }
    __device__ int first_row(int tile_row) const { return (tile_row * int(blockDim.y) + int(threadIdx.y)) * STRIP + 1; }

    __device__ static float4 between(float4 up, float left, float4 here, float right, float4 down) {
        return make_float4(five_point(left, here.y, up.x, down.x), five_point(here.x, here.z, up.y, down.y),
                           five_point(here.y, here.w, up.z, down.z), five_point(here.z, right, up.w, down.w));
    }

    __device__ float4 quad(size_t at) const { return *reinterpret_cast<const float4*>(now + at); }

    // Takes the step for the calling thread's strip of a tile. Returns the sum of the squared changes if `square`, else
    // 0.
    __device__ double compute(int tile_row, int tile_column, bool square) const {
        const int at_column = column(tile_column), first = first_row(tile_row);
        if (at_column > slab.nx || first > slab.rows) return 0.0;
        const size_t stride = slab.stride;
        const size_t at = slab.index(first, at_column);
        if (!square && at_column + QUAD <= slab.nx + 1 && first + STRIP <= slab.rows + 1) {
            // All loads precede the first store, so that their latencies overlap.
            float4 line[STRIP + 2];
            float left[STRIP], right[STRIP];
#pragma unroll
            for (int k = 0; k < STRIP + 2; k++) line[k] = quad(at + k * stride - stride);
#pragma unroll
            for (int k = 0; k < STRIP; k++) {
                left[k] = now[at + k * stride - 1];
                right[k] = now[at + k * stride + QUAD];
            }
#pragma unroll
            for (int k = 0; k < STRIP; k++) {
                *reinterpret_cast<float4*>(next + at + k * stride) =
                    between(line[k], left[k], line[k + 1], right[k], line[k + 2]);
            }
            return 0.0;
        }
        return compute_rows(at, at_column, first, square);
    }

    // Any strip, row by row: the residual then costs the code above no registers.
    __device__ double compute_rows(size_t at, int at_column, int first, bool square) const {
        const int end = first + STRIP < slab.rows + 1 ? first + STRIP : slab.rows + 1;
        const bool whole = at_column + QUAD <= slab.nx + 1;
        double sum = 0.0;
#pragma unroll 1
        for (int row = first; row < end; row++, at += slab.stride) {
            const float4 here = quad(at);
            const float4 value =
                between(quad(at - slab.stride), now[at - 1], here, now[at + QUAD], quad(at + slab.stride));
            const float was[QUAD] = {here.x, here.y, here.z, here.w}, is[QUAD] = {value.x, value.y, value.z, value.w};
            if (whole) *reinterpret_cast<float4*>(next + at) = value;
#pragma unroll
            for (int c = 0; c < QUAD; c++) {
                if (at_column + c > slab.nx) continue;
                if (!whole) next[at + c] = is[c];
                if (square) sum += squared_change(is[c], was[c]);
            }
        }
        return sum;
    }

    // The row of tiles of a turn: the two along the edges come first, since neighbours wait for them.
    __device__ int tile_row(int turn) const { return turn == 0 ? 0 : turn == 1 ? slab.tile_rows - 1 : turn - 1; }

    // Calls `body(row, column)` for the block's tiles of the two edges.
    template <class F>
    __device__ void each_edge_tile(F body) const {
        const int turns = slab.tile_rows < 2 ? slab.tile_rows : 2;
        for (int turn = blockIdx.y; turn < turns; turn += gridDim.y) {
            for (int c = blockIdx.x; c < slab.tile_columns; c += gridDim.x) body(tile_row(turn), c);
        }
    }

    __device__ double compute_edges(bool square) const {
        double sum = 0.0;
        each_edge_tile([&](int row, int c) { sum += compute(row, c, square); });
        return sum;
    }

    // All other tiles of the block.
    __device__ double compute_inner(bool square) const {
        double sum = 0.0;
        int turn = blockIdx.y;
        while (turn < 2) turn += gridDim.y;
        for (; turn < slab.tile_rows; turn += gridDim.y) {
            for (int c = blockIdx.x; c < slab.tile_columns; c += gridDim.x) sum += compute(tile_row(turn), c, square);
        }
        return sum;
    }
};

// A tile's piece of an edge.
struct Piece {
    int pe, count;
    float *to, *from;
    // The words by which the neighbour announces its piece, and by which this one is announced.
    uint64_t *heard, *told;
};

// Calls `body` for the tile's pieces that a neighbour needs.
template <class F>
__device__ inline void each_piece(const Step& step, int tile_row, int tile_column, F body) {
    const Slab& slab = step.slab;
    const int width = int(blockDim.x) * QUAD, first = tile_column * width + 1, left = slab.nx + 1 - first;
    const int count = width < left ? width : left;
    if (tile_row == 0 && slab.has_above()) {
        body(Piece{slab.pe - 1, count, step.next + slab.index(slab.rows_above + 1, first),
                   step.next + slab.index(1, first), slab.from_above + tile_column, slab.from_below + tile_column});
    }
    if (tile_row + 1 == slab.tile_rows && slab.has_below()) {
        body(Piece{slab.pe + 1, count, step.next + slab.index(0, first), step.next + slab.index(slab.rows, first),
                   slab.from_below + tile_column, slab.from_above + tile_column});
    }
}

#endif
