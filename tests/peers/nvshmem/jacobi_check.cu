#include <cmath>
#include <cstdio>

#include "check.h"
#include "jacobi.h"

namespace {

// One point for each thread, on the whole field; the residual of the rows from `first` to before `end`.
__global__ void plain_kernel(const float* now, float* next, size_t columns, size_t rows, size_t first, size_t end,
                             double* residual) {
    const size_t column = blockIdx.x * size_t(blockDim.x) + threadIdx.x + 1,
                 row = blockIdx.y * size_t(blockDim.y) + threadIdx.y + 1;
    double change = 0.0;
    if (column + 1 < columns && row + 1 < rows) {
        const size_t at = row * columns + column;
        const float value = five_point(now[at - 1], now[at + 1], now[at - columns], now[at + columns]);
        next[at] = value;
        if (row >= first && row < end) change = squared_change(value, now[at]);
    }
    if (residual) add_block_sum(residual, change);
}

// Line `row` of this PE is line `first` + row of the field, from 1 to `rows`.
__global__ void same_kernel(Slab slab, const float* mine, const float* plain, size_t columns, size_t first,
                            Findings* findings) {
    const int column = int(blockIdx.x * blockDim.x + threadIdx.x + 1), row = int(blockIdx.y + 1);
    if (column > slab.nx) return;
    const unsigned found = __float_as_uint(mine[slab.index(row, column)]);
    const unsigned expected = __float_as_uint(plain[(first + row) * columns + column]);
    if (found != expected) differs(findings, (row - 1) * size_t(slab.nx) + column - 1, found, expected);
}

}  // namespace

void compare_with_plain(Peer& peer, const Slab& slab, size_t ny, unsigned steps, double residual) {
    const size_t columns = size_t(slab.nx) + 2, rows = ny + 2, bytes = columns * rows * sizeof(float);
    const auto [first, mine] = slab_rows(size_t(peer.pe), size_t(peer.n_pes), ny);
    float* field[2] = {};
    double* sum = nullptr;
    std::vector<float> sides(rows);
    for (size_t row = 0; row < rows; row++) sides[row] = boundary(row, rows);
    check(cudaMalloc(&sum, sizeof(double)), "allocate a residual");
    check(cudaMemsetAsync(sum, 0, sizeof(double), peer.stream), "clear a residual");
    for (float*& one : field) {
        check(cudaMalloc(&one, bytes), "allocate the plain solver's field");
        check(cudaMemsetAsync(one, 0, bytes, peer.stream), "clear the plain solver's field");
        for (size_t column : {size_t(0), columns - 1}) {
            check(cudaMemcpy2DAsync(one + column, columns * sizeof(float), sides.data(), sizeof(float), sizeof(float),
                                    rows, cudaMemcpyHostToDevice, peer.stream),
                  "set the plain solver's boundary");
        }
    }
    const dim3 block(64, 4), grid(unsigned((columns + 61) / 64), unsigned((rows + 1) / 4));
    for (unsigned step = 0; step < steps; step++) {
        plain_kernel<<<grid, block, 0, peer.stream>>>(field[step & 1], field[~step & 1], columns, rows, first + 1,
                                                      first + mine + 1, step + 1 == steps ? sum : nullptr);
    }
    check(cudaGetLastError(), "solve plainly");
    Finder finder(peer);
    const dim3 lines(unsigned((slab.nx + 255) / 256), unsigned(slab.rows));
    same_kernel<<<lines, 256, 0, peer.stream>>>(slab, slab.field[steps & 1], field[steps & 1], columns, first,
                                                finder.on_device());
    check(cudaGetLastError(), "compare with the plain solver");
    double expected = 0;
    check(cudaMemcpyAsync(&expected, sum, sizeof(expected), cudaMemcpyDeviceToHost, peer.stream), "read a residual");
    check(cudaStreamSynchronize(peer.stream), "solve plainly");
    for (float* one : field) check(cudaFree(one), "free the plain solver's field");
    check(cudaFree(sum), "free a residual");
    finder.judge(mine * size_t(slab.nx), "points");
    if (!(std::fabs(residual - expected) <= 1e-9 * expected)) {
        char text[120];
        snprintf(text, sizeof(text), "1 of 1 residuals: found %.17g, expected %.17g", residual, expected);
        throw Wrong{text};
    }
}
