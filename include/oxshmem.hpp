// A small C++ face of the C interface: typed symmetric memory, queue pairs, teams, and groups as types. Everything is
// inline over nvshmem.h; a program may mix both. C++17.
//
//   oxshmem::World world;                                     // starts, and ends in its destructor
//   auto inbox = world.array<float>(n);                       // symmetric, freed in its destructor
//   __global__ void ring(oxshmem::Span<float> inbox, ...) {
//       oxshmem::put_signal(oxshmem::Block{}, inbox, block, flag, 1, oxshmem::pe_after(1));
//   }
#ifndef OXSHMEM_HPP
#define OXSHMEM_HPP

#include "nvshmem.h"

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace oxshmem {

// A PE's number.
enum class Pe : int {};
// What a signal does to its word.
enum class Signal : int { set = NVSHMEM_SIGNAL_SET, add = NVSHMEM_SIGNAL_ADD };
// A comparison of a word with a value.
enum class Cmp : int {
    eq = NVSHMEM_CMP_EQ,
    ne = NVSHMEM_CMP_NE,
    gt = NVSHMEM_CMP_GT,
    le = NVSHMEM_CMP_LE,
    lt = NVSHMEM_CMP_LT,
    ge = NVSHMEM_CMP_GE
};

// The threads that make a call together.
struct Thread {};
struct Warp {};
struct Block {};

// Elements in symmetric memory of the calling PE, which name the same elements on every other PE. A kernel's argument.
template <class T>
struct Span {
    static_assert(std::is_trivially_copyable<T>::value, "elements are copied as bytes");
    T *data = nullptr;
    size_t size = 0;

    OXSHMEM_BOTH T *begin() const { return data; }
    OXSHMEM_BOTH T *end() const { return data + size; }
    OXSHMEM_BOTH T &operator[](size_t i) const { return data[i]; }
    // `count` elements from `from` on; as many of them as there are.
    OXSHMEM_BOTH Span part(size_t from, size_t count) const {
        const size_t start = from < size ? from : size, left = size - start;
        return {data + start, count < left ? count : left};
    }
};

// A queue pair that the program made; one handle reaches every PE.
struct Qp {
    nvshmemx_qp_handle_t handle = NVSHMEMX_QP_DEFAULT;
};

// A call that failed, with NVSHMEM's code.
class Error : public std::runtime_error {
public:
    Error(const std::string &call, int code)
        : std::runtime_error(call + ": " + nvshmemx_status_string(code) + " (" + std::to_string(code) + ")"),
          code_(code) {}
    int code() const { return code_; }

private:
    int code_;
};

// Symmetric memory that the destructor frees. Every PE makes and destroys its arrays in the same order.
template <class T>
class Array {
public:
    explicit Array(size_t size) : at_{static_cast<T *>(nvshmem_calloc(size, sizeof(T))), size} {
        if (at_.data == nullptr && size != 0) throw Error("nvshmem_calloc", NVSHMEMX_ERROR_OUT_OF_MEMORY);
    }
    ~Array() { nvshmem_free(at_.data); }
    Array(Array &&other) noexcept : at_(std::exchange(other.at_, Span<T>{})) {}
    Array &operator=(Array &&other) noexcept {
        std::swap(at_, other.at_);
        return *this;
    }
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;

    Span<T> span() const { return at_; }
    operator Span<T>() const { return at_; }
    T *data() const { return at_.data; }
    size_t size() const { return at_.size; }

private:
    Span<T> at_;
};

// An ordered set of PEs. The destructor destroys a team that `split` made.
class Team {
public:
    static Team world() { return Team(NVSHMEM_TEAM_WORLD, false); }
    static Team node() { return Team(NVSHMEMX_TEAM_NODE, false); }
    // The PEs `first`, `first + stride` ... of this team, `size` of them. Every member of this team calls; for those that
    // are not in the new team the result has no members.
    Team split(int first, int stride, int size) const {
        nvshmem_team_t made = NVSHMEM_TEAM_INVALID;
        const int code = nvshmem_team_split_strided(number_, first, stride, size, nullptr, 0, &made);
        if (code != 0) throw Error("nvshmem_team_split_strided", code);
        return Team(made, true);
    }
    ~Team() {
        if (owned_ && number_ != NVSHMEM_TEAM_INVALID) nvshmem_team_destroy(number_);
    }
    Team(Team &&other) noexcept : number_(other.number_), owned_(std::exchange(other.owned_, false)) {}
    Team(const Team &) = delete;
    Team &operator=(const Team &) = delete;

    nvshmem_team_t number() const { return number_; }
    bool is_member() const { return number_ != NVSHMEM_TEAM_INVALID; }
    int my_pe() const { return nvshmem_team_my_pe(number_); }
    int n_pes() const { return nvshmem_team_n_pes(number_); }

private:
    Team(nvshmem_team_t number, bool owned) : number_(number), owned_(owned) {}
    nvshmem_team_t number_;
    bool owned_;
};

// This process's world: starts in the constructor, ends in the destructor.
class World {
public:
    World() { nvshmem_init(); }
    ~World() { nvshmem_finalize(); }
    World(const World &) = delete;
    World &operator=(const World &) = delete;

    Pe my_pe() const { return Pe(nvshmem_my_pe()); }
    int n_pes() const { return nvshmem_n_pes(); }
    void barrier() const { nvshmem_barrier_all(); }
    // Zeroed symmetric memory.
    template <class T>
    Array<T> array(size_t size) const {
        return Array<T>(size);
    }
    // A queue pair toward every PE.
    Qp qp() const {
        nvshmemx_qp_handle_t *made = nullptr;
        const int code = nvshmemx_qp_create(1, &made);
        if (code != 0) throw Error("nvshmemx_qp_create", code);
        return Qp{made[0]};
    }
};

#if defined __CUDA_ARCH__
#define OXSHMEM_CALL(...) __VA_ARGS__
#else
#define OXSHMEM_CALL(...)
#endif

#if defined __CUDACC__
__device__ inline Pe my_pe() { return Pe(nvshmem_my_pe()); }
__device__ inline int n_pes() { return nvshmem_n_pes(); }
// The PE that is `distance` numbers after this one, modulo the number of PEs.
__device__ inline Pe pe_after(int distance) {
    const int n = nvshmem_n_pes();
    return Pe((nvshmem_my_pe() + distance % n + n) % n);
}

// Copies the elements of `source` to those of `dest` on a PE; `source` may be written again on return.
#define OXSHMEM_TRANSFERS(Group, suffix)                                                                              \
    template <class T>                                                                                                \
    __device__ inline void put(Group, Span<T> dest, Span<const T> source, Pe pe, Qp qp = {}) {                        \
        OXSHMEM_CALL(oxshmem_c::put##suffix(dest.data, source.data, source.size * sizeof(T), int(pe), qp.handle, 0)); \
    }                                                                                                                 \
    template <class T>                                                                                                \
    __device__ inline void put_nbi(Group, Span<T> dest, Span<const T> source, Pe pe, Qp qp = {}) {                    \
        OXSHMEM_CALL(oxshmem_c::put##suffix(dest.data, source.data, source.size * sizeof(T), int(pe), qp.handle, 1)); \
    }                                                                                                                 \
    template <class T>                                                                                                \
    __device__ inline void get(Group, Span<T> dest, Span<const T> source, Pe pe, Qp qp = {}) {                        \
        OXSHMEM_CALL(oxshmem_c::get##suffix(dest.data, source.data, source.size * sizeof(T), int(pe), qp.handle, 0)); \
    }                                                                                                                 \
    template <class T>                                                                                                \
    __device__ inline void get_nbi(Group, Span<T> dest, Span<const T> source, Pe pe, Qp qp = {}) {                    \
        OXSHMEM_CALL(oxshmem_c::get##suffix(dest.data, source.data, source.size * sizeof(T), int(pe), qp.handle, 1)); \
    }                                                                                                                 \
    /* Then signals `word` there. */                                                                                  \
    template <class T>                                                                                                \
    __device__ inline void put_signal(Group, Span<T> dest, Span<const T> source, uint64_t *word, uint64_t value,      \
                                      Pe pe, Signal op = Signal::set, Qp qp = {}) {                                   \
        OXSHMEM_CALL(oxshmem_c::put_signal##suffix(dest.data, source.data, source.size * sizeof(T), word, value,      \
                                                int(op), int(pe), qp.handle, 0));                                     \
    }                                                                                                                 \
    /* Completes the group's operations on all queues. */                                                             \
    __device__ inline void quiet(Group) {                                                                             \
        OXSHMEM_CALL(oxshmem_c::quiet##suffix());                                                                     \
    }                                                                                                                 \
    /* Orders them before the group's later ones. */                                                                  \
    __device__ inline void fence(Group) {                                                                             \
        OXSHMEM_CALL(oxshmem_c::fence##suffix());                                                                     \
    }                                                                                                                 \
    __device__ inline void barrier(Group) { OXSHMEM_CALL(oxshmem_meet_all##suffix(1)); }
OXSHMEM_TRANSFERS(Thread, )
OXSHMEM_TRANSFERS(Warp, _warp)
OXSHMEM_TRANSFERS(Block, _block)
#undef OXSHMEM_TRANSFERS

// Changes a signal word on a PE.
__device__ inline void signal(uint64_t *word, uint64_t value, Pe pe, Signal op = Signal::set) {
    nvshmemx_signal_op(word, value, int(op), int(pe));
}
// Waits for a signal word of this PE, and returns its value.
__device__ inline uint64_t wait(uint64_t *word, Cmp cmp, uint64_t value) {
    return nvshmem_signal_wait_until(word, int(cmp), value);
}
// Writes an element on a PE.
template <class T>
__device__ inline void p(T *dest, T value, Pe pe) {
    OXSHMEM_CALL(oxshmem_c::p(dest, value, int(pe), NVSHMEMX_QP_DEFAULT));
}
// Reads an element of a PE.
template <class T>
__device__ inline T g(const T *source, Pe pe) {
    OXSHMEM_CALL(return oxshmem_c::g(source, int(pe), NVSHMEMX_QP_DEFAULT));
#if !defined __CUDA_ARCH__
    return *source;
#endif
}
#endif
#undef OXSHMEM_CALL

}  // namespace oxshmem

#endif
