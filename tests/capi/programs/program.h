// The frame of a program: start, symmetric arrays between poison, launches, and the end.
#ifndef PROGRAM_H
#define PROGRAM_H

#include <nvshmem.h>
#include <nvshmemx.h>

#include "check.h"

namespace program {

inline cudaStream_t stream;

// Starts by a unique id, with a GPU for each PE, if the environment says where PEs meet.
inline void start_by_id() {
    take_gpu(pe);
    nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
    if (pe == 0) CHECK(nvshmemx_get_uniqueid(&id) == 0);
    pass_on("unique-id", &id, sizeof(id));
    nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;
    CHECK(nvshmemx_set_attr_uniqueid_args(pe, n_pes, &id, &attr) == 0);
    CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr) == 0);
}

// Reads the PE's number, and makes the stream of the launches.
inline void started() {
    pe = nvshmem_my_pe();
    n_pes = nvshmem_n_pes();
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
}

// Starts by a unique id or by the launcher.
inline void start(int argc, char** argv, const char* called, uint64_t default_rounds) {
    if (begin(argc, argv, called, default_rounds)) {
        start_by_id();
    } else {
        nvshmem_init();
        take_gpu(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE));
    }
    started();
}

// Ends the world, and returns the exit code. The memory goes with the world.
inline int finish() {
    CUDA(cudaDeviceSynchronize());
    nvshmem_barrier_all();
    nvshmem_finalize();
    return right();
}

// Symmetric memory for elements, between margins of poison.
template <class T>
class Array {
  public:
    static constexpr size_t MARGIN = 256 / sizeof(T);
    static constexpr int POISON = 0xa5;

    explicit Array(size_t count) : count(count) {
        base = static_cast<T*>(nvshmem_malloc(bytes()));
        CHECK(base != nullptr);
        poison();
    }

    T* at(size_t index = 0) const { return base + MARGIN + index; }
    size_t size() const { return count; }

    // No PE may write to the memory meanwhile.
    void poison() const {
        CUDA(cudaMemset(base, POISON, bytes()));
        CUDA(cudaDeviceSynchronize());
    }

    void zero() const {
        CUDA(cudaMemset(at(), 0, count * sizeof(T)));
        CUDA(cudaDeviceSynchronize());
    }

    // Sets each element to `value(index)`.
    template <class F>
    void fill(F value) const {
        std::vector<T> values(count);
        for (size_t i = 0; i < count; i++) values[i] = value(i);
        CUDA(cudaMemcpy(at(), values.data(), count * sizeof(T), cudaMemcpyDefault));
        CUDA(cudaDeviceSynchronize());
    }

    std::vector<T> read() const {
        std::vector<T> values(count);
        CUDA(cudaMemcpy(values.data(), at(), count * sizeof(T), cudaMemcpyDefault));
        return values;
    }

    // Compares each element with `wanted(index)`, and both margins with poison.
    template <class F>
    void expect(const char* what, F wanted) const {
        const std::vector<T> values = read();
        for (size_t i = 0; i < count; i++) same(what, i, values[i], T(wanted(i)));
        std::vector<unsigned char> all(bytes());
        CUDA(cudaMemcpy(all.data(), base, bytes(), cudaMemcpyDefault));
        const size_t begin = MARGIN * sizeof(T), end = begin + count * sizeof(T);
        for (size_t i = 0; i < all.size(); i++) {
            if (all[i] == POISON || (begin <= i && i < end)) continue;
            fail("a byte %lld bytes from the start of %s, outside it, has changed", (long long)(i - begin), what);
        }
    }

  private:
    size_t bytes() const { return (count + 2 * MARGIN) * sizeof(T); }

    T* base;
    size_t count;
};

// Returns poisoned memory's element.
template <class T>
inline T poisoned() {
    T value;
    memset(&value, Array<T>::POISON, sizeof(T));
    return value;
}

// Launches a kernel whose PEs wait for each other.
template <class... P, class... A>
void launch(void (*kernel)(P...), int blocks, int threads, A... args) {
    auto run = [&](P... given) {
        void* pointers[] = {static_cast<void*>(&given)...};
        CHECK(nvshmemx_collective_launch(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(threads), pointers,
                                         0, stream) == 0);
    };
    run(args...);
}

}  // namespace program

using namespace program;

#endif
