// Tokens sent to experts and back, as codes for mixtures of experts do it: aligned memory, a team, a library of kernels
// that the driver loads, and messages by puts without waiting, whose number a signal carries.
#include "check.h"

#if defined MODULE
#include <nvshmem.h>
#include <nvshmemx.h>

// The library's kernel: every kind of meeting, with a word of each PE that shows who has come.
extern "C" __global__ void meet(uint64_t* words, nvshmem_team_t team, uint64_t round, program::Findings* findings) {
    const int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes();
    for (int kind = 0; kind < 4; kind++) {
        const uint64_t now = round * 4 + kind;
        if (threadIdx.x == 0) {
            for (int to = 0; to < n_pes; to++) nvshmem_uint64_p(words + me, now, to);
            // A sync completes nothing: the words are delivered before it.
            nvshmem_quiet();
        }
        __syncthreads();
        if (kind == 0 && threadIdx.x == 0) nvshmem_sync(team);
        if (kind == 1 && threadIdx.x == 0) nvshmem_sync_all();
        if (kind == 2) nvshmemx_barrier_all_block();
        if (kind == 3) nvshmemx_team_sync_block(team);
        __syncthreads();
        if (threadIdx.x < n_pes) {
            const bool come = nvshmem_uint64_test(words + threadIdx.x, NVSHMEM_CMP_GE, now) != 0;
            COMPARE(findings, threadIdx.x, come, true);
        }
        __syncthreads();
        // Nobody goes on before all have looked.
        nvshmemx_barrier_all_block();
    }
}
#else
#include <nvshmem.h>
#include <nvshmemx.h>

#include "opened.h"

using namespace program;

constexpr int THREADS = 128, EXPERTS = 4, TOKENS = 48, CHOSEN = 3, WORDS = 260;

// A token's message: the number of the token, the place of its expert among its chosen ones, and its data.
struct Message {
    uint32_t token, choice, words[WORDS - 2];
};

// The memory of one PE.
struct Buffers {
    Message *tokens, *sent, *received;
    uint32_t *replies, *returned;
    uint64_t *arrived, *answered;
};

// The expert of a token's choice: all of a token's choices differ.
__host__ __device__ inline int expert_of(uint64_t key, int token, int choice, int experts) {
    const uint64_t first = mix(key, token) % experts, step = 1 + mix(key, TOKENS + token) % ((experts - 1) / CHOSEN);
    return int((first + choice * step) % experts);
}

__host__ __device__ inline uint32_t word_of(uint64_t key, int token, int word) {
    return uint32_t(mix(key, uint64_t(token) * WORDS + word + 2 * TOKENS));
}

// An expert's work on one word.
__host__ __device__ inline uint32_t worked(uint32_t word, int expert) { return word * (2 * expert + 3) + expert; }

// Block `e` sends this PE's tokens for expert `e`, and their number plus one. Then it takes the messages from one PE
// for one of this PE's experts, answers each, and sends the number of answers plus one.
__global__ void dispatch(Buffers b, uint64_t key, uint64_t round, Findings* findings) {
    const int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes(), experts = EXPERTS * n_pes;
    const int expert = blockIdx.x, to = expert / EXPERTS, local = expert % EXPERTS;
    uint64_t count = 0;
    for (int token = 0; token < TOKENS; token++) {
        for (int choice = 0; choice < CHOSEN; choice++) {
            if (expert_of(key, token, choice, experts) != expert) continue;
            Message* message = b.sent + expert * TOKENS + count;
            for (int i = threadIdx.x; i < WORDS - 2; i += blockDim.x) message->words[i] = b.tokens[token].words[i];
            if (threadIdx.x == 0) message->token = token, message->choice = choice;
            __syncthreads();
            Message* place = b.received + (local * n_pes + me) * TOKENS + count++;
            nvshmemx_putmem_nbi_block(place, message, sizeof(Message), to);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        nvshmem_fence();
        nvshmemx_signal_op(b.arrived + local * n_pes + me, count + 1, NVSHMEM_SIGNAL_ADD, to);
    }

    const int from = blockIdx.x % n_pes, mine = blockIdx.x / n_pes, own = me * EXPERTS + mine;
    uint64_t* arrived = b.arrived + mine * n_pes + from;
    __shared__ uint64_t messages;
    if (threadIdx.x == 0) {
        messages = nvshmem_signal_wait_until(arrived, NVSHMEM_CMP_NE, 0) - 1;
        *arrived = 0;
    }
    __syncthreads();
    for (uint64_t i = 0; i < messages; i++) {
        const Message* message = b.received + (mine * n_pes + from) * TOKENS + i;
        uint32_t* reply = b.replies + ((mine * n_pes + from) * TOKENS + i) * WORDS;
        for (int at = threadIdx.x; at < WORDS - 2; at += blockDim.x) reply[at] = worked(message->words[at], own);
        __syncthreads();
        uint32_t* place = b.returned + (message->token * CHOSEN + message->choice) * WORDS;
        nvshmemx_putmem_nbi_block(place, reply, (WORDS - 2) * sizeof(uint32_t), from);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        nvshmem_fence();
        nvshmemx_signal_op(b.answered, messages + 1, NVSHMEM_SIGNAL_ADD, from);
        // Each of all experts answers each PE once a round, whether it had tokens or not.
        nvshmem_signal_wait_until(b.answered, NVSHMEM_CMP_GE, round * (TOKENS * CHOSEN + experts));
        COMPARE(findings, blockIdx.x, messages <= TOKENS, true);
    }
    nvshmem_quiet();
}

// Aligned symmetric memory, as for messages that a NIC reads.
template <class T>
T* aligned(size_t count) {
    void* at = nvshmem_align(128, count * sizeof(T));
    CHECK(at != nullptr && reinterpret_cast<uintptr_t>(at) % 128 == 0);
    CUDA(cudaMemset(at, 0xa5, count * sizeof(T)));
    return static_cast<T*>(at);
}

// Runs the library's kernel over a team of all PEs.
void meet_by_library(Driver& driver, const char* file, cudaStream_t stream, Findings* found) {
    CUlibrary library;
    CUkernel kernel;
    CHECK(driver.library_load(&library, file, nullptr, nullptr, 0, nullptr, nullptr, 0) == CUDA_SUCCESS);
    CHECK(nvshmemx_culibrary_init(library) == 0);
    CHECK(driver.library_kernel(&kernel, library, "meet") == CUDA_SUCCESS);
    nvshmem_team_t team;
    CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, n_pes, nullptr, 0, &team) == 0);
    auto* words = aligned<uint64_t>(n_pes);
    CUDA(cudaMemset(words, 0, n_pes * sizeof(uint64_t)));
    CUDA(cudaDeviceSynchronize());
    nvshmem_barrier_all();
    for (uint64_t round = 1; round <= rounds; round++) {
        void* args[] = {&words, &team, &round, &found};
        CHECK(driver.launch((CUfunction)kernel, 1, 1, 1, THREADS, 1, 1, 0, stream, args) == CUDA_SUCCESS);
    }
    settle(found, rounds * 4 * n_pes);
    CHECK(nvshmem_team_sync(team) == 0);
    nvshmem_team_destroy(team);
    nvshmem_free(words);
    CHECK(nvshmemx_culibrary_finalize(library) == 0);
    CHECK(driver.library_unload(library) == CUDA_SUCCESS);
}

