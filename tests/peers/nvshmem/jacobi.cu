// The Jacobi solver: its kernels in three variants, and the host's part.
#include "jacobi.h"

#include <cooperative_groups.h>

#include <chrono>
#include <cmath>
#include <cstdio>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int MOST_THREADS = 256;

// Most blocks that an SM must hold at a time, which bounds the registers of a thread (4: 64 of them). The persistent
// kernel is tried both ways.
constexpr int RESIDENT = 4;

// Bulk copies read global memory by another path than the stores that have just written it.
template <bool Tma>
__device__ void stores_before_bulk_copies() {
    if constexpr (Tma) asm volatile("fence.proxy.async.global;" ::: "memory");
}

// One step; each thread with a point of an edge sends it by p. A barrier follows.
__global__ void __launch_bounds__(MOST_THREADS, RESIDENT)
    p_kernel(const __grid_constant__ Slab slab, unsigned taken, bool square) {
    const Step step(slab, taken);
    double sum = 0.0;
    step.each_edge_tile([&](int row, int c) {
        sum += step.compute(row, c, square);
        const int column = step.column(c), first = step.first_row(row);
        const bool above = first == 1 && slab.has_above();
        const bool below = first <= slab.rows && first + STRIP > slab.rows && slab.has_below();
#pragma unroll 1
        for (int c = column; c < column + QUAD && c <= slab.nx; c++) {
            if (above) {
                nvshmem_float_p(step.next + slab.index(slab.rows_above + 1, c), step.next[slab.index(1, c)],
                                slab.pe - 1);
            }
            if (below) nvshmem_float_p(step.next + slab.index(0, c), step.next[slab.index(slab.rows, c)], slab.pe + 1);
        }
    });
    sum += step.compute_inner(square);
    if (square) add_block_sum(slab.residual, sum);
}

// One step; each block puts its pieces of the edges. A barrier follows.
template <bool Tma>
__global__ void __launch_bounds__(MOST_THREADS, RESIDENT)
    put_kernel(const __grid_constant__ Slab slab, unsigned taken, bool square, unsigned smem) {
    lend<Tma>(smem);
    const Step step(slab, taken);
    double sum = step.compute_edges(square);
    stores_before_bulk_copies<Tma>();
    __syncthreads();
    step.each_edge_tile([&](int row, int c) {
        each_piece(step, row, c, [&](const Piece& piece) {
            nvshmemx_float_put_nbi_block(piece.to, piece.from, piece.count, piece.pe);
        });
    });
    sum += step.compute_inner(square);
    if (square) add_block_sum(slab.residual, sum);
    if constexpr (Tma) group_quiet<Scope::block>();
    take_back<Tma>();
}

// All steps; each block puts its pieces with a signal, and waits for the pieces that its own tiles need.
template <bool Tma, int Resident>
__global__ void __launch_bounds__(MOST_THREADS, Resident)
    persistent_kernel(const __grid_constant__ Slab slab, unsigned steps, unsigned smem) {
    lend<Tma>(smem);
    double sum = 0.0;
    for (unsigned taken = 0; taken < steps; taken++) {
        const Step step(slab, taken);
        const bool square = taken + 1 == steps;
        if (threadIdx.x == 0 && threadIdx.y == 0) {
            step.each_edge_tile([&](int row, int c) {
                each_piece(step, row, c,
                           [&](const Piece& piece) { nvshmem_signal_wait_until(piece.heard, NVSHMEM_CMP_GE, taken); });
            });
        }
        __syncthreads();
        sum += step.compute_edges(square);
        stores_before_bulk_copies<Tma>();
        __syncthreads();
        step.each_edge_tile([&](int row, int c) {
            each_piece(step, row, c, [&](const Piece& piece) {
                nvshmemx_float_put_signal_nbi_block(piece.to, piece.from, piece.count, piece.told, taken + 1,
                                                    NVSHMEM_SIGNAL_SET, piece.pe);
            });
        });
        // The edges are in flight while the rest is computed.
        sum += step.compute_inner(square);
        if (!square) cooperative_groups::this_grid().sync();
    }
    add_block_sum(slab.residual, sum);
    take_back<Tma>();
}

enum class Variant { p, put, persistent };

// The launch shape of a kernel, found by trial.
struct Shape {
    dim3 block, grid;
    // The persistent kernel with fewer registers.
    bool dense;
};

using PersistentKernel = void (*)(Slab, unsigned, unsigned);

