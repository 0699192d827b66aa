/* Tensors of NVSHMEM's tile interface: memory with a shape and strides. Their numbers are variables, or constants of
 * their types. C++17, with the library of CUDA's C++ (`cuda/std`). */
#ifndef OXSHMEM_TENSOR_H
#define OXSHMEM_TENSOR_H

#include "types.h"

#include <cuda/std/tuple>
#include <cuda/std/type_traits>

/* A number that the type has, and that the compiler knows. */
template <int v>
struct ConstInt : cuda::std::integral_constant<int, v> {
    OXSHMEM_BOTH constexpr operator int() const { return v; }
};

namespace nvshmemx {

/* The number of elements in each dimension, and the distance of two neighbours in each dimension, in elements. */
template <class... Numbers>
using shape = cuda::std::tuple<Numbers...>;
template <class... Numbers>
using stride = cuda::std::tuple<Numbers...>;

template <class... Numbers>
OXSHMEM_BOTH constexpr shape<Numbers...> make_shape(const Numbers &...numbers) {
    return shape<Numbers...>(numbers...);
}
template <class... Numbers>
OXSHMEM_BOTH constexpr stride<Numbers...> make_stride(const Numbers &...numbers) {
    return stride<Numbers...>(numbers...);
}

template <class Shape, class Stride>
struct Layout {
    OXSHMEM_BOTH constexpr Layout(const Shape &shape = {}, const Stride &stride = {}) : both(shape, stride) {}
    OXSHMEM_BOTH constexpr Shape shape() const { return cuda::std::get<0>(both); }
    OXSHMEM_BOTH constexpr Stride stride() const { return cuda::std::get<1>(both); }

  private:
    cuda::std::tuple<Shape, Stride> both;
};

template <class Shape, class Stride>
OXSHMEM_BOTH constexpr Layout<Shape, Stride> make_layout(const Shape &shape, const Stride &stride) {
    return {shape, stride};
}

template <typename T, class Layout>
struct Tensor {
    using value_type = T;
    using layout_type = Layout;

    T *_data;
    const Layout _layout;

    OXSHMEM_BOTH constexpr Tensor(T *data, Layout layout) : _data(data), _layout(layout) {}
    OXSHMEM_BOTH constexpr Tensor(Layout layout) : Tensor(nullptr, layout) {}

    OXSHMEM_BOTH constexpr T *data() const { return _data; }
    OXSHMEM_BOTH constexpr Layout layout() const { return _layout; }
    OXSHMEM_BOTH constexpr auto shape() const { return _layout.shape(); }
    OXSHMEM_BOTH constexpr auto stride() const { return _layout.stride(); }
};

/* Ways of collectives. A push writes to other members, a pull reads from them; with two shots one member, the root,
 * reduces for all. The names are those of NVSHMEM's ways, which need multicast memory. */
typedef enum {
    NVLS_ONE_SHOT_PUSH_NBI = 0,
    NVLS_ONE_SHOT_PULL_NBI = 1,
    NVLS_TWO_SHOT_PUSH_NBI = 2,
    NVLS_TWO_SHOT_PULL_NBI = 3,
    NVSHMEMI_TILE_COLL_ALGO_SENTINEL = INT_MAX
} tile_coll_algo_t;

/* Ways of put and get. Here each of them reaches every PE. */
typedef enum {
    PEER_PUSH_NBI = 0,
    PEER_PULL_NBI = 0,
    REMOTE_PUSH_NBI = 1,
    REMOTE_PULL_NBI = 1,
    NVSHMEMI_TILE_ALGO_SENTINEL = INT_MAX
} tile_algo_t;

}  // namespace nvshmemx

#endif
