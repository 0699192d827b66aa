// Jacobi's method on a small grid, whose rows are dealt out to a ring of PEs, with five ways to exchange rows between
// neighbours. Every way gives the bits of a plain loop on the host.
#include <algorithm>
#include <cmath>

#include "program.h"

constexpr int NX = 260, ROWS = 41, COLUMNS = 128, SEGMENTS = (NX - 2 + COLUMNS - 1) / COLUMNS, STRIPS = 3;
constexpr size_t FIELD = size_t(ROWS + 2) * NX;

enum Way { ELEMENTS, BLOCK_PUTS, SIGNALS, STREAM, STREAM_SIGNALS, WAYS };
const char* const NAMES[WAYS] = {"elements", "puts by blocks", "put with signal", "on stream", "signals on stream"};

__host__ __device__ inline double mean(double up, double down, double left, double right) {
    return 0.25 * ((up + down) + (left + right));
}

// One step of a PE's rows. A block has some columns of a strip of rows; the first and the last strip send theirs.
__global__ void step(double* to, const double* from, Way way, uint64_t* flags, uint64_t iteration,
                     unsigned long long* residual) {
    const int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes(), up = (me + n_pes - 1) % n_pes, down = (me + 1) % n_pes;
    const int left = 1 + blockIdx.x * COLUMNS, width = min(COLUMNS, NX - 1 - left), x = left + threadIdx.x;
    const int first = 1 + blockIdx.y * ROWS / STRIPS, end = 1 + (blockIdx.y + 1) * ROWS / STRIPS;
    const bool is_top = blockIdx.y == 0, is_bottom = blockIdx.y == STRIPS - 1;
    uint64_t *of_up = flags + blockIdx.x, *of_down = flags + SEGMENTS + blockIdx.x;
    if (way == SIGNALS) {
        if (threadIdx.x == 0 && is_top) nvshmem_signal_wait_until(of_up, NVSHMEM_CMP_GE, iteration);
        if (threadIdx.x == 0 && is_bottom) nvshmem_signal_wait_until(of_down, NVSHMEM_CMP_GE, iteration);
        __syncthreads();
    }
    double change = 0;
    for (int y = first; y < end && int(threadIdx.x) < width; y++) {
        const double* at = from + y * NX + x;
        const double value = mean(at[-NX], at[NX], at[-1], at[1]);
        to[y * NX + x] = value;
        change = fmax(change, fabs(value - at[0]));
        if (way == ELEMENTS && y == 1) nvshmem_double_p(to + (ROWS + 1) * NX + x, value, up);
        if (way == ELEMENTS && y == ROWS) nvshmem_double_p(to + x, value, down);
    }
    // The bits of numbers that are not negative are ordered as the numbers.
    atomicMax(residual, (unsigned long long)__double_as_longlong(change));
    __syncthreads();
    double *top = to + NX + left, *bottom = to + ROWS * NX + left;
    double *above = to + left, *below = to + (ROWS + 1) * NX + left;
    if (way == BLOCK_PUTS && is_top) nvshmemx_double_put_nbi_block(below, top, width, up);
    if (way == BLOCK_PUTS && is_bottom) nvshmemx_double_put_nbi_block(above, bottom, width, down);
    if (way == SIGNALS && is_top) {
        nvshmemx_double_put_signal_nbi_block(below, top, width, of_down, 1, NVSHMEM_SIGNAL_ADD, up);
    }
    if (way == SIGNALS && is_bottom) {
        nvshmemx_double_put_signal_nbi_block(above, bottom, width, of_up, iteration + 1, NVSHMEM_SIGNAL_SET, down);
    }
}

// The first field, at a row of the whole grid.
double initial(uint64_t seed, size_t row, size_t x) { return element<double>(seed, row * NX + x); }

