// Groups one of whose threads comes late to a call, or leaves it early: it writes the source, waits for data that the
// group passes on, still reads the destination of a get, or overwrites the source after the call.
#include "program.h"

constexpr long OLD = -7;
constexpr size_t MOST = 4000;
enum Kind { WRITES, WAITS, READS, OVERWRITES };
enum Form { PUT, PUT_NBI, PUT_SIGNAL, PUT_SIGNAL_NBI, IPUT, QP_PUT, QP_PUT_NBI, QP_PUT_SIGNAL, QP_PUT_SIGNAL_NBI,
            GET, GET_NBI, IGET, QP_GET, QP_GET_NBI, FORMS };
// In the order of the forms: whether the call signals, and whether its source is in use until a quiet.
__device__ bool signals(int form) {
    return form == PUT_SIGNAL || form == PUT_SIGNAL_NBI || form == QP_PUT_SIGNAL || form == QP_PUT_SIGNAL_NBI;
}
__host__ __device__ bool is_nonblocking(int form) {
    return form == PUT_NBI || form == PUT_SIGNAL_NBI || form == QP_PUT_NBI || form == QP_PUT_SIGNAL_NBI;
}

#define CALL(SUFFIX)                                                                                                  \
    if (F == PUT) nvshmemx_long_put##SUFFIX(to, from, n, pe);                                                         \
    if (F == PUT_NBI) nvshmemx_long_put_nbi##SUFFIX(to, from, n, pe);                                                 \
    if (F == PUT_SIGNAL) nvshmemx_long_put_signal##SUFFIX(to, from, n, flag, value, NVSHMEM_SIGNAL_SET, pe);          \
    if (F == PUT_SIGNAL_NBI) nvshmemx_long_put_signal_nbi##SUFFIX(to, from, n, flag, value, NVSHMEM_SIGNAL_SET, pe);  \
    if (F == IPUT) nvshmemx_long_iput##SUFFIX(to, from, 1, 1, n, pe);                                                 \
    if (F == QP_PUT) nvshmemx_qp_long_put##SUFFIX(to, from, n, pe, qp);                                               \
    if (F == QP_PUT_NBI) nvshmemx_qp_long_put_nbi##SUFFIX(to, from, n, pe, qp);                                       \
    if (F == QP_PUT_SIGNAL) nvshmemx_qp_long_put_signal##SUFFIX(to, from, n, flag, value, NVSHMEM_SIGNAL_SET, pe, qp); \
    if (F == QP_PUT_SIGNAL_NBI)                                                                                       \
        nvshmemx_qp_long_put_signal_nbi##SUFFIX(to, from, n, flag, value, NVSHMEM_SIGNAL_SET, pe, qp);                \
    if (F == GET) nvshmemx_long_get##SUFFIX(to, from, n, pe);                                                         \
    if (F == GET_NBI) nvshmemx_long_get_nbi##SUFFIX(to, from, n, pe);                                                 \
    if (F == IGET) nvshmemx_long_iget##SUFFIX(to, from, 1, 1, n, pe);                                                 \
    if (F == QP_GET) nvshmemx_qp_long_get##SUFFIX(to, from, n, pe, qp);                                               \
    if (F == QP_GET_NBI) nvshmemx_qp_long_get_nbi##SUFFIX(to, from, n, pe, qp);

template <bool WARP, int F>
__device__ void call(long* to, const long* from, size_t n, uint64_t* flag, uint64_t value, int pe,
                     nvshmemx_qp_handle_t qp) {
    if (WARP) {
        CALL(_warp)
    } else {
        CALL(_block)
    }
}

__device__ long value_of(uint64_t seed, int pe, uint64_t round, size_t i) { return long(mix(key_of(seed, pe, round), i)); }