PersistentKernel persistent(bool tma, bool dense) {
    if (dense) return tma ? persistent_kernel<true, RESIDENT> : persistent_kernel<false, RESIDENT>;
    return tma ? persistent_kernel<true, 3> : persistent_kernel<false, 3>;
}

class Solver {
public:
    Solver(Peer& peer, Variant variant, size_t nx, size_t ny) : peer_(peer), variant_(variant) {
        const auto [first, rows] = slab_rows(size_t(peer.pe), size_t(peer.n_pes), ny);
        most_rows_ = slab_rows(0, size_t(peer.n_pes), ny).second;
        slab_.nx = int(nx);
        slab_.rows = int(rows);
        slab_.rows_above = peer.pe > 0 ? int(slab_rows(size_t(peer.pe - 1), size_t(peer.n_pes), ny).second) : 0;
        slab_.stride = stride_of(nx);
        slab_.pe = peer.pe;
        slab_.n_pes = peer.n_pes;
        field_bytes_ = round_up((most_rows_ + 2) * slab_.stride * sizeof(float), 4096);
        // Enough words for the narrowest block.
        signal_bytes_ = round_up((nx + 31) / 32 * sizeof(uint64_t), 256);
        char* memory = peer.source(2 * field_bytes_ + 2 * signal_bytes_ + 512);
        slab_.field[0] = reinterpret_cast<float*>(memory);
        slab_.field[1] = reinterpret_cast<float*>(memory + field_bytes_);
        slab_.from_above = reinterpret_cast<uint64_t*>(memory + 2 * field_bytes_);
        slab_.from_below = reinterpret_cast<uint64_t*>(memory + 2 * field_bytes_ + signal_bytes_);
        slab_.residual = reinterpret_cast<double*>(memory + 2 * field_bytes_ + 2 * signal_bytes_);
        for (size_t line = 0; line < rows + 2; line++) sides_.push_back(boundary(first + line, ny + 2));
        // A row of the field is a few bulk copies: less shared memory leaves room for more blocks on an SM.
        smem_ = peer.tma && variant != Variant::p ? size_t(nvshmemx_ask_smem(NVSHMEMX_SMEM_MINIMUM)) : 0;
    }

    const Slab& slab() const { return slab_; }

    // Chooses the fastest of a few shapes, by the slowest PE, so that all PEs choose alike.
    void choose_shape() {
        double best = INFINITY;
        Shape chosen{};
        for (const dim3 block :
             {dim3(32, 4), dim3(32, 8), dim3(64, 2), dim3(64, 4), dim3(128, 1), dim3(128, 2), dim3(256, 1)}) {
            // One-step kernels: the widest and highest grid. The persistent one: as many blocks as fit.
            for (const bool other : {false, true}) {
                set_shape(block, other ? 65535 : 64, other);
                solve(3);
                const double ns = slowest(solve(10));
                if (ns < best) {
                    best = ns;
                    chosen = shape_;
                }
            }
        }
        use(chosen);
        if (peer_.pe == 0) {
            fprintf(stderr, "jacobi: blocks of %u x %u, a grid of %u x %u%s\n", chosen.block.x, chosen.block.y,
                    chosen.grid.x, chosen.grid.y,
                    chosen.dense && variant_ == Variant::persistent ? ", fewer registers" : "");
        }
    }

    // Solves from the zero field. Returns nanoseconds.
    double solve(unsigned steps) {
        reset();
        peer_.meet();
        const auto start = Clock::now();
        if (variant_ == Variant::persistent) {
            const auto kernel = persistent(peer_.tma, shape_.dense);
            peer_.launch_collective(kernel, shape_.grid, shape_.block, smem_, slab_, steps, unsigned(smem_));
        } else {
            for (unsigned taken = 0; taken < steps; taken++) {
                const bool square = taken + 1 == steps;
                if (variant_ == Variant::p) {
                    peer_.launch(p_kernel, shape_.grid, shape_.block, 0, slab_, taken, square);
                } else {
                    auto kernel = peer_.tma ? put_kernel<true> : put_kernel<false>;
                    peer_.launch(kernel, shape_.grid, shape_.block, smem_, slab_, taken, square, unsigned(smem_));
                }
                nvshmemx_barrier_all_on_stream(peer_.stream);
            }
        }
        check(cudaStreamSynchronize(peer_.stream), "wait for the solver");
        return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    }