int main(int argc, char** argv) {
    if (!begin(argc, argv, "experts", 60)) fail("PROGRAM_PE, PROGRAM_PES and PROGRAM_MEET must say where PEs meet");
    CHECK(n_pes <= 16);
    take_gpu(pe);
    nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
    if (pe == 0) CHECK(nvshmemx_get_uniqueid(&id) == 0);
    pass_on("unique-id", &id, sizeof(id));
    // Nothing sets its version, as in the frameworks that start so.
    nvshmemx_init_attr_t attr;
    CHECK(nvshmemx_set_attr_uniqueid_args(pe, n_pes, &id, &attr) == 0);
    CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr) == 0);
    CHECK(nvshmem_my_pe() == pe && nvshmem_n_pes() == n_pes);
    nvshmem_barrier_all();

    cudaStream_t stream;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    Driver driver;
    Findings* found = findings();
    meet_by_library(driver, module_file(argv[0]).c_str(), stream, found);

    const int experts = EXPERTS * n_pes;
    const size_t slots = size_t(experts) * TOKENS;
    Buffers b = {aligned<Message>(TOKENS),           aligned<Message>(slots),
                 aligned<Message>(slots),            aligned<uint32_t>(slots * WORDS),
                 aligned<uint32_t>(TOKENS * CHOSEN * WORDS), aligned<uint64_t>(experts),
                 aligned<uint64_t>(1)};
    CUDA(cudaMemset(b.arrived, 0, experts * sizeof(uint64_t)));
    CUDA(cudaMemset(b.answered, 0, sizeof(uint64_t)));
    CUDA(cudaDeviceSynchronize());
    nvshmem_barrier_all();
    std::vector<Message> tokens(TOKENS);
    std::vector<uint32_t> returned(TOKENS * CHOSEN * WORDS);
    for (uint64_t round = 1; round <= rounds; round++) {
        uint64_t key = key_of(seed, pe, round);
        for (int t = 0; t < TOKENS; t++) {
            for (int i = 0; i < WORDS - 2; i++) tokens[t].words[i] = word_of(key, t, i);
        }
        CUDA(cudaMemcpy(b.tokens, tokens.data(), TOKENS * sizeof(Message), cudaMemcpyDefault));
        CUDA(cudaDeviceSynchronize());
        void* args[] = {&b, &key, &round, &found};
        CHECK(nvshmemx_collective_launch((const void*)dispatch, experts, THREADS, args, 0, stream) == 0);
        settle(found, experts);
        CUDA(cudaMemcpy(returned.data(), b.returned, returned.size() * sizeof(uint32_t), cudaMemcpyDefault));
        for (size_t i = 0; i < returned.size(); i++) {
            const int t = int(i / WORDS / CHOSEN), choice = int(i / WORDS % CHOSEN), word = int(i % WORDS);
            const uint32_t wanted = worked(word_of(key, t, word), expert_of(key, t, choice, experts));
            same("returned", i, returned[i], word < WORDS - 2 ? wanted : 0xa5a5a5a5u);
        }
    }
    nvshmem_barrier_all();
    void* all[] = {b.tokens, b.sent, b.received, b.replies, b.returned, b.arrived, b.answered};
    for (void* at : all) nvshmem_free(at);
    nvshmem_finalize();
    return right();
}
#endif
