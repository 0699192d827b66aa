// Names that programs use and do not include a header for, since NVSHMEM's headers bring them. It compiles with NVSHMEM
// 3.8's headers and with ours.
#include <nvshmem.h>
#include <nvshmemx.h>

static_assert(std::is_same<cg::thread_block, cooperative_groups::thread_block>::value, "groups");
static_assert(cuda::std::is_same<cuda::std::uint64_t, uint64_t>::value, "CUDA's C++");

__global__ void on_device(int *n) {
    assert(n != nullptr);
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int most = cg::reduce(warp, *n, cg::greater<int>());
    cuda::atomic_ref<int, cuda::thread_scope_system>(*n).fetch_max(most, cuda::memory_order_relaxed);
    if (*n > cuda::std::numeric_limits<short>::max()) printf("%d\n", cuda::std::get<0>(cuda::std::make_tuple(*n)));
}

static int checked(int status) {
    NVSHMEMI_NZ_ERROR_JMP(status, NVSHMEMX_ERROR_INTERNAL, out, "the status is %d", status);
    NVSHMEMI_NE_ERROR_RET(status, 0, NVSHMEMX_ERROR_INVALID_VALUE, "no failure");
    NVSHMEMI_WARN_PRINT("%s", "right");
out:
    return status;
}

int main(int, char **argv) {
    const nvshmemi_version_t version = {NVSHMEM_VENDOR_MAJOR_VERSION, NVSHMEM_VENDOR_MINOR_VERSION, 0};
    NVSHMEMI_UNUSED_ARG(argv);
    if (std::max(version.major, version.minor) == 0) NVSHMEMI_ERROR_EXIT("%d is no version", version.major);
    if (checked(nvshmemid_init_status()) != 0) {
        NVSHMEMI_ERROR_PRINT("failed");
    } else {
        NVSHMEMI_NZ_EXIT(version.patch, "%s", strerror(errno));
    }
    return 0;
}
