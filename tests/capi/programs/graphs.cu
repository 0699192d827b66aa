// Calls on a stream, captured once and replayed hundreds of times: puts, signals, waits, barriers and collectives
// between the program's kernels, which make new data for each replay and check all that arrived.
#include "program.h"

constexpr size_t N = 3001;
constexpr int THREADS = 256;

// The data of one PE.
struct Data {
    float *inbox, *outbox;
    long long *sums, *numbers, *gathered;
    uint64_t *flag, *replay;
};

// Makes the data of this replay.
__global__ void make(Data data, int me, int n_pes, uint64_t seed) {
    const uint64_t key = key_of(seed, me, *data.replay);
    for (size_t i = threadIdx.x; i < N; i += blockDim.x) {
        data.outbox[i] = element<float>(key, i);
        data.numbers[i] = (long long)(mix(key, N + i) % 1000);
        data.inbox[i] = -1.5f;
    }
    for (size_t i = threadIdx.x; i < N * n_pes; i += blockDim.x) data.gathered[i] = -1;
}

// Checks the neighbour's data after its signal, and takes the signal back.
__global__ void arrived(Data data, int left, uint64_t seed, Findings* findings) {
    const uint64_t key = key_of(seed, left, *data.replay);
    for (size_t i = threadIdx.x; i < N; i += blockDim.x) COMPARE(findings, i, data.inbox[i], element<float>(key, i));
    if (threadIdx.x == 0) COMPARE(findings, 0, *data.flag, uint64_t(3));
    __syncthreads();
    if (threadIdx.x == 0) *data.flag = 0;
}

// Checks the sums of all PEs' numbers and the numbers themselves, and counts the replay.
__global__ void combined(Data data, int n_pes, uint64_t seed, Findings* findings) {
    for (size_t i = threadIdx.x; i < N; i += blockDim.x) {
        long long sum = 0;
        for (int from = 0; from < n_pes; from++) {
            const long long number = (long long)(mix(key_of(seed, from, *data.replay), N + i) % 1000);
            COMPARE(findings, i, data.gathered[from * N + i], number);
            sum += number;
        }
        COMPARE(findings, i, data.sums[i], sum);
    }
    __syncthreads();
    if (threadIdx.x == 0) ++*data.replay;
}

// Records one replay's work.
void record(const Data& data, Findings* found) {
    const int right = (pe + 1) % n_pes, left = (pe + n_pes - 1) % n_pes;
    make<<<1, THREADS, 0, stream>>>(data, pe, n_pes, seed);
    // No PE sends before its neighbour's inbox is clear.
    nvshmemx_barrier_all_on_stream(stream);
    nvshmemx_float_put_on_stream(data.inbox, data.outbox, N / 2, right, stream);
    nvshmemx_putmem_signal_on_stream(data.inbox + N / 2, data.outbox + N / 2, (N - N / 2) * sizeof(float), data.flag, 1,
                                     NVSHMEM_SIGNAL_ADD, right, stream);
    nvshmemx_quiet_on_stream(stream);
    nvshmemx_signal_op_on_stream(data.flag, 2, NVSHMEM_SIGNAL_ADD, right, stream);
    nvshmemx_signal_wait_until_on_stream(data.flag, NVSHMEM_CMP_EQ, 3, stream);
    arrived<<<1, THREADS, 0, stream>>>(data, left, seed, found);
    CHECK(nvshmemx_longlong_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, data.sums, data.numbers, N, stream) == 0);
    CHECK(nvshmemx_longlong_fcollect_on_stream(NVSHMEM_TEAM_WORLD, data.gathered, data.numbers, N, stream) == 0);
    combined<<<1, THREADS, 0, stream>>>(data, n_pes, seed, found);
    CHECK(nvshmemx_barrier_on_stream(NVSHMEM_TEAM_WORLD, stream) == 0);
    CUDA(cudaGetLastError());
}

int main(int argc, char** argv) {
    start(argc, argv, "graphs", 300);
    Findings* found = findings();
    Array<float> inbox(N), outbox(N);
    Array<long long> sums(N), numbers(N), gathered(N * n_pes);
    Array<uint64_t> flag(1), replay(1);
    flag.zero();
    replay.zero();
    const Data data = {inbox.at(), outbox.at(), sums.at(), numbers.at(), gathered.at(), flag.at(), replay.at()};
    const uint64_t values = N + 1 + N * (n_pes + 1);
    nvshmem_barrier_all();
    // Once as it is, which also loads all that the calls need.
    record(data, found);
    settle(found, values);

    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    record(data, found);
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&ready, graph, 0));
    for (uint64_t i = 0; i < rounds; i++) {
        CUDA(cudaGraphLaunch(ready, stream));
        // Every PE does this in the same place of the stream's order: calls and replays may alternate.
        if (i % 64 == 63) record(data, found);
    }
    const uint64_t all = rounds + rounds / 64;
    settle(found, all * values);
    replay.expect("replays", [&](size_t) { return all + 1; });
    const auto from = [&](int of) { return key_of(seed, of, all); };
    inbox.expect("inbox", [&](size_t i) { return element<float>(from((pe + n_pes - 1) % n_pes), i); });
    gathered.expect("gathered", [&](size_t i) { return (long long)(mix(from(int(i / N)), N + i % N) % 1000); });
    CUDA(cudaGraphExecDestroy(ready));
    CUDA(cudaGraphDestroy(graph));
    return finish();
}