template <bool WARP, int F>
__global__ void late(int kind, long* inbox, long* outbox, uint64_t* flag, size_t n, uint64_t seed, uint64_t rounds,
                     nvshmemx_qp_handle_t qp, Findings* findings) {
    const int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes(), right = (me + 1) % n_pes, left = (me + n_pes - 1) % n_pes;
    const bool is_late = threadIdx.x == blockDim.x * 2 / 3;
    const int from = kind == READS ? right : kind == WAITS ? 0 : left;
    for (uint64_t round = 1; round <= rounds; round++) {
        const bool is_ready = kind == READS || kind == OVERWRITES;
        for (size_t i = threadIdx.x; i < n; i += blockDim.x) {
            inbox[i] = OLD;
            outbox[i] = is_ready ? value_of(seed, me, round, i) : OLD;
        }
        nvshmemx_barrier_all_block();
        if (is_late && kind != OVERWRITES) {
            for (long long start = clock64(); clock64() - start < 20000;) {}
        }
        const bool passes_on = kind == WAITS && me != 0;
        if (is_late && kind == READS) {
            unsigned wrong = 0;
            for (size_t i = 0; i < n; i++) wrong += ((volatile long*)inbox)[i] != OLD;
            COMPARE(findings, round, wrong, 0u);
        }
        if (is_late && passes_on) nvshmem_signal_wait_until(flag, NVSHMEM_CMP_GE, round);
        if (is_late && (kind == WRITES || (kind == WAITS && me == 0))) {
            for (size_t i = 0; i < n; i++) ((volatile long*)outbox)[i] = value_of(seed, me, round, i);
        }
        call<WARP, F>(inbox, passes_on ? inbox : outbox, n, flag, round, right, qp);
        if (kind == OVERWRITES) {
            for (size_t i = 0; i < n; i++) ((volatile long*)outbox)[i] = OLD;
        }
        if (kind == WAITS && !signals(F)) {
            __syncthreads();
            if (threadIdx.x == 0) {
                nvshmem_quiet();
                nvshmemx_signal_op(flag, round, NVSHMEM_SIGNAL_SET, right);
            }
        }
        __syncthreads();
        nvshmemx_barrier_all_block();
        unsigned wrong = 0;
        for (size_t i = threadIdx.x; i < n; i += blockDim.x) wrong += inbox[i] != value_of(seed, from, round, i);
        COMPARE(findings, round, wrong, 0u);
        __syncthreads();
    }
}

template <bool WARP, int F>
void run(const Array<long>& in, const Array<long>& out, const Array<uint64_t>& flag, nvshmemx_qp_handle_t qp,
         Findings* found) {
    for (int kind = WRITES; kind <= OVERWRITES; kind++) {
        if ((kind == READS) != (F >= GET) || (kind == OVERWRITES && is_nonblocking(F))) continue;
        for (int threads : {WARP ? 32 : 40, WARP ? 32 : 256, WARP ? 32 : 1024}) {
            for (size_t n : {1, 8, 32, 200, 1024, 4000}) {
                const uint64_t key = mix(mix(seed, kind * FORMS + F), threads * 8192 + n);
                flag.zero();
                nvshmem_barrier_all();
                launch(late<WARP, F>, 1, threads, kind, in.at(), out.at(), flag.at(), n, key, rounds, qp, found);
                settle(found, rounds * threads + (kind == READS ? rounds : 0));
                nvshmem_barrier_all();
            }
            if (WARP) break;
        }
    }
}

template <int F>
void forms(const Array<long>& in, const Array<long>& out, const Array<uint64_t>& flag, nvshmemx_qp_handle_t qp,
           Findings* found) {
    if constexpr (F < FORMS) {
        run<true, F>(in, out, flag, qp, found);
        run<false, F>(in, out, flag, qp, found);
        forms<F + 1>(in, out, flag, qp, found);
    }
}

int main(int argc, char** argv) {
    start(argc, argv, "meeting", 20);
    Array<long> in(MOST), out(MOST);
    Array<uint64_t> flag(1);
    nvshmemx_qp_handle_t* qps = nullptr;
    CHECK(nvshmemx_qp_create(1, &qps) == 0);
    Findings* found = findings();
    forms<0>(in, out, flag, qps[0], found);
    return finish();
}
