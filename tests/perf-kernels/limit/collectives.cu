// Collectives of two PEs without a library, as lean as they can be: the source of collectives.ptx, which is made by
//
//   nvcc -ptx -arch=sm_90 collectives.cu -o collectives.ptx
//
// with `.version 8.0` put in for the compiler's own, so that drivers of CUDA 12 load it as well. The kernels check
// nothing, and their waits have no limit. Each is launched so that it can be placed before the preceding kernel ends.
//
// A packet is 16 bytes: 4 bytes of data and the low half of the round, twice. Packets have two halves of `HALF` bytes,
// used by rounds in turn. All words of both PEs are 0 before the first kernel of a grid.

typedef unsigned long long u64;

struct Exchange {
    const char* send;      // data for the peer
    const char* own;       // this PE's part
    const char* peer_own;  // the peer's source of the same part, as mapped here
    char* own_out;         // where this PE's part, or the sum, belongs here
    char* peer_out;        // where the data for the peer, or the sum, belongs there, as mapped here
    char* received_out;    // where the peer's data belongs here
    char* packets;         // packets that the peer sends
    char* peer_packets;    // the peer's, as mapped here
    u64* flags;            // a word of each block, which the peer writes, in a line of its own
    u64* peer_flags;       // the peer's, as mapped here
    u64* rounds;           // the number of the last round of each block, in a line of its own
    u64 sent;              // bytes that this PE sends
    u64 received;          // bytes that it receives
};

#define HALF (2u << 20)
#define LINE 16  // words

__device__ __forceinline__ void store_packet(char* at, u64 value, u64 round) {
    u64 low = (value & 0xffffffffu) | round << 32, high = value >> 32 | round << 32;
    asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(at), "l"(low), "l"(high) : "memory");
}

__device__ __forceinline__ u64 load_packet(const char* at, u64 round) {
    u64 low, high;
    do {
        asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(at) : "memory");
    } while ((unsigned)(low >> 32) != (unsigned)round || (unsigned)(high >> 32) != (unsigned)round);
    return (low & 0xffffffffu) | high << 32;
}

