// Elements, copies and strided copies by threads, warps and blocks. The stream completes those that a kernel started.
#include "program.h"

constexpr int BLOCKS = 4, THREADS = 128;
// Elements of the small parts, each sent once by all threads of the grid; and of the part that all blocks share.
constexpr size_t SMALL = BLOCKS * THREADS, SHARED = 100007, FORMS = 6, TOTAL = FORMS * SMALL + SHARED;
// Elements of a strided copy, and its strides.
constexpr size_t PICKED = 301;
constexpr ptrdiff_t TO = 3, FROM = 2;

// Sends each part to the right. The kernel does not complete it: the stream does.
__global__ void put(float* in, const float* out) {
    const int right = (nvshmem_my_pe() + 1) % nvshmem_n_pes();
    const size_t thread = blockIdx.x * THREADS + threadIdx.x, warp = thread / 32 * 32, block = blockIdx.x * THREADS;
    size_t part = 0;
    nvshmem_float_p(in + thread, out[thread], right);
    part += SMALL;
    if (threadIdx.x == 0) nvshmem_float_put(in + part + block, out + part + block, THREADS, right);
    part += SMALL;
    nvshmemx_float_put_warp(in + part + warp, out + part + warp, 32, right);
    part += SMALL;
    nvshmemx_float_put_block(in + part + block, out + part + block, THREADS, right);
    part += SMALL;
    nvshmem_float_put_nbi(in + part + thread, out + part + thread, 1, right);
    part += SMALL;
    nvshmemx_putmem_nbi_warp(in + part + warp, out + part + warp, 32 * sizeof(float), right);
    part += SMALL;
    // Each block begins at an odd element or at one that is not aligned to 16 bytes.
    const size_t each = SHARED / BLOCKS, begin = blockIdx.x * each;
    const size_t count = blockIdx.x == BLOCKS - 1 ? SHARED - begin : each;
    nvshmemx_float_put_nbi_block(in + part + begin, out + part + begin, count, right);
}

// Reads each part of the left neighbour, and waits for it.
__global__ void get(float* in, const float* out) {
    const int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes(), left = (me + n_pes - 1) % n_pes;
    const size_t thread = blockIdx.x * THREADS + threadIdx.x, warp = thread / 32 * 32, block = blockIdx.x * THREADS;
    size_t part = 0;
    in[thread] = nvshmem_float_g(out + thread, left);
    part += SMALL;
    if (threadIdx.x == 0) nvshmem_float_get(in + part + block, out + part + block, THREADS, left);
    part += SMALL;
    nvshmemx_float_get_warp(in + part + warp, out + part + warp, 32, left);
    part += SMALL;
    nvshmemx_float_get_block(in + part + block, out + part + block, THREADS, left);
    part += SMALL;
    nvshmem_float_get_nbi(in + part + thread, out + part + thread, 1, left);
    part += SMALL;
    nvshmemx_getmem_nbi_warp(in + part + warp, out + part + warp, 32 * sizeof(float), left);
    part += SMALL;
    const size_t each = SHARED / BLOCKS, begin = blockIdx.x * each;
    const size_t count = blockIdx.x == BLOCKS - 1 ? SHARED - begin : each;
    nvshmemx_float_get_nbi_block(in + part + begin, out + part + begin, count, left);
    nvshmem_quiet();
}

// Strided copies: one by a thread, one by a warp, one by a block, in each direction.
__global__ void strided(int* put_to, int* got, const int* from) {
    const int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes(), right = (me + 1) % n_pes, left = (me + n_pes - 1) % n_pes;
    const size_t to_part = PICKED * TO, from_part = PICKED * FROM;
    if (threadIdx.x == 0) {
        nvshmem_int_iput(put_to, from, TO, FROM, PICKED, right);
        nvshmem_int_iget(got, from, TO, FROM, PICKED, left);
    }
    if (threadIdx.x < 32) {
        nvshmemx_int_iput_warp(put_to + to_part, from + from_part, TO, FROM, PICKED, right);
        nvshmemx_int_iget_warp(got + to_part, from + from_part, TO, FROM, PICKED, left);
    }
    nvshmemx_iput32_block(put_to + 2 * to_part, from + 2 * from_part, TO, FROM, PICKED, right);
    nvshmemx_iget32_block(got + 2 * to_part, from + 2 * from_part, TO, FROM, PICKED, left);
    nvshmem_quiet();
}

int main(int argc, char** argv) {
    start(argc, argv, "scopes", 20);
    const int left = (pe + n_pes - 1) % n_pes;
    Array<float> in(TOTAL), out(TOTAL), fetched(TOTAL);
    for (uint64_t round = 0; round < rounds; round++) {
        const auto from_left = [&](size_t i) { return element<float>(key_of(seed, left, round), i); };
        in.poison();
        fetched.poison();
        out.fill([&](size_t i) { return element<float>(key_of(seed, pe, round), i); });
        nvshmem_barrier_all();
        launch(put, BLOCKS, THREADS, in.at(), out.at());
        nvshmemx_quiet_on_stream(stream);
        nvshmemx_barrier_all_on_stream(stream);
        launch(get, BLOCKS, THREADS, fetched.at(), out.at());
        CUDA(cudaStreamSynchronize(stream));
        in.expect("put", from_left);
        fetched.expect("got", from_left);
        nvshmem_barrier_all();
    }

    Array<int> put_to(3 * PICKED * TO), got(3 * PICKED * TO), from(3 * PICKED * FROM);
    from.fill([&](size_t i) { return element<int>(key_of(seed, pe, rounds), i); });
    nvshmem_barrier_all();
    launch(strided, 1, THREADS, put_to.at(), got.at(), from.at());
    nvshmemx_barrier_all_on_stream(stream);
    CUDA(cudaStreamSynchronize(stream));
    // Elements between those that were picked keep their poison.
    const auto picked = [&](size_t i) {
        return i % TO == 0 ? element<int>(key_of(seed, left, rounds), i / TO * FROM) : poisoned<int>();
    };
    put_to.expect("strided put", picked);
    got.expect("strided get", picked);
    return finish();
}
