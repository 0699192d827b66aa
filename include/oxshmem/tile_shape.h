/* A tile as rows: its shape, strides and boundary, for host and device. */
#ifndef OXSHMEM_TILE_SHAPE_H
#define OXSHMEM_TILE_SHAPE_H

#include "tensor.h"
#include "tile_rows.h"

namespace oxshmem_c {

/* The number of a tuple in one dimension, or `otherwise` if it has fewer. */
template <int DIM, class Tuple>
OXSHMEM_TILE int64_t number(const Tuple &tuple, int64_t otherwise) {
    if constexpr (DIM < cuda::std::tuple_size<Tuple>::value) {
        return (int64_t)cuda::std::get<DIM>(tuple);
    } else {
        return otherwise;
    }
}

/* The number that a type has; 0 if a value has it. */
template <class Number, class = void>
struct constant_of {
    static constexpr int64_t value = 0;
};
template <class Number>
struct constant_of<Number, cuda::std::void_t<decltype(Number::value)>> {
    static constexpr int64_t value = Number::value;
};

/* Whether a dimension's stride is 1 by the layout's type. */
template <int DIM, class Tensor>
OXSHMEM_TILE constexpr bool is_one_by_type() {
    using stride_t = decltype(cuda::std::declval<const Tensor &>().stride());
    if constexpr (DIM < cuda::std::tuple_size<stride_t>::value) {
        return constant_of<cuda::std::tuple_element_t<DIM, stride_t>>::value == 1;
    } else {
        return false;
    }
}

template <int DIM, class Tensor>
OXSHMEM_TILE int64_t extent(const Tensor &tensor) {
    return number<DIM>(tensor.shape(), 1);
}
template <int DIM, class Tensor>
OXSHMEM_TILE int64_t step(const Tensor &tensor) {
    return number<DIM>(tensor.stride(), 0);
}

/* The number of elements. */
template <class Tensor>
OXSHMEM_TILE int64_t size_of(const Tensor &tensor) {
    using shape_t = decltype(tensor.shape());
    static_assert(cuda::std::tuple_size<shape_t>::value <= 5, "a tile has five dimensions at most");
    return extent<0>(tensor) * extent<1>(tensor) * extent<2>(tensor) * extent<3>(tensor) * extent<4>(tensor);
}

/* The elements in one dimension whose coordinates are less than the boundary. The empty tuple stands for no
 * boundary. */
template <int DIM, class Tensor, class Coord>
OXSHMEM_TILE uint32_t inside(const Tensor &tensor, const Coord &start, const Coord &boundary) {
    const int64_t all = extent<DIM>(tensor);
    if constexpr (cuda::std::is_empty<Coord>::value) {
        return (uint32_t)all;
    } else {
        const int64_t left = number<DIM>(boundary, all) - number<DIM>(start, 0);
        return (uint32_t)(left < 0 ? 0 : left < all ? left : all);
    }
}

/* Whether rows extend along dimension 1: the contiguous dimension of both tensors, by their types if these say so.
 * Dimension 0 otherwise, also if no dimension is contiguous. */
template <class Src, class Dst>
OXSHMEM_TILE bool is_along_1(const Src &src, const Dst &dst) {
    if constexpr (is_one_by_type<0, Src>() && is_one_by_type<0, Dst>()) {
        return false;
    } else if constexpr (is_one_by_type<1, Src>() && is_one_by_type<1, Dst>()) {
        return true;
    } else {
        return step<1>(src) == 1 && step<1>(dst) == 1;
    }
}

/* The rows of the source's shape that are inside the boundary. */
template <class Src, class Dst, class Coord>
OXSHMEM_TILE tile_rows rows_of(const Src &src, const Dst &dst, const Coord &start, const Coord &boundary) {
    const uint32_t n0 = inside<0>(src, start, boundary), n1 = inside<1>(src, start, boundary);
    const int64_t src0 = step<0>(src), src1 = step<1>(src), dst0 = step<0>(dst), dst1 = step<1>(dst);
    const bool along_1 = is_along_1(src, dst);
    tile_rows rows = {
        {inside<2>(src, start, boundary), inside<3>(src, start, boundary), inside<4>(src, start, boundary)},
        along_1 ? n0 : n1,
        along_1 ? n1 : n0,
        {step<2>(src), step<3>(src), step<4>(src)},
        {step<2>(dst), step<3>(dst), step<4>(dst)},
        (int32_t)(along_1 ? src0 : src1),
        (int32_t)(along_1 ? dst0 : dst1),
        (int32_t)(along_1 ? src1 : src0),
        (int32_t)(along_1 ? dst1 : dst0),
    };
    rows.join();
    return rows;
}

/* The place of a member's tile in the destination of an all-gather, in elements. Tiles follow each other along the rows,
 * and at the end of these in the next ones. */
template <class Src, class Dst>
OXSHMEM_TILE int64_t place_of(const Src &src, const Dst &dst, uint32_t member) {
    const bool along_1 = is_along_1(src, dst);
    const int64_t begin = member * (along_1 ? extent<1>(src) : extent<0>(src));
    const int64_t length = along_1 ? extent<1>(dst) : extent<0>(dst);
    const int64_t rows = begin / length * (along_1 ? extent<0>(src) : extent<1>(src));
    return begin % length * (along_1 ? step<1>(dst) : step<0>(dst)) + rows * (along_1 ? step<0>(dst) : step<1>(dst));
}

}  // namespace oxshmem_c

#endif
