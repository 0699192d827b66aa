// A halo exchange as molecular dynamics codes do it: a team of the PEs with atoms, coordinates that are passed on in
// two pulses, the second with atoms of the first, and forces that return in the opposite order. With -DWITH_MPI the
// world starts by an MPI communicator.
#if defined WITH_MPI
#include <mpi.h>
#endif

#include "program.h"

constexpr int PULSES = 2, THREADS = 128, ATOMS = 900, SENT = 301;
// Own atoms, then those of each pulse.
constexpr int ALL = ATOMS + PULSES * SENT;

// The memory of one PE: three floats for each atom, and a flag for each pulse and direction.
struct Atoms {
    float *x, *f, *packed, *returned;
    uint64_t *x_flags, *f_flags;
};

// The atom that is sent at a place of a pulse. Each second atom of the second pulse came with the first one.
__host__ __device__ inline int atom_at(int pulse, int place) {
    if (pulse == 0) return ATOMS - 1 - 2 * place;
    return place % 2 == 0 ? ATOMS + place : 3 * (place / 2) + 1;
}

// Sends each pulse's coordinates to the PE before this one, and waits for those from the PE after it.
__global__ void send_coordinates(Atoms a, int to, uint64_t step) {
    for (int pulse = 0; pulse < PULSES; pulse++) {
        float *packed = a.packed + pulse * SENT * 3, *place = a.x + (ATOMS + pulse * SENT) * 3;
        for (int i = threadIdx.x; i < SENT * 3; i += blockDim.x) packed[i] = a.x[atom_at(pulse, i / 3) * 3 + i % 3];
        __syncthreads();
        nvshmemx_float_put_signal_nbi_block(place, packed, SENT * 3, a.x_flags + pulse, step, NVSHMEM_SIGNAL_SET, to);
        // The next pulse passes on atoms of this one.
        if (threadIdx.x == 0) nvshmem_signal_wait_until(a.x_flags + pulse, NVSHMEM_CMP_EQ, step);
        __syncthreads();
    }
}

// A force on each atom, own or not, by its coordinates.
__host__ __device__ inline float force_of(float x) { return float((int(x) * 7 + 3) % 41); }

__global__ void compute(Atoms a) {
    const int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ALL * 3; i += threads) a.f[i] = force_of(a.x[i]);
}

// Returns the forces of each pulse's atoms, the last pulse first, and adds those that come back. The other PE may write
// to `returned` as soon as this one has sent its coordinates. Only this kernel reads it.
__global__ void return_forces(Atoms a, int to, uint64_t step) {
    for (int pulse = PULSES - 1; pulse >= 0; pulse--) {
        float *foreign = a.f + (ATOMS + pulse * SENT) * 3, *returned = a.returned + pulse * SENT * 3;
        nvshmemx_float_put_signal_nbi_block(returned, foreign, SENT * 3, a.f_flags + pulse, 1, NVSHMEM_SIGNAL_ADD, to);
        if (threadIdx.x == 0) nvshmem_signal_wait_until(a.f_flags + pulse, NVSHMEM_CMP_GE, step);
        __syncthreads();
        for (int i = threadIdx.x; i < SENT * 3; i += blockDim.x) a.f[atom_at(pulse, i / 3) * 3 + i % 3] += returned[i];
        __syncthreads();
    }
    nvshmem_quiet();
}

// Moves the own atoms. Coordinates stay whole numbers, so that all sums are exact.
__host__ __device__ inline float moved(float x, float f) { return float((int(x) * 3 + int(f)) % 1000); }

__global__ void move(Atoms a) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ATOMS * 3; i += gridDim.x * blockDim.x) {
        a.x[i] = moved(a.x[i], a.f[i]);
    }
}

