// The tile interface's arithmetic on the host: every element inside the boundary is moved once, by aligned accesses, and
// no other memory is touched. A group's threads run one after another.
#include <nvshmem.h>
#include <nvshmemx.h>

#include <oxshmem/tile_members.h>
#include <oxshmem/tile_shape.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace oxshmem_c;

#define CHECK(condition)                                                                    \
    do {                                                                                    \
        if (!(condition)) printf("line %d: not so: %s\n", __LINE__, #condition), exit(1);   \
    } while (false)

static uint64_t state = 1;
static int draw(int below) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return int((state >> 33) % uint64_t(below));
}

struct Thread {
    uint32_t rank, size;
};

// Memory of this process; accesses must be aligned.
template <int BYTES>
typename tile_bits<BYTES>::type loaded(const char *at) {
    typename tile_bits<BYTES>::type bits;
    CHECK(uintptr_t(at) % BYTES == 0);
    memcpy(&bits, at, BYTES);
    return bits;
}
static std::vector<int> accesses(17);
template <int BYTES>
void stored(char *at, typename tile_bits<BYTES>::type bits) {
    CHECK(uintptr_t(at) % BYTES == 0);
    memcpy(at, &bits, BYTES);
    accesses[BYTES]++;
}
struct From {
    static const int IN_FLIGHT = 4;
    template <int BYTES>
    void load(typename tile_bits<BYTES>::type (&held)[4], const char *const (&at)[4], int count) const {
        for (int i = 0; i < count; i++) held[i] = loaded<BYTES>(at[i]);
    }
};
struct To {
    template <int BYTES>
    void store(char *at, typename tile_bits<BYTES>::type bits) const {
        stored<BYTES>(at, bits);
    }
};
struct Members {
    uint32_t count, me;
    ptrdiff_t apart;
    template <int BYTES>
    typename tile_bits<BYTES>::type load(const char *at, uint32_t member) const {
        return loaded<BYTES>(at + member * apart);
    }
    template <int BYTES>
    void store(char *at, uint32_t member, typename tile_bits<BYTES>::type bits) const {
        stored<BYTES>(at + member * apart, bits);
    }
};

// Memory that begins at a multiple of 64 bytes.
template <class T>
struct Memory {
    std::vector<T> all;
    T *at;
    size_t count;
    explicit Memory(size_t count) : all(count + 64), count(count) {
        at = reinterpret_cast<T *>((uintptr_t(all.data()) + 63) / 64 * 64);
    }
};

template <class T>
T value(int number) {
    return T(float(number % 17 - 8));
}
template <class T>
bool same(T a, T b) {
    return memcmp(&a, &b, sizeof(T)) == 0;
}

// Coordinates of a tensor's element by its number, dimension 0 first.
struct Coords {
    int64_t at[5];
};
template <class Tensor>
Coords coords(const Tensor &tensor, int64_t index) {
    const int64_t n[5] = {extent<0>(tensor), extent<1>(tensor), extent<2>(tensor), extent<3>(tensor), extent<4>(tensor)};
    Coords c;
    for (int d = 0; d < 5; d++) c.at[d] = index % n[d], index /= n[d];
    return c;
}
template <class Tensor>
int64_t offset(const Tensor &tensor, const Coords &c) {
    return c.at[0] * step<0>(tensor) + c.at[1] * step<1>(tensor) + c.at[2] * step<2>(tensor) +
           c.at[3] * step<3>(tensor) + c.at[4] * step<4>(tensor);
}
template <class Coord>
bool is_inside(const Coords &c, const Coord &start, const Coord &boundary) {
    if constexpr (cuda::std::is_empty<Coord>::value) {
        return true;
    } else {
        return c.at[0] + number<0>(start, 0) < number<0>(boundary, 1 << 30) &&
               c.at[1] + number<1>(start, 0) < number<1>(boundary, 1 << 30) &&
               c.at[2] + number<2>(start, 0) < number<2>(boundary, 1 << 30);
    }
}

template <class T, class F>
void by_group(uint32_t size, F move) {
    for (uint32_t rank = 0; rank < size; rank++) move(Thread{rank, size});
}

