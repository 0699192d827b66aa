// Signals in a ring: put with signal in each form and scope, over many rounds, on the device and on a stream. Then sums
// of signals from all PEs.
#include "program.h"

constexpr int BLOCKS = 3, THREADS = 96, FORMS = 7;
constexpr size_t N = 517;

// Sends one round's data to `pe` by a form that the round chooses, and leaves `flag` there at `round`.
__device__ void send(double* in, const double* out, uint64_t* flag, uint64_t round, int pe) {
    const bool first = threadIdx.x == 0, warp = threadIdx.x < 32;
    switch (round % FORMS) {
        case 0:
            if (first) nvshmem_double_put_signal(in, out, N, flag, round, NVSHMEM_SIGNAL_SET, pe);
            break;
        case 1:
            if (warp) nvshmemx_double_put_signal_warp(in, out, N, flag, 1, NVSHMEM_SIGNAL_ADD, pe);
            break;
        case 2:
            nvshmemx_double_put_signal_block(in, out, N, flag, round, NVSHMEM_SIGNAL_SET, pe);
            break;
        case 3:
            nvshmemx_double_put_signal_nbi_block(in, out, N, flag, 1, NVSHMEM_SIGNAL_ADD, pe);
            break;
        case 4:
            if (warp) nvshmemx_put32_signal_nbi_warp(in, out, 2 * N, flag, round, NVSHMEM_SIGNAL_SET, pe);
            break;
        case 5:
            if (first) nvshmem_putmem_signal_nbi(in, out, 8 * N, flag, 1, NVSHMEM_SIGNAL_ADD, pe);
            break;
        default:
            nvshmemx_double_put_block(in, out, N, pe);
            __syncthreads();
            if (first) nvshmem_fence();
            if (first) nvshmemx_signal_op(flag, round, NVSHMEM_SIGNAL_SET, pe);
    }
}

// Two inboxes alternate: a PE may be a round ahead of its neighbour.
__global__ void ring(double* inbox, double* outbox, uint64_t* flags, uint64_t* answers, uint64_t seed, uint64_t rounds,
                     Findings* findings) {
    const int block = blockIdx.x, me = nvshmem_my_pe(), n_pes = nvshmem_n_pes();
    const int right = (me + 1) % n_pes, left = (me + n_pes - 1) % n_pes;
    uint64_t *flag = flags + block, *answer = answers + block;
    for (uint64_t round = 1; round <= rounds; round++) {
        const size_t place = (block * 2 + round % 2) * N;
        double *in = inbox + place, *out = outbox + place;
        if (threadIdx.x == 0 && round > 2) nvshmem_signal_wait_until(answer, NVSHMEM_CMP_GE, round - 2);
        __syncthreads();
        for (size_t i = threadIdx.x; i < N; i += blockDim.x) out[i] = element<double>(key_of(seed, me, round), i);
        __syncthreads();
        send(in, out, flag, round, right);
        if (threadIdx.x == 0) {
            const uint64_t seen = nvshmem_signal_wait_until(flag, NVSHMEM_CMP_GT, round - 1);
            COMPARE(findings, round, seen == round || seen == round + 1, true);
            const uint64_t now = nvshmem_signal_fetch(flag);
            COMPARE(findings, round, now == seen || now == round + 1, true);
        }
        __syncthreads();
        for (size_t i = threadIdx.x; i < N; i += blockDim.x) {
            COMPARE(findings, i, in[i], element<double>(key_of(seed, left, round), i));
        }
        nvshmem_quiet();
        __syncthreads();
        if (threadIdx.x == 0) nvshmemx_signal_op(answer, 1, NVSHMEM_SIGNAL_ADD, left);
    }
}

// Each PE sends its row to every PE. The sum of all signals says that all rows are there.
__global__ void from_all(double* rows, const double* row, uint64_t* flag) {
    const int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes();
    for (int i = 1; i <= n_pes; i++) {
        const int to = (me + i) % n_pes;
        nvshmemx_double_put_signal_nbi_block(rows + me * N, row, N, flag, 1ull << (2 * me), NVSHMEM_SIGNAL_ADD, to);
    }
    uint64_t all = 0;
    for (int i = 0; i < n_pes; i++) all += 1ull << (2 * i);
    if (threadIdx.x == 0) nvshmem_signal_wait_until(flag, NVSHMEM_CMP_EQ, all);
    nvshmem_quiet();
}

// The same ring by calls on a stream, with one inbox for all rounds: the answer comes before the next round.
void ring_on_stream(const Array<double>& inbox, const Array<double>& outbox, const Array<uint64_t>& words) {
    const int right = (pe + 1) % n_pes, left = (pe + n_pes - 1) % n_pes;
    uint64_t *flag = words.at(), *answer = words.at(1);
    const uint64_t times = rounds / 10 + 1;
    for (uint64_t round = 1; round <= times; round++) {
        const double* from = outbox.at(round % 5);
        if (round % 2 == 0) {
            nvshmemx_double_put_signal_on_stream(inbox.at(), from, N, flag, round, NVSHMEM_SIGNAL_SET, right, stream);
        } else {
            nvshmemx_putmem_signal_nbi_on_stream(inbox.at(), from, 8 * N, flag, 1, NVSHMEM_SIGNAL_ADD, right, stream);
        }
        nvshmemx_signal_wait_until_on_stream(flag, NVSHMEM_CMP_EQ, round, stream);
        CUDA(cudaStreamSynchronize(stream));
        inbox.expect("inbox of a stream", [&](size_t i) {
            return element<double>(key_of(seed, left, 0), round % 5 + i);
        });
        nvshmemx_quiet_on_stream(stream);
        nvshmemx_signal_op_on_stream(answer, 1, NVSHMEM_SIGNAL_ADD, left, stream);
        nvshmemx_signal_wait_until_on_stream(answer, NVSHMEM_CMP_EQ, round, stream);
        CUDA(cudaStreamSynchronize(stream));
    }
}

int main(int argc, char** argv) {
    start(argc, argv, "signaling", 1000);
    CHECK(n_pes <= 32 && rounds >= 2);
    Findings* found = findings();
    const int left = (pe + n_pes - 1) % n_pes;
    Array<double> inbox(BLOCKS * 2 * N), outbox(BLOCKS * 2 * N);
    Array<uint64_t> words(2 * BLOCKS);
    words.zero();
    nvshmem_barrier_all();
    launch(ring, BLOCKS, THREADS, inbox.at(), outbox.at(), words.at(), words.at(BLOCKS), seed, rounds, found);
    settle(found, rounds * BLOCKS * (N + 2));
    nvshmem_barrier_all();
    words.expect("words", [&](size_t) { return rounds; });
    inbox.expect("inbox", [&](size_t i) {
        const uint64_t last = rounds % 2 == i / N % 2 ? rounds : rounds - 1;
        return element<double>(key_of(seed, left, last), i % N);
    });

    Array<double> rows(n_pes * N), row(N + 5);
    Array<uint64_t> flag(1), pair(2);
    flag.zero();
    pair.zero();
    row.fill([&](size_t i) { return element<double>(key_of(seed, pe, 0), i); });
    nvshmem_barrier_all();
    launch(from_all, 1, THREADS, rows.at(), row.at(), flag.at());
    CUDA(cudaStreamSynchronize(stream));
    rows.expect("rows", [&](size_t i) { return element<double>(key_of(seed, int(i / N), 0), i % N); });

    Array<double> inbox_of_stream(N);
    nvshmem_barrier_all();
    ring_on_stream(inbox_of_stream, row, pair);
    return finish();
}
