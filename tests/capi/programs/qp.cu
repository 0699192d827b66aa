// Explicit queue pairs: each block sends on one of its own in a ring, orders and completes on it, and answers on it.
#include "program.h"

constexpr int QPS = 4, THREADS = 128;
constexpr size_t N = 1003;

// Every block sends N elements each round, by one of four forms; all of them leave the flag at the round's number.
__global__ void ring(uint64_t* inbox, uint64_t* outbox, uint64_t* flags, uint64_t* answers, nvshmemx_qp_handle_t* qps,
                     uint64_t seed, uint64_t rounds, Findings* findings) {
    const int block = blockIdx.x, me = nvshmem_my_pe(), n_pes = nvshmem_n_pes();
    const int right = (me + 1) % n_pes, left = (me + n_pes - 1) % n_pes;
    const nvshmemx_qp_handle_t qp = qps[block];
    nvshmemx_qp_handle_t all = NVSHMEMX_QP_ALL;
    uint64_t *in = inbox + block * N, *out = outbox + block * N, *flag = flags + block, *answer = answers + block;
    for (uint64_t round = 1; round <= rounds; round++) {
        for (size_t i = threadIdx.x; i < N; i += blockDim.x) out[i] = mix(key_of(seed, me, round), block * N + i);
        __syncthreads();
        switch ((round + block) % 4) {
            case 0:
                nvshmemx_qp_uint64_put_signal_nbi_block(in, out, N, flag, round, NVSHMEM_SIGNAL_SET, right, qp);
                break;
            case 1:
                // The fence orders the signal after the data, since both are on one queue pair.
                nvshmemx_qp_uint64_put_nbi_block(in, out, N, right, qp);
                nvshmemx_qp_fence_block(right, qps + block, 1);
                if (threadIdx.x == 0) nvshmemx_qp_signal_op(flag, 1, NVSHMEM_SIGNAL_ADD, right, qp);
                break;
            case 2:
                // Another queue pair may signal when the data is delivered.
                nvshmemx_qp_uint64_put_block(in, out, N, right, qp);
                nvshmemx_qp_quiet_block(right, qps, QPS);
                if (threadIdx.x == 0) nvshmemx_qp_signal_op(flag, 1, NVSHMEM_SIGNAL_ADD, right, NVSHMEMX_QP_DEFAULT);
                break;
            default:
                for (size_t i = threadIdx.x; i < N; i += blockDim.x) {
                    nvshmemx_qp_uint64_p(in + i, out[i], right, i % 2 == 0 ? NVSHMEMX_QP_ANY : qp);
                }
                nvshmemx_qp_quiet_block(NVSHMEMX_PE_ALL, &all, 1);
                __syncthreads();
                if (threadIdx.x == 0) nvshmemx_qp_signal_op(flag, round, NVSHMEM_SIGNAL_SET, right, NVSHMEMX_QP_ANY);
        }
        if (threadIdx.x == 0) nvshmem_signal_wait_until(flag, NVSHMEM_CMP_EQ, round);
        __syncthreads();
        for (size_t i = threadIdx.x; i < N; i += blockDim.x) {
            COMPARE(findings, i, in[i], mix(key_of(seed, left, round), block * N + i));
        }
        // The source is free again, and the inbox.
        nvshmemx_qp_quiet_block(right, qps + block, 1);
        __syncthreads();
        if (threadIdx.x == 0) {
            nvshmemx_qp_signal_op(answer, 1, NVSHMEM_SIGNAL_ADD, left, qp);
            nvshmem_signal_wait_until(answer, NVSHMEM_CMP_EQ, round);
        }
        __syncthreads();
    }
}

// Reads the right neighbour's memory by each form of get; the results are checked on the host.
__global__ void fetch(float* got, float* remote, nvshmemx_qp_handle_t* qps) {
    const int right = (nvshmem_my_pe() + 1) % nvshmem_n_pes();
    nvshmemx_qp_float_get_block(got, remote, N, right, qps[0]);
    nvshmemx_qp_float_get_nbi_block(got + N, remote + N, N, right, qps[1]);
    nvshmemx_qp_quiet_block(right, qps + 1, 1);
    __syncthreads();
    if (threadIdx.x < 32) {
        nvshmemx_qp_float_get_nbi_warp(got + 2 * N, remote + 2 * N, N, right, qps[2]);
        nvshmemx_qp_quiet_warp(right, qps + 2, 1);
    } else if (threadIdx.x == 32) {
        nvshmemx_qp_float_get(got + 3 * N, remote + 3 * N, N - 1, right, qps[3]);
        got[4 * N - 1] = nvshmemx_qp_float_g(remote + 4 * N - 1, right, NVSHMEMX_QP_DEFAULT);
        nvshmemx_qp_fence(right, qps + 3, 1);
        nvshmemx_qp_quiet(NVSHMEMX_PE_ALL, qps + 3, 1);
    }
}

int main(int argc, char** argv) {
    start(argc, argv, "qp", 200);
    nvshmemx_qp_handle_t *first = nullptr, *second = nullptr;
    CHECK(nvshmemx_qp_create(QPS, &first) == 0 && first != nullptr);
    CHECK(nvshmemx_qp_create(QPS, &second) == 0 && second != nullptr);
    nvshmemx_qp_handle_t* qps;
    CUDA(cudaMalloc(&qps, 2 * QPS * sizeof(*qps)));
    CUDA(cudaMemcpy(qps, first, QPS * sizeof(*qps), cudaMemcpyDefault));
    CUDA(cudaMemcpy(qps + QPS, second, QPS * sizeof(*qps), cudaMemcpyDefault));
    Findings* found = findings();

    const int right = (pe + 1) % n_pes, left = (pe + n_pes - 1) % n_pes;
    Array<uint64_t> inbox(QPS * N), outbox(QPS * N), flags(QPS), answers(QPS);
    flags.zero();
    answers.zero();
    nvshmem_barrier_all();
    launch(ring, QPS, THREADS, inbox.at(), outbox.at(), flags.at(), answers.at(), qps, seed, rounds, found);
    settle(found, rounds * QPS * N);
    inbox.expect("inbox", [&](size_t i) { return mix(key_of(seed, left, rounds), i); });
    flags.expect("flags", [&](size_t) { return rounds; });

    Array<float> got(QPS * N), remote(QPS * N);
    remote.fill([&](size_t i) { return element<float>(key_of(seed, pe, 0), i); });
    nvshmem_barrier_all();
    launch(fetch, 1, THREADS, got.at(), remote.at(), qps + QPS);
    CUDA(cudaStreamSynchronize(stream));
    got.expect("got", [&](size_t i) { return element<float>(key_of(seed, right, 0), i); });

    const int code = finish();
    // The arrays belong to the program, which keeps them until the end of the world.
    free(first);
    free(second);
    return code;
}
