// Shared by all parts of the peer: this PE, and how a row is launched and timed.
#pragma once

#include <nvshmem.h>
#include <nvshmemx.h>

#include "protocol.h"

// Start and end of a block, by the device's clock.
struct Span {
    unsigned long long start, end;
};

// Memory that grows when a row needs more, and is kept for the next one.
struct Buffer {
    char* at = nullptr;
    size_t bytes = 0;
};

template <class T>
struct Same {
    using type = T;
};

// This process's PE.
class Peer {
public:
    static constexpr unsigned MOST_BLOCKS = 1 << 16;
    // Bytes on each side of a row's destination that must not change.
    static constexpr size_t GUARD = 256;

    int pe = 0, n_pes = 1;
    bool tma = false;
    cudaStream_t stream = nullptr;
    // Symmetric words for flags and signals, zero when a row begins.
    unsigned long long* flags = nullptr;
    // The places of the flags, and of small data at the peer, and the words from one to the next. A GPU's L2 has two
    // halves, and memory in the far one takes a fifth longer to reach: it changes from page to page of 4 KiB, so that a
    // single place would be luck.
    static constexpr size_t PLACES = 8, PAGE = 4096, PLACE = PAGE / sizeof(unsigned long long);
    // The most bytes whose time depends on their place.
    static constexpr size_t PLACED = 1 << 20;
    static size_t places(size_t bytes) { return bytes <= PLACED ? PLACES : 1; }
    // The bytes from the first place's data to that of `place`, with room for guards: an odd number of pages apart.
    static size_t shift(size_t place, size_t bytes) {
        return place * (bytes <= PAGE ? 3 * PAGE : bytes <= PLACED ? PLACED + 3 * PAGE : 0);
    }

    // Meets the other PEs. Returns the line that announces it.
    std::string start();
    // PE 0 and, if the row goes both ways, PE 1.
    bool sends(const Request& r) const { return pe == 0 || (pe == 1 && r.both); }
    bool receives(const Request& r) const { return pe == 1 || (pe == 0 && r.both); }
    // The other PE of rows between two PEs.
    int other() const { return pe == 0 ? 1 : 0; }
    void needs_two() const;

    // Symmetric memory, aligned to 256 bytes. Collective, with the same sizes.
    char* source(size_t bytes) { return grown(source_, bytes); }
    char* target(size_t bytes) { return grown(target_, bytes + 2 * GUARD) + GUARD; }
    // This PE's own memory.
    char* scratch(size_t bytes);

    void meet();
    void clear_flags();

    // Shared memory to lend, as much as the library asks for; 0 without --tma.
    size_t lent(const Request& r) const;
    // Under --tma, skips a row whose pieces cannot go through shared memory.
    void tma_can_serve(const Request& r, size_t piece, unsigned threads) const;

    template <class... A>
    void launch(void (*kernel)(A...), dim3 grid, dim3 block, size_t smem, typename Same<A>::type... args) {
        void* list[] = {&args...};
        launch_with(reinterpret_cast<const void*>(kernel), grid, block, smem, list, false);
    }
    // For kernels that wait for other PEs. Every PE calls.
    template <class... A>
    void launch_collective(void (*kernel)(A...), dim3 grid, dim3 block, size_t smem, typename Same<A>::type... args) {
        void* list[] = {&args...};
        launch_with(reinterpret_cast<const void*>(kernel), grid, block, smem, list, true);
    }

    // Runs one repetition without timing and `repeat` timed ones. `repetition` returns the nanoseconds of all
    // iterations, which are divided by `iters`. A PE for which `mine` is false only serves. Every PE calls.
    Times repeat(const Request& r, bool mine, const std::function<double(unsigned)>& repetition);
    // The same with one kernel for each repetition, enqueued by `launch_it` and timed by its blocks' spans.
    Times repeat_kernel(const Request& r, unsigned blocks, bool mine,
                        const std::function<void(unsigned, Span*)>& launch_it);
    // Measures at each place with its part of the iterations, and returns the mean.
    static Times at_places(const Request& r, size_t places,
                           const std::function<Times(size_t, const Request&)>& measure);

private:
    Buffer source_, target_, scratch_;
    Span* spans_ = nullptr;

    char* grown(Buffer& buffer, size_t bytes);
    void launch_with(const void* kernel, dim3 grid, dim3 block, size_t smem, void** args, bool collective);
    double span(unsigned blocks);
};

// The parts. Each answers the tests of its name.
Times run_bw(Peer&, const Request&);
Times run_rates(Peer&, const Request&);
Times run_latency(Peer&, const Request&);
Times run_ping_pong(Peer&, const Request&);
Times run_coll(Peer&, const Request&);
Times run_collective(Peer&, const Request&);
Times run_host(Peer&, const Request&);
Times run_calls(Peer&, const Request&);
Times run_jacobi(Peer&, const Request&);
