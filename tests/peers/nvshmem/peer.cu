#include <algorithm>

#include "perf.h"

void Peer::meet() {
    check(cudaStreamSynchronize(stream), "wait for this PE's work");
    nvshmem_barrier_all();
}

void Peer::needs_two() const {
    if (n_pes < 2) throw Skip{"it takes two PEs"};
}

void Peer::clear_flags() { check(cudaMemsetAsync(flags, 0, PLACES * PLACE * sizeof(*flags), stream), "clear the flags"); }

char* Peer::grown(Buffer& buffer, size_t bytes) {
    if (buffer.bytes < bytes) {
        nvshmem_free(buffer.at);
        buffer = {};
        const size_t rounded = round_up(bytes, 1 << 20);
        buffer.at = static_cast<char*>(nvshmem_align(256, rounded));
        check(buffer.at != nullptr, "nvshmem_align of " + std::to_string(rounded) + " bytes gave nothing");
        buffer.bytes = rounded;
    }
    return buffer.at;
}

char* Peer::scratch(size_t bytes) {
    if (scratch_.bytes < bytes) {
        check(cudaFree(scratch_.at), "free scratch memory");
        scratch_ = {};
        check(cudaMalloc(&scratch_.at, bytes), "allocate scratch memory");
        scratch_.bytes = bytes;
    }
    return scratch_.at;
}

size_t Peer::lent(const Request& r) const {
    if (!tma) return 0;
    return r.smem ? r.smem : size_t(nvshmemx_ask_smem(NVSHMEMX_SMEM_RECOMMENDED));
}

void Peer::tma_can_serve(const Request& r, size_t piece, unsigned threads) const {
    if (!tma) return;
    if (piece == 0 || piece % 16 || r.skew % 16) throw Skip{"bulk copies need multiples of 16 bytes"};
    if (r.scope == Scope::block && threads < 64) throw Skip{"bulk copies by a block need two warps"};
    // A block lends one staging buffer; two concurrent callers would overwrite each other's data.
    if ((r.scope == Scope::warp && threads > 32) || (r.scope == Scope::thread && threads > 1)) {
        throw Skip{"the groups of a block would share its staging buffer"};
    }
}

void Peer::launch_with(const void* kernel, dim3 grid, dim3 block, size_t smem, void** args, bool collective) {
    if (smem > 0) {
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(smem)),
              "allow a kernel its shared memory");
    }
    if (collective) {
        check(nvshmemx_collective_launch(kernel, grid, block, args, smem, stream) == 0,
              "nvshmemx_collective_launch failed");
    } else {
        check(cudaLaunchKernel(kernel, grid, block, args, smem, stream), "launch a kernel");
    }
}

double Peer::span(unsigned blocks) {
    std::vector<Span> spans(blocks);
    check(cudaMemcpyAsync(spans.data(), spans_, blocks * sizeof(Span), cudaMemcpyDeviceToHost, stream),
          "read the times");
    check(cudaStreamSynchronize(stream), "read the times");
    unsigned long long start = ~0ull, end = 0;
    for (const Span& one : spans) {
        start = std::min(start, one.start);
        end = std::max(end, one.end);
    }
    return double(end - start);
}

Times Peer::repeat(const Request& r, bool mine, const std::function<double(unsigned)>& repetition) {
    Times times;
    meet();
    for (unsigned k = 0; k <= r.repeat; k++) {
        // Both directions must be in flight at the same time.
        if (r.both) meet();
        const double ns = repetition(k);
        if (mine && k > 0) times.push_back(ns / r.iters);
    }
    meet();
    return times;
}

Times Peer::repeat_kernel(const Request& r, unsigned blocks, bool mine,
                          const std::function<void(unsigned, Span*)>& launch_it) {
    if (blocks == 0 || blocks > MOST_BLOCKS || r.threads == 0 || r.threads > 1024) throw Skip{"no such grid"};
    if (!spans_) check(cudaMalloc(&spans_, MOST_BLOCKS * sizeof(Span)), "allocate the times");
    return repeat(r, mine, [&](unsigned k) {
        launch_it(k, spans_);
        check(cudaStreamSynchronize(stream), "wait for a kernel");
        return mine ? span(blocks) : 0.0;
    });
}

Times Peer::at_places(const Request& r, size_t places, const std::function<Times(size_t, const Request&)>& measure) {
    Request part = r;
    part.iters = unsigned((r.iters + places - 1) / places);
    Times times;
    for (size_t place = 0; place < places; place++) {
        const Times here = measure(place, part);
        times.resize(here.size());
        for (size_t k = 0; k < here.size(); k++) times[k] += here[k] / places;
    }
    return times;
}
