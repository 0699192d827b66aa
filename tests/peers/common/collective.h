// Parts of rows of collectives that do not depend on the library: data, checks, graphs and times.
#pragma once

#include "protocol.h"

// One row's collective of floats. Sizes are those of the protocol: `bytes` for each pair of PEs.
class Collective {
public:
    enum class Op { reduce, reducescatter, fcollect, alltoall, broadcast };

    // Bytes on each side of the destination that must not change.
    static constexpr size_t GUARD = 256;

    Op op;
    size_t count;

    // Skips a row of an unknown collective.
    Collective(const Request& r, int pe, int n_pes);

    size_t source_bytes() const { return 4 * count * sources_; }
    // Without the guards.
    size_t dest_bytes() const { return 4 * count * dests_; }

    // Fills the source; poisons the destination and its guards. Both have ended on return.
    void prepare(float* source, float* dest) const;
    // Compares the destination and its guards with what the PEs sent. Throws Wrong.
    void compare(const float* dest) const;

private:
    int pe_, n_pes_;
    size_t sources_ = 1, dests_ = 1;
    uint64_t row_;
    bool corrupt_;

    float expected(size_t index) const;
};

// A graph of the work that `enqueue` puts on a stream.
class Graph {
public:
    Graph(cudaStream_t stream, const std::function<void()>& enqueue);
    Graph(const Graph&) = delete;
    ~Graph();
    void launch(cudaStream_t stream) const { check(cudaGraphLaunch(exec_, stream), "launch a graph"); }
    // The blocks of its largest kernel; 0 if none is known.
    unsigned ctas() const { return ctas_; }

private:
    cudaGraphExec_t exec_ = nullptr;
    unsigned ctas_ = 0;
};

// The time of the work that `enqueue` puts on a stream, between two events, in ns.
double between_events(cudaStream_t stream, const std::function<void()>& enqueue);
