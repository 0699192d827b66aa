// The ring of ring.cu, by oxshmem.hpp.
#include <oxshmem.hpp>

#include <cstdio>
#include <vector>

using oxshmem::Block;
using oxshmem::Span;

__global__ void ring(Span<float> inbox, Span<const float> block, uint64_t* flag, oxshmem::Qp qp) {
    oxshmem::put_signal(Block{}, inbox, block, flag, 1, oxshmem::pe_after(1), oxshmem::Signal::add, qp);
    if (threadIdx.x == 0) oxshmem::wait(flag, oxshmem::Cmp::eq, 1);
    oxshmem::barrier(Block{});
    oxshmem::get(Block{}, inbox.part(0, 16), block.part(0, 16), oxshmem::my_pe());
    if (threadIdx.x == 0) oxshmem::p(&inbox[0], oxshmem::g(&inbox[1], oxshmem::my_pe()), oxshmem::my_pe());
    oxshmem::quiet(Block{});
}

int main() {
    oxshmem::World world;
    const auto node = oxshmem::Team::node();
    if (cudaSetDevice(node.my_pe()) != cudaSuccess) return 1;
    auto inbox = world.array<float>(1000), block = world.array<float>(1000);
    auto flag = world.array<uint64_t>(1);
    Span<float> to = inbox;
    Span<const float> from{block.data(), block.size()};
    uint64_t* word = flag.data();
    oxshmem::Qp qp = world.qp();
    void* args[] = {&to, &from, &word, &qp};
    const int code = nvshmemx_collective_launch(reinterpret_cast<const void*>(ring), 1, 256, args, 0, nullptr);
    if (code != 0) throw oxshmem::Error("nvshmemx_collective_launch", code);
    std::printf("PE %d of %d\n", int(world.my_pe()), world.n_pes());
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