    double residual() {
        double value = 0;
        check(cudaMemcpyAsync(&value, slab_.residual, sizeof(value), cudaMemcpyDeviceToHost, peer_.stream),
              "read the residual");
        check(cudaStreamSynchronize(peer_.stream), "read the residual");
        return value;
    }

private:
    Peer& peer_;
    Variant variant_;
    Slab slab_{};
    Shape shape_{};
    size_t most_rows_, field_bytes_, signal_bytes_, smem_;
    std::vector<float> sides_;

    void reset() {
        // No PE writes into this PE's halo any more.
        peer_.meet();
        check(cudaMemsetAsync(slab_.field[0], 0, 2 * field_bytes_ + 2 * signal_bytes_ + 512, peer_.stream),
              "clear the field");
        const size_t pitch = slab_.stride * sizeof(float);
        for (float* field : slab_.field) {
            for (int column : {0, slab_.nx + 1}) {
                check(cudaMemcpy2DAsync(field + slab_.index(0, column), pitch, sides_.data(), sizeof(float),
                                        sizeof(float), sides_.size(), cudaMemcpyHostToDevice, peer_.stream),
                      "set the boundary");
            }
        }
    }

    void use(Shape shape) {
        shape_ = shape;
        slab_.tile_columns = (slab_.nx + int(shape.block.x) * QUAD - 1) / (int(shape.block.x) * QUAD);
        const int height = int(shape.block.y) * STRIP;
        slab_.tile_rows = (slab_.rows + height - 1) / height;
    }

    void set_shape(dim3 block, unsigned most, bool dense) {
        const unsigned columns = (unsigned(slab_.nx) + block.x * QUAD - 1) / (block.x * QUAD);
        const unsigned rows = unsigned((most_rows_ + block.y * STRIP - 1) / (block.y * STRIP));
        use({block, dim3(std::min(columns, most), std::min(rows, most)), dense});
        if (variant_ != Variant::persistent) return;
        // Of the grids that fit, the one whose busiest block has the fewest tiles.
        unsigned steps = 0, smem = unsigned(smem_);
        void* args[] = {&slab_, &steps, &smem};
        const void* kernel = reinterpret_cast<const void*>(persistent(peer_.tma, dense));
        if (smem_) {
            check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(smem_)),
                  "allow a kernel its shared memory");
        }
        int fit = 0;
        check(nvshmemx_collective_launch_query_gridsize(kernel, block, args, smem_, &fit) == 0 && fit > 0,
              "nvshmemx_collective_launch_query_gridsize failed");
        size_t fewest = ~size_t(0);
        for (unsigned width = 1; width <= std::min(columns, unsigned(fit)); width++) {
            const unsigned height = std::min(rows, unsigned(fit) / width);
            const size_t tiles = size_t((columns + width - 1) / width) * ((rows + height - 1) / height);
            // Of equals, the wider one: more blocks share the edges.
            if (tiles <= fewest) {
                fewest = tiles;
                shape_.grid = dim3(width, height);
            }
        }
    }

    double slowest(double ns) {
        double* word = slab_.residual;
        check(cudaMemcpyAsync(word, &ns, sizeof(ns), cudaMemcpyHostToDevice, peer_.stream), "tell a time");
        check(nvshmemx_double_max_reduce_on_stream(NVSHMEM_TEAM_WORLD, word + 1, word, 1, peer_.stream) == 0,
              "nvshmemx_double_max_reduce_on_stream failed");
        check(cudaMemcpyAsync(&ns, word + 1, sizeof(ns), cudaMemcpyDeviceToHost, peer_.stream), "hear a time");
        check(cudaStreamSynchronize(peer_.stream), "agree on a time");
        return ns;
    }
};

}  // namespace

Times run_jacobi(Peer& peer, const Request& r) {
    Variant variant;
    if (r.variant == "p") {
        variant = Variant::p;
        if (peer.tma) throw Skip{"single elements do not go through shared memory"};
    } else if (r.variant == "put_nbi" || r.variant == "put") {
        variant = Variant::put;
    } else if (r.variant == "persistent") {
        variant = Variant::persistent;
    } else {
        throw Skip{"no variant " + r.variant};
    }
    if (r.ny < size_t(peer.n_pes) || r.nx == 0 || r.nx > 1 << 24 || r.ny > 65535) throw Skip{"no such field"};
    Solver solver(peer, variant, r.nx, r.ny);
    solver.choose_shape();
    const Times times = peer.repeat(r, true, [&](unsigned) { return solver.solve(r.iters); });
    compare_with_plain(peer, solver.slab(), r.ny, r.iters, solver.residual());
    return times;
}