// The same steps of all members on the host. Returns their coordinates.
std::vector<std::vector<float>> reference(int members) {
    std::vector<std::vector<float>> x(members, std::vector<float>(ALL * 3)), f = x;
    for (int of = 0; of < members; of++) {
        for (int i = 0; i < ATOMS * 3; i++) x[of][i] = float(mix(key_of(seed, of, 0), i) % 1000);
    }
    for (uint64_t step = 1; step <= rounds; step++) {
        for (int pulse = 0; pulse < PULSES; pulse++) {
            for (int of = 0; of < members; of++) {
                const auto& from = x[(of + 1) % members];
                for (int i = 0; i < SENT * 3; i++) {
                    x[of][(ATOMS + pulse * SENT) * 3 + i] = from[atom_at(pulse, i / 3) * 3 + i % 3];
                }
            }
        }
        for (int of = 0; of < members; of++) {
            for (int i = 0; i < ALL * 3; i++) f[of][i] = force_of(x[of][i]);
        }
        for (int pulse = PULSES - 1; pulse >= 0; pulse--) {
            for (int of = 0; of < members; of++) {
                const auto& from = f[(of + members - 1) % members];
                for (int i = 0; i < SENT * 3; i++) {
                    f[of][atom_at(pulse, i / 3) * 3 + i % 3] += from[(ATOMS + pulse * SENT) * 3 + i];
                }
            }
        }
        for (int of = 0; of < members; of++) {
            for (int i = 0; i < ATOMS * 3; i++) x[of][i] = moved(x[of][i], f[of][i]);
        }
    }
    return x;
}

void begin_world(int argc, char** argv) {
#if defined WITH_MPI
    begin(argc, argv, "domains", 100);
    MPI_Comm comm = MPI_COMM_WORLD;
    CHECK(MPI_Init(&argc, &argv) == MPI_SUCCESS && MPI_Comm_rank(comm, &pe) == MPI_SUCCESS);
    take_gpu(pe);
    nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;
    attr.mpi_comm = &comm;
    CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attr) == 0);
    started();
#else
    start(argc, argv, "domains", 100);
#endif
}

int main(int argc, char** argv) {
    begin_world(argc, argv);
    // One of several PEs has no atoms, and the others are a team. Arrays belong to the world.
    const int members = n_pes > 2 ? n_pes - 1 : n_pes;
    nvshmem_team_t team;
    CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, members, nullptr, 0, &team) == 0);
    Array<float> x(ALL * 3), f(ALL * 3), packed(PULSES * SENT * 3), returned(PULSES * SENT * 3);
    Array<uint64_t> x_flags(PULSES), f_flags(PULSES);
    Array<long long> energy(1), sum(1);
    const Atoms atoms = {x.at(), f.at(), packed.at(), returned.at(), x_flags.at(), f_flags.at()};
    x.fill([&](size_t i) { return i < ATOMS * 3 ? float(mix(key_of(seed, pe, 0), i) % 1000) : 0.0f; });
    x_flags.zero();
    f_flags.zero();
    nvshmem_barrier_all();
    if (team != NVSHMEM_TEAM_INVALID) {
        const int me = nvshmem_team_my_pe(team);
        const auto pe_of = [&](int member) {
            return nvshmem_team_translate_pe(team, member % members, NVSHMEM_TEAM_WORLD);
        };
        const int after = pe_of(me + 1), before = pe_of(me + members - 1);
        CHECK(nvshmem_team_n_pes(team) == members && me == pe);
        for (uint64_t step = 1; step <= rounds; step++) {
            launch(send_coordinates, 1, THREADS, atoms, before, step);
            compute<<<4, THREADS, 0, stream>>>(atoms);
            launch(return_forces, 1, THREADS, atoms, after, step);
            move<<<4, THREADS, 0, stream>>>(atoms);
        }
        CUDA(cudaStreamSynchronize(stream));
        const auto expected = reference(members);
        const std::vector<float> now = x.read();
        long long own = 0, total = 0;
        for (int i = 0; i < ATOMS * 3; i++) own += (long long)now[i] * (long long)now[i];
        for (const auto& one : expected) {
            for (int i = 0; i < ATOMS * 3; i++) total += (long long)one[i] * (long long)one[i];
        }
        x.expect("coordinates", [&](size_t i) { return expected[me][i]; });
        energy.fill([&](size_t) { return own; });
        CHECK(nvshmem_team_sync(team) == 0);
        CHECK(nvshmem_longlong_sum_reduce(team, sum.at(), energy.at(), 1) == 0);
        sum.expect("energy", [&](size_t) { return total; });
        nvshmem_team_destroy(team);
    }
    const int code = finish();
#if defined WITH_MPI
    MPI_Finalize();
#endif
    return code;
}
