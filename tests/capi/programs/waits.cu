// Waits and tests for any, some and all of many words, which the PEs set in a random order.
#include "program.h"

constexpr int EACH = 37, THREADS = 64, KINDS = 8;

// Sets this PE's words on every PE to the round's number, in an order of the round. `values` has the numbers of the
// waits for a vector.
__device__ void set_words(long long* words, int me, int n_pes, uint64_t seed, long long round) {
    const unsigned skip = unsigned(key_of(seed, me, round) % EACH);
    for (int i = threadIdx.x; i < EACH * n_pes; i += blockDim.x) {
        const unsigned place = (unsigned(i / n_pes) * 5 + skip) % EACH;
        nvshmem_longlong_p(words + me * EACH + place, round, (me + i) % n_pes);
    }
}

// Notes that a wait reported a word: each is reported once.
__device__ void note(Findings* findings, long long* words, int* status, size_t count, size_t index, long long round) {
    const bool known = index < count && status[index] == 0;
    COMPARE(findings, index, known && nvshmem_longlong_test(words + index, NVSHMEM_CMP_EQ, round) != 0, true);
    if (index < count) status[index] = 1;
}

// The last block sets words. Each other one waits for all words in its own way, with a status and indices of its own.
__global__ void wait(long long* words, int* all_status, size_t* all_indices, long long* values, uint64_t seed,
                     long long round, Findings* findings) {
    const int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes(), kind = blockIdx.x;
    const size_t count = size_t(EACH) * n_pes;
    if (kind == KINDS) return set_words(words, me, n_pes, seed, round);
    if (threadIdx.x != 0) return;
    int* status = all_status + kind * count;
    size_t* indices = all_indices + kind * count;
    for (size_t i = 0; i < count; i++) status[i] = 0;
    size_t seen = 0;
    switch (kind) {
        case 0:
            nvshmem_longlong_wait_until_all(words, count, nullptr, NVSHMEM_CMP_GE, round);
            break;
        case 1:
            for (; seen < count; seen++) {
                const size_t index = nvshmem_longlong_wait_until_any(words, count, status, NVSHMEM_CMP_GE, round);
                note(findings, words, status, count, index, round);
            }
            break;
        case 2:
            while (seen < count) {
                const size_t found =
                    nvshmem_longlong_wait_until_some(words, count, indices, status, NVSHMEM_CMP_GT, round - 1);
                for (size_t i = 0; i < found; i++) note(findings, words, status, count, indices[i], round);
                seen += found;
            }
            break;
        case 3:
            while (nvshmem_longlong_test_all(words, count, nullptr, NVSHMEM_CMP_EQ, round) == 0) continue;
            break;
        case 4:
            while (seen < count) {
                const size_t index = nvshmem_longlong_test_any(words, count, status, NVSHMEM_CMP_NE, round - 1);
                if (index == SIZE_MAX) continue;
                note(findings, words, status, count, index, round);
                seen++;
            }
            break;
        case 5:
            while (seen < count) {
                const size_t found =
                    nvshmem_longlong_test_some(words, count, indices, status, NVSHMEM_CMP_GE, round);
                for (size_t i = 0; i < found; i++) note(findings, words, status, count, indices[i], round);
                seen += found;
            }
            break;
        case 6:
            nvshmem_longlong_wait_until_all_vector(words, count, nullptr, NVSHMEM_CMP_EQ, values);
            break;
        default:
            while (seen < count) {
                const size_t found =
                    nvshmem_longlong_wait_until_some_vector(words, count, indices, status, NVSHMEM_CMP_GE, values);
                for (size_t i = 0; i < found; i++) note(findings, words, status, count, indices[i], round);
                seen += found;
            }
    }
    for (size_t i = 0; i < count; i++) COMPARE(findings, i, nvshmem_longlong_test(words + i, NVSHMEM_CMP_EQ, round), 1);
    if (kind == 0) nvshmem_longlong_wait_until(words + count - 1, NVSHMEM_CMP_EQ, round);
    if (kind == 3) COMPARE(findings, 0, nvshmem_longlong_test(words, NVSHMEM_CMP_LT, round), 0);
}

// A word that the status leaves out is not waited for, and with all words left out there is nothing to report.
__global__ void left_out(long long* words, int* status, Findings* findings) {
    const size_t count = 3;
    for (size_t i = 0; i < count; i++) status[i] = i != 1;
    const size_t index = nvshmem_longlong_wait_until_any(words, count, status, NVSHMEM_CMP_GE, 0ll);
    COMPARE(findings, 0, index, size_t(1));
    nvshmem_longlong_wait_until_all(words + 1, 2, status + 1, NVSHMEM_CMP_GE, 0ll);
    for (size_t i = 0; i < count; i++) status[i] = 1;
    COMPARE(findings, 1, nvshmem_longlong_test_any(words, count, status, NVSHMEM_CMP_GE, 0ll), size_t(SIZE_MAX));
    size_t indices[3];
    const size_t found = nvshmem_longlong_wait_until_some(words, count, indices, status, NVSHMEM_CMP_GE, 0ll);
    COMPARE(findings, 2, found, size_t(0));
}

// Of several words that satisfy a call, each is returned to each thread again and again, also with no status.
__global__ void fair(long long* words, long long* values, Findings* findings) {
    constexpr int N = 4;
    for (int form = 0; form < 4; form++) {
        unsigned seen = 0;
        for (int call = 0; call < 4 * N + 2; call++) {
            const size_t at = form == 0 ? nvshmem_longlong_test_any(words, N, nullptr, NVSHMEM_CMP_GE, 0ll)
                            : form == 1 ? nvshmem_longlong_wait_until_any(words, N, nullptr, NVSHMEM_CMP_GE, 0ll)
                            : form == 2 ? nvshmem_longlong_test_any_vector(words, N, nullptr, NVSHMEM_CMP_GE, values)
                                        : nvshmem_longlong_wait_until_any_vector(words, N, nullptr, NVSHMEM_CMP_GE, values);
            COMPARE(findings, call, at < N, true);
            seen |= 1u << at;
        }
        COMPARE(findings, form, seen, (1u << N) - 1);
    }
}

int main(int argc, char** argv) {
    start(argc, argv, "waits", 50);
    const size_t count = size_t(EACH) * n_pes;
    Findings* found = findings();
    Array<long long> words(count), values(count);
    Array<int> status(KINDS * count);
    Array<size_t> indices(KINDS * count);
    words.zero();
    for (uint64_t round = 1; round <= rounds; round++) {
        values.fill([&](size_t) { return (long long)round; });
        nvshmem_barrier_all();
        launch(wait, KINDS + 1, THREADS, words.at(), status.at(), indices.at(), values.at(), seed, (long long)round,
               found);
        nvshmemx_barrier_all_on_stream(stream);
        // Five kinds of waits report each word once; each of all kinds then reads every word.
        settle(found, (KINDS + 5) * count + 1);
        words.expect("words", [&](size_t) { return (long long)round; });
        nvshmem_barrier_all();
    }
    words.fill([](size_t i) { return i == 1 ? 0ll : -1ll; });
    launch(left_out, 1, 1, words.at(), status.at(), found);
    settle(found, 3);
    words.zero();
    values.zero();
    launch(fair, 1, 1, words.at(), values.at(), found);
    settle(found, 4 * (4 * 4 + 3));
    return finish();
}
