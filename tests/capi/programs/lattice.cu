// A halo exchange as lattice QCD codes do it: faces in two dimensions, packed by the kernel that sends them, by plain
// stores where the neighbour's memory is mapped and by puts elsewhere, in two buffers that alternate.
#include "program.h"

constexpr int DIMS = 2, SIDES = 2 * DIMS, THREADS = 128, SITES = 1536;

// The PE on the other end of a side: even sides lead forwards in dimension `side / 2`.
__host__ __device__ inline int neighbour(int side, int me, int n_pes) {
    const int step = side / 2 + 1;
    return side % 2 == 0 ? (me + step) % n_pes : (me + n_pes - step % n_pes) % n_pes;
}

// The site that is at a place of a face: each side packs the sites in an order of its own.
__host__ __device__ inline int site_at(int side, int place) { return (place * (2 * side + 5) + side) % SITES; }

// One site's new value of its old value and the sites that arrived for it.
__host__ __device__ inline uint32_t updated(uint32_t old, const uint32_t* arrived) {
    uint32_t value = old * 5 + 1;
    for (int side = 0; side < SIDES; side++) value += arrived[side] ^ (uint32_t(side) << 24);
    return value;
}

// A block for each side packs the face, and sends it with a signal. `ghosts` and `flags` have the sides of one parity.
__global__ void pack(uint32_t* ghosts, uint32_t* faces, const uint32_t* field, uint64_t* flags, uint64_t round) {
    const int side = blockIdx.x, me = nvshmem_my_pe(), pe = neighbour(side, me, nvshmem_n_pes()), opposite = side ^ 1;
    uint32_t *face = faces + side * SITES, *ghost = ghosts + opposite * SITES;
    uint64_t* flag = flags + opposite;
    auto* mapped = static_cast<uint32_t*>(nvshmem_ptr(ghost, pe));
    if (mapped != nullptr && round % 3 == 0) {
        for (int i = threadIdx.x; i < SITES; i += blockDim.x) mapped[i] = field[site_at(side, i)];
        __threadfence_system();
        __syncthreads();
        if (threadIdx.x == 0) nvshmemx_signal_op(flag, round, NVSHMEM_SIGNAL_SET, pe);
        return;
    }
    for (int i = threadIdx.x; i < SITES; i += blockDim.x) face[i] = field[site_at(side, i)];
    __syncthreads();
    if (round % 3 == 1) {
        nvshmemx_putmem_signal_nbi_block(ghost, face, SITES * sizeof(uint32_t), flag, round, NVSHMEM_SIGNAL_SET, pe);
        return;
    }
    nvshmemx_putmem_nbi_block(ghost, face, SITES * sizeof(uint32_t), pe);
    __syncthreads();
    if (threadIdx.x == 0) {
        nvshmem_fence();
        nvshmemx_signal_op(flag, round, NVSHMEM_SIGNAL_SET, pe);
    }
}

// Waits for all sides and updates the field.
__global__ void exterior(uint32_t* field, const uint32_t* ghosts, uint64_t* flags, uint64_t round) {
    if (threadIdx.x < SIDES) nvshmem_signal_wait_until(flags + threadIdx.x, NVSHMEM_CMP_GE, round);
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < SITES; i += gridDim.x * blockDim.x) {
        uint32_t arrived[SIDES];
        for (int side = 0; side < SIDES; side++) arrived[side] = ghosts[side * SITES + i];
        field[i] = updated(field[i], arrived);
    }
}

int main(int argc, char** argv) {
    start(argc, argv, "lattice", 300);
    // Faces and ghosts by parity and side. A parity is used again two rounds later: a neighbour that sends then has had
    // this PE's faces of the round between, which follow the update that read the ghosts.
    Array<uint32_t> field(SITES), faces(2 * SIDES * SITES), ghosts(2 * SIDES * SITES);
    Array<uint64_t> flags(2 * SIDES);
    const auto first = [&](int of, size_t i) { return element<uint32_t>(key_of(seed, of, 0), i); };
    field.fill([&](size_t i) { return first(pe, i); });
    flags.zero();
    nvshmem_barrier_all();
    for (uint64_t round = 1; round <= rounds; round++) {
        const size_t parity = round % 2, part = parity * SIDES * SITES;
        uint64_t* words = flags.at(parity * SIDES);
        launch(pack, SIDES, THREADS, ghosts.at(part), faces.at(part), field.at(), words, round);
        launch(exterior, 4, THREADS, field.at(), ghosts.at(part), words, round);
    }
    nvshmemx_barrier_all_on_stream(stream);
    CUDA(cudaStreamSynchronize(stream));

    // The same on the host, for all PEs.
    std::vector<std::vector<uint32_t>> now(n_pes, std::vector<uint32_t>(SITES)), before;
    for (int of = 0; of < n_pes; of++) {
        for (int i = 0; i < SITES; i++) now[of][i] = first(of, i);
    }
    for (uint64_t round = 1; round <= rounds; round++) {
        before = now;
        for (int of = 0; of < n_pes; of++) {
            for (int i = 0; i < SITES; i++) {
                uint32_t arrived[SIDES];
                // The neighbour packed the ghosts of a side for the opposite side.
                for (int side = 0; side < SIDES; side++) {
                    arrived[side] = before[neighbour(side, of, n_pes)][site_at(side ^ 1, i)];
                }
                now[of][i] = updated(before[of][i], arrived);
            }
        }
    }
    field.expect("field", [&](size_t i) { return now[pe][i]; });
    flags.expect("flags", [&](size_t i) { return rounds - (rounds % 2 == i / SIDES ? 0 : 1); });
    return finish();
}
