/* Movement of a tile's elements by a group of threads, for host and device: the part of the tile interface that
 * computes addresses. A tile is a number of rows here; the caller loads and stores. */
#ifndef OXSHMEM_TILE_ROWS_H
#define OXSHMEM_TILE_ROWS_H

#include "platform.h"

#if defined __CUDACC__
#define OXSHMEM_TILE static __host__ __device__ __forceinline__
#define OXSHMEM_TILE_MEMBER __host__ __device__ __forceinline__
#else
#define OXSHMEM_TILE static inline
#define OXSHMEM_TILE_MEMBER inline
#endif

namespace oxshmem_c {

/* The part of a tile inside its boundary: rows of `length` elements, and up to three dimensions of planes. Distances are
 * in elements. */
struct tile_rows {
    uint32_t planes[3], count, length;
    int64_t src_plane[3], dst_plane[3];
    /* Numbers of 32 bits save registers, which limit the threads of a block. */
    int32_t src_row, dst_row, src_step, dst_step;

    OXSHMEM_TILE_MEMBER bool is_packed() const { return src_step == 1 && dst_step == 1; }

    /* The distances to a plane. */
    OXSHMEM_TILE_MEMBER int64_t src_at(uint32_t i, uint32_t j, uint32_t k) const {
        return i * src_plane[0] + j * src_plane[1] + k * src_plane[2];
    }
    OXSHMEM_TILE_MEMBER int64_t dst_at(uint32_t i, uint32_t j, uint32_t k) const {
        return i * dst_plane[0] + j * dst_plane[1] + k * dst_plane[2];
    }

    /* Makes one row of rows that follow each other without a gap, in the source and in the destination. */
    OXSHMEM_TILE_MEMBER void join() {
        const uint64_t all = (uint64_t)count * length;
        if (is_packed() && count > 1 && src_row == (int64_t)length && dst_row == (int64_t)length && all < (1u << 31)) {
            length = (uint32_t)all;
            count = 1;
        }
    }

    /* Returns the bytes of an access: as many as the alignment of all rows allows, up to 16 and to the bytes of a row.
     * The ends of all members of a team are alike, since their memory begins at pages. */
    template <class T>
    OXSHMEM_TILE_MEMBER uint32_t width(const T *src, const T *dst) const {
        if (!is_packed()) return sizeof(T);
        uint64_t ends = reinterpret_cast<uint64_t>(src) | reinterpret_cast<uint64_t>(dst);
        if (count > 1) ends |= (uint64_t)((int64_t)src_row | dst_row) * sizeof(T);
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            if (planes[i] > 1) ends |= (uint64_t)(src_plane[i] | dst_plane[i]) * sizeof(T);
        }
        uint32_t bytes = 16;
        while (bytes > sizeof(T) && (ends % bytes != 0 || (uint64_t)length * sizeof(T) < bytes)) bytes /= 2;
        return bytes;
    }
};

/* The bits of an access of so many bytes. */
template <int BYTES>
struct tile_bits;
template <>
struct tile_bits<1> {
    typedef uint8_t type;
};
template <>
struct tile_bits<2> {
    typedef uint16_t type;
};
template <>
struct tile_bits<4> {
    typedef uint32_t type;
};
template <>
struct tile_bits<8> {
    typedef uint64_t type;
};
struct tile_unit {
    uint64_t low, high;
};
template <>
struct tile_bits<16> {
    typedef tile_unit type;
};

OXSHMEM_TILE int64_t distance_of(uint32_t count, int32_t each) { return (int64_t)(int32_t)count * each; }

/* Moves `per_row` accesses of each row, which neighbouring threads share. `from` loads up to N of a thread before `to`
 * stores the first one. Distances are in elements. */
template <int BYTES, class T, class G, class From, class To>
OXSHMEM_TILE void move_accesses(const G &group, uint32_t rows, uint32_t per_row, const T *src, T *dst, int32_t src_row,
                                int32_t dst_row, int32_t src_step, int32_t dst_step, const From &from, const To &to) {
    const int N = From::IN_FLIGHT;
    const uint32_t rows_on = group.size / per_row, accesses_on = group.size % per_row;
    uint32_t row = group.rank / per_row, access = group.rank % per_row;
#pragma unroll 1
    while (row < rows) {
        const char *in[N];
        char *out[N];
        int count = 0;
#pragma unroll
        for (int i = 0; i < N; ++i) {
            in[i] = reinterpret_cast<const char *>(src + (distance_of(row, src_row) + distance_of(access, src_step)));
            out[i] = reinterpret_cast<char *>(dst + (distance_of(row, dst_row) + distance_of(access, dst_step)));
            if (row < rows) count = i + 1;
            row += rows_on;
            access += accesses_on;
            if (access >= per_row) {
                access -= per_row;
                ++row;
            }
        }
        typename tile_bits<BYTES>::type held[N];
        from.template load<BYTES>(held, in, count);
#pragma unroll
        for (int i = 0; i < N; ++i) {
            if (i < count) to.template store<BYTES>(out[i], held[i]);
        }
    }
}

/* Moves `whole` accesses of each row, of `width` bytes: of BYTES, or of fewer. */
template <int BYTES, class T, class G, class From, class To>
OXSHMEM_TILE void move_whole(const G &group, const tile_rows &tile, uint32_t width, uint32_t whole, const T *src,
                             T *dst, const From &from, const To &to) {
    if constexpr (BYTES > sizeof(T)) {
        if (width == BYTES) {
            const int32_t step = BYTES / sizeof(T);
            move_accesses<BYTES>(group, tile.count, whole, src, dst, tile.src_row, tile.dst_row, step, step, from, to);
        } else {
            move_whole<BYTES / 2, T>(group, tile, width, whole, src, dst, from, to);
        }
    }
}

/* Moves the elements of one plane: as many as there are in whole accesses, and the others of each row one by one. */
template <class T, class G, class From, class To>
OXSHMEM_TILE void move_plane(const G &group, const tile_rows &tile, uint32_t width, const T *src, T *dst,
                             const From &from, const To &to) {
    const uint32_t per_access = width / (uint32_t)sizeof(T), whole = per_access == 1 ? 0 : tile.length / per_access;
    const uint32_t moved = whole * per_access, left = tile.length - moved;
    if (whole != 0) move_whole<16, T>(group, tile, width, whole, src, dst, from, to);
    if (left != 0) {
        move_accesses<sizeof(T)>(group, tile.count, left, src + moved, dst + moved, tile.src_row, tile.dst_row,
                                 tile.src_step, tile.dst_step, from, to);
    }
}

/* Moves a tile's elements inside the boundary. `from.load<BYTES>(held, at, count)` loads `count` accesses, and
 * `to.store<BYTES>(at, bits)` stores one. */
template <class T, class G, class From, class To>
OXSHMEM_TILE void move_tile(const G &group, const tile_rows &tile, const T *src, T *dst, const From &from,
                            const To &to) {
    if (tile.count == 0 || tile.length == 0) return;
    const uint32_t width = tile.width(src, dst);
    for (uint32_t i = 0; i < tile.planes[0]; ++i) {
        for (uint32_t j = 0; j < tile.planes[1]; ++j) {
            for (uint32_t k = 0; k < tile.planes[2]; ++k) {
                move_plane(group, tile, width, src + tile.src_at(i, j, k), dst + tile.dst_at(i, j, k), from, to);
            }
        }
    }
}

}  // namespace oxshmem_c

#endif