// Exchanges the rows that the step has left to the stream.
void exchange(double* to, Way way, uint64_t* flags, uint64_t iteration) {
    const int up = (pe + n_pes - 1) % n_pes, down = (pe + 1) % n_pes;
    double *top = to + NX + 1, *bottom = to + ROWS * NX + 1, *above = to + 1, *below = to + (ROWS + 1) * NX + 1;
    const size_t count = NX - 2;
    if (way == STREAM_SIGNALS) {
        const uint64_t now = iteration + 1;
        nvshmemx_double_put_signal_on_stream(below, top, count, flags, now, NVSHMEM_SIGNAL_SET, up, stream);
        nvshmemx_double_put_signal_on_stream(above, bottom, count, flags + 1, 1, NVSHMEM_SIGNAL_ADD, down, stream);
        nvshmemx_signal_wait_until_on_stream(flags, NVSHMEM_CMP_GE, now, stream);
        nvshmemx_signal_wait_until_on_stream(flags + 1, NVSHMEM_CMP_GE, now, stream);
    } else if (way != SIGNALS) {
        if (way == STREAM) nvshmemx_double_put_on_stream(below, top, count, up, stream);
        if (way == STREAM) nvshmemx_double_put_nbi_on_stream(above, bottom, count, down, stream);
        nvshmemx_barrier_all_on_stream(stream);
    }
}

int main(int argc, char** argv) {
    start(argc, argv, "jacobi", 100);
    // The reference: all rows, in a ring.
    const size_t all_rows = size_t(ROWS) * n_pes;
    std::vector<double> field(all_rows * NX), next;
    for (size_t i = 0; i < field.size(); i++) field[i] = initial(seed, i / NX, i % NX);
    double last = 0;
    for (uint64_t iteration = 0; iteration < rounds; iteration++) {
        next = field;
        last = 0;
        for (size_t y = 0; y < all_rows; y++) {
            const double *row = &field[y * NX], *above = &field[(y + all_rows - 1) % all_rows * NX];
            const double* below = &field[(y + 1) % all_rows * NX];
            for (int x = 1; x < NX - 1; x++) {
                next[y * NX + x] = mean(above[x], below[x], row[x - 1], row[x + 1]);
                last = std::max(last, std::fabs(next[y * NX + x] - row[x]));
            }
        }
        field.swap(next);
    }

    Array<double> a(FIELD), b(FIELD), own(1), greatest(1);
    Array<uint64_t> flags(2 * SEGMENTS);
    for (int w = 0; w < WAYS; w++) {
        const Way way = Way(w);
        const auto row_of = [&](size_t i) { return (pe * ROWS + all_rows + i / NX - 1) % all_rows; };
        for (const Array<double>* one : {&a, &b}) one->fill([&](size_t i) { return initial(seed, row_of(i), i % NX); });
        flags.zero();
        nvshmem_barrier_all();
        double *from = a.at(), *to = b.at();
        for (uint64_t iteration = 0; iteration < rounds; iteration++) {
            CUDA(cudaMemsetAsync(own.at(), 0, sizeof(double), stream));
            auto* residual = reinterpret_cast<unsigned long long*>(own.at());
            void* args[] = {&to, &from, (void*)&way, nullptr, &iteration, &residual};
            uint64_t* words = flags.at();
            args[3] = &words;
            CHECK(nvshmemx_collective_launch((const void*)step, dim3(SEGMENTS, STRIPS), COLUMNS, args, 0, stream) == 0);
            exchange(to, way, words, iteration);
            std::swap(from, to);
        }
        CHECK(nvshmemx_double_max_reduce_on_stream(NVSHMEM_TEAM_WORLD, greatest.at(), own.at(), 1, stream) == 0);
        nvshmemx_barrier_all_on_stream(stream);
        CUDA(cudaStreamSynchronize(stream));
        (rounds % 2 == 0 ? a : b).expect(NAMES[way], [&](size_t i) { return field[row_of(i) * NX + i % NX]; });
        greatest.expect("residual", [&](size_t) { return last; });
        if (pe == 0) fprintf(stderr, "jacobi: %s: residual %.17g\n", NAMES[way], last);
        nvshmem_barrier_all();
    }
    return finish();
}