__device__ __forceinline__ void begin() {
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

__device__ __forceinline__ u64* word(u64* words) { return words + LINE * blockIdx.x; }

__device__ __forceinline__ u64 load_word(const u64* at) {
    u64 value;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
    return value;
}

__device__ __forceinline__ void store_word(u64* at, u64 value) {
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
}

// Both PEs' blocks of this number have come here, and their stores are seen.
__device__ __forceinline__ void meet(const Exchange& x, u64 round) {
    __syncthreads();
    if (threadIdx.x == 0) {
        store_word(word(x.peer_flags), round);
        while (load_word(word(x.flags)) < round) {
        }
    }
    __syncthreads();
}

__device__ __forceinline__ u64 add(u64 a, u64 b) {
    float low = __uint_as_float((unsigned)a) + __uint_as_float((unsigned)b);
    float high = __uint_as_float((unsigned)(a >> 32)) + __uint_as_float((unsigned)(b >> 32));
    return (u64)__float_as_uint(high) << 32 | __float_as_uint(low);
}

// Sends and receives by packets; `SUM`: the sum of both parts goes to `own_out`.
template <bool SUM> __device__ __forceinline__ void by_packets(const Exchange& x) {
    begin();
    u64 last = *(volatile u64*)word(x.rounds), round = last + 1;
    u64 most = x.sent > x.received ? x.sent : x.received, units = most / 8;
    u64 share = (units + gridDim.x - 1) / gridDim.x, first = share * blockIdx.x;
    u64 end = first + share < units ? first + share : units;
    u64 half = (round & 1) * HALF;
    if (x.received == 0 && round > 2) {
        // A sender that receives nothing may be two rounds ahead of its receiver.
        while (load_word(word(x.flags)) < round - 2) {
        }
    }
    if (x.sent > 0) {
        for (u64 i = first + threadIdx.x; i < end; i += blockDim.x) {
            store_packet(x.peer_packets + half + 16 * i, ((const u64*)x.send)[i], round);
        }
    }
    for (u64 i = first + threadIdx.x; i < end; i += blockDim.x) {
        u64 own = x.sent > 0 ? ((const u64*)x.own)[i] : 0;
        u64 theirs = x.received > 0 ? load_packet(x.packets + half + 16 * i, round) : 0;
        if (SUM) {
            ((u64*)x.own_out)[i] = add(own, theirs);
        } else {
            if (x.sent > 0) ((u64*)x.own_out)[i] = own;
            if (x.received > 0) ((u64*)x.received_out)[i] = theirs;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        if (x.sent == 0) store_word(word(x.peer_flags), round);
        *word(x.rounds) = round;
    }
}

__device__ __forceinline__ float4 load(const char* at) {
    float4 v;
    asm volatile("ld.relaxed.sys.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(at) : "memory");
    return v;
}

__device__ __forceinline__ void store(char* at, float4 v) {
    asm volatile("st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};"
                 ::"l"(at), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
}

// Loads and stores of 16 bytes, `N` in flight, between two meetings. `SUM`: reads the peer's part and adds. `BOTH`: stores
// to the peer as well as here. Otherwise `send` goes to the peer, and `own`, if it is another part, is copied here.
template <bool SUM, bool BOTH, int N> __device__ __forceinline__ void directly(const Exchange& x) {
    begin();
    u64 round = *(volatile u64*)word(x.rounds) + 1;
    meet(x, round);
    u64 all = x.sent / 16, share = (all + gridDim.x - 1) / gridDim.x, first = share * blockIdx.x;
    u64 end = first + share < all ? first + share : all, apart = blockDim.x;
    for (int pass = 0; pass < (SUM || BOTH ? 1 : 2); pass++) {
        const char* from = pass == 0 && !SUM ? x.send : x.own;
        for (u64 i = first + threadIdx.x; i < end; i += N * apart) {
            float4 a[N], b[N];
#pragma unroll
            for (int k = 0; k < N; k++) {
                if (SUM && i + k * apart < end) b[k] = load(x.peer_own + 16 * (i + k * apart));
            }
#pragma unroll
            for (int k = 0; k < N; k++) {
                if (i + k * apart < end) a[k] = load(from + 16 * (i + k * apart));
            }
#pragma unroll
            for (int k = 0; k < N; k++) {
                u64 at = 16 * (i + k * apart);
                if (at >= 16 * end) break;
                if (SUM) {
                    a[k].x += b[k].x, a[k].y += b[k].y, a[k].z += b[k].z, a[k].w += b[k].w;
                }
                if (BOTH || (!SUM && pass == 0)) store(x.peer_out + at, a[k]);
                if (BOTH || SUM || pass == 1) store(x.own_out + at, a[k]);
            }
        }
    }
    meet(x, round + 1);
    if (threadIdx.x == 0) *word(x.rounds) = round + 1;
}

#define ENTRY(NAME, CALL) extern "C" __global__ void __launch_bounds__(1024) NAME(Exchange x) { CALL; }

ENTRY(limit_sum_by_packets, by_packets<true>(x))
ENTRY(limit_copy_by_packets, by_packets<false>(x))
// Each PE adds a part and stores it on both.
ENTRY(limit_sum_to_both_4, (directly<true, true, 4>(x)))
ENTRY(limit_sum_to_both_2, (directly<true, true, 2>(x)))
// Each PE adds a part and keeps it.
ENTRY(limit_sum_4, (directly<true, false, 4>(x)))
ENTRY(limit_sum_2, (directly<true, false, 2>(x)))
// The data for the peer are also those for this PE.
ENTRY(limit_copy_to_both_4, (directly<false, true, 4>(x)))
ENTRY(limit_copy_to_both_8, (directly<false, true, 8>(x)))
// Each PE has other data for itself.
ENTRY(limit_copy_4, (directly<false, false, 4>(x)))
ENTRY(limit_copy_8, (directly<false, false, 8>(x)))