// Copies a tile, reduces the tiles of members, and sends one to all, and compares with a plain loop.
template <class T, class Src, class Dst, class Coord>
void check(Src from_layout, Dst to_layout, Coord start, Coord boundary, size_t room, int skew) {
    const uint32_t members = 1 + draw(6), threads = 1 + draw(70);
    const size_t apart = (room + 64) / 64 * 64;
    Memory<T> src(apart * members + 64), dst(apart * members + 64), wanted(apart * members + 64);
    for (size_t i = 0; i < src.count; i++) src.at[i] = value<T>(draw(1000));
    using S = nvshmemx::Tensor<T, Src>;
    using D = nvshmemx::Tensor<T, Dst>;
    const S s(src.at + skew, from_layout);
    const D d(dst.at + skew, to_layout);
    const tile_rows tile = rows_of(s, d, start, boundary);
    const Members all = {members, uint32_t(draw(members)), ptrdiff_t(apart * sizeof(T))};
    for (int kind = 0; kind < 5; kind++) {
        for (size_t i = 0; i < dst.count; i++) dst.at[i] = wanted.at[i] = value<T>(draw(1000));
        for (int64_t i = 0; i < size_of(s); i++) {
            const Coords c = coords(s, i);
            if (!is_inside(c, start, boundary)) continue;
            const T *in = s.data() + offset(s, c);
            T *out = wanted.at + skew + offset(d, c);
            wide<T> result = widened(in[0]);
            for (uint32_t m = 1; m < members && kind != 0 && kind != 4; m++) {
                const wide<T> next = widened(in[m * apart]);
                result = kind == 2 ? (next > result ? next : result) : kind == 3 ? (next < result ? next : result)
                                                                                 : wide<T>(result + next);
            }
            for (uint32_t m = 0; m < (kind >= 3 ? members : 1); m++) out[m * apart] = narrowed<T>(result);
        }
        by_group<T>(threads, [&](Thread thread) {
            const To to;
            const to_members<Members> to_all = {all};
            if (kind == 0) move_tile(thread, tile, s.data(), d.data(), From(), to);
            if (kind == 1) move_tile(thread, tile, s.data(), d.data(), from_members<T, tile_sum, Members>{all}, to);
            if (kind == 2) move_tile(thread, tile, s.data(), d.data(), from_members<T, tile_max, Members>{all}, to);
            if (kind == 3) move_tile(thread, tile, s.data(), d.data(), from_members<T, tile_min, Members>{all}, to_all);
            if (kind == 4) move_tile(thread, tile, s.data(), d.data(), From(), to_all);
        });
        for (size_t i = 0; i < dst.count; i++) {
            if (same(dst.at[i], wanted.at[i])) continue;
            printf("kind %d of %zu bytes: element %zu is wrong; %u threads, %u members, %u rows of %u\n", kind,
                   sizeof(T), i, threads, members, tile.count, tile.length);
            exit(1);
        }
    }
}

using nvshmemx::make_layout;
using nvshmemx::make_shape;
using nvshmemx::make_stride;

template <class T>
void shapes() {
    const nvshmemx::shape<> none;
    for (int round = 0; round < 120; round++) {
        // Rows of random lengths, some of whose ends are aligned.
        const int rows = 1 + draw(9), by = 1 << draw(5), length = 1 + draw(40) / by * by;
        const int src_pitch = (length + by - 1) / by * by + by * draw(2), dst_pitch = src_pitch + by * draw(3);
        const int skew = draw(3) == 0 ? draw(16) : 0, i = draw(50), j = draw(50);
        const auto start = make_shape(i, j), cut = make_shape(i + draw(rows + 3) - 1, j + draw(length + 3) - 1);
        const auto turned = make_shape(j, i);
        const auto turned_cut = make_shape(cuda::std::get<1>(cut), cuda::std::get<0>(cut));
        const size_t room = size_t(rows) * dst_pitch + skew;
        const auto shape = make_shape(rows, length);
        const ConstInt<1> one_step = {};
        const auto row = [&](int pitch) { return make_layout(shape, make_stride(pitch, one_step)); };
        const auto dynamic = [&](int pitch) { return make_layout(shape, make_stride(pitch, 1)); };
        const auto turned_shape = make_shape(length, rows);
        const auto column = [&](int pitch) { return make_layout(turned_shape, make_stride(one_step, pitch)); };
        const auto apart = [&](int pitch) { return make_layout(shape, make_stride(2 * pitch, 2)); };
        const auto across = [&]() { return make_layout(shape, make_stride(1, rows)); };
        check<T>(row(src_pitch), row(dst_pitch), none, none, room, skew);
        check<T>(row(src_pitch), row(dst_pitch), start, cut, room, skew);
        check<T>(dynamic(src_pitch), dynamic(dst_pitch), start, cut, room, skew);
        check<T>(column(src_pitch), column(dst_pitch), turned, turned_cut, room, skew);
        check<T>(dynamic(length), dynamic(length), none, none, room, skew);
        // Without a contiguous dimension of both.
        check<T>(apart(src_pitch), dynamic(dst_pitch), start, cut, 2 * room, skew);
        check<T>(across(), dynamic(length), start, cut, room, skew);
        // One and three dimensions; a boundary in the first alone.
        const auto one = make_layout(make_shape(length), make_stride(1));
        check<T>(one, one, make_shape(j), make_shape(cuda::std::get<1>(cut)), room, skew);
        const auto planes = make_stride(dst_pitch, one_step, rows * dst_pitch);
        const auto three = make_layout(make_shape(rows, length, 3), planes);
        check<T>(three, three, none, none, 3 * room, skew);
        check<T>(three, three, make_shape(i, j, 0), make_shape(i + rows, j + draw(length + 1), 2), 3 * room, skew);
    }
    // All numbers are constants.
    const ConstInt<1> one = {};
    const auto row = make_layout(make_shape(ConstInt<5>(), ConstInt<24>()), make_stride(ConstInt<32>(), one));
    const auto column = make_layout(make_shape(ConstInt<24>(), ConstInt<5>()), make_stride(one, ConstInt<32>()));
    check<T>(row, row, none, none, 5 * 32, 0);
    check<T>(row, row, make_shape(1, 2), make_shape(5, 21), 5 * 32, 0);
    check<T>(column, column, make_shape(2, 1), make_shape(21, 5), 5 * 32, 0);
}

// The tiles of an all-gather lie in two columns, in one row, and in one column of the destination.
void places() {
    const auto tile = make_layout(make_shape(3, 8), make_stride(8, ConstInt<1>()));
    const auto place = [&](int rows, int length, int pitch, uint32_t member) {
        const auto all = make_layout(make_shape(rows, length), make_stride(pitch, ConstInt<1>()));
        const nvshmemx::Tensor<float, decltype(tile)> src(tile);
        const nvshmemx::Tensor<float, decltype(all)> dst(all);
        return place_of(src, dst, member);
    };
    CHECK(place(6, 16, 20, 0) == 0 && place(6, 16, 20, 1) == 8);
    CHECK(place(6, 16, 20, 2) == 60 && place(6, 16, 20, 3) == 68);
    CHECK(place(3, 32, 32, 3) == 24 && place(12, 8, 8, 3) == 72);
    const auto turned = make_layout(make_shape(8, 3), make_stride(ConstInt<1>(), 8));
    const auto all = make_layout(make_shape(16, 6), make_stride(ConstInt<1>(), 20));
    const nvshmemx::Tensor<float, decltype(turned)> src(turned);
    const nvshmemx::Tensor<float, decltype(all)> dst(all);
    CHECK(place_of(src, dst, 1) == 8 && place_of(src, dst, 2) == 60);
}

int main() {
    shapes<int8_t>();
    shapes<half>();
    shapes<__nv_bfloat16>();
    shapes<uint16_t>();
    shapes<float>();
    shapes<int>();
    shapes<double>();
    places();
    for (int bytes : {1, 2, 4, 8, 16}) CHECK(accesses[bytes] > 1000);
    puts("tile rows: right");
    return 0;
}
