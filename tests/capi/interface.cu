// What a program may take for granted of NVSHMEM's interface: constants, sizes and offsets. It compiles with NVSHMEM
// 3.8's headers and with ours. `signatures.inc` has the type of each function, made from the table of names.
#include <device_host/nvshmem_tensor.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include <device/tile/nvshmemx_tile_api.hpp>
#include <device/tile/nvshmemx_tile_api_defines.cuh>

#include <cstddef>
#include <type_traits>

static_assert(NVSHMEM_MAJOR_VERSION == 1 && NVSHMEM_MINOR_VERSION == 3, "version of the specification");
static_assert(NVSHMEM_VENDOR_MAJOR_VERSION == 3 && NVSHMEM_VENDOR_MINOR_VERSION == 8, "version of the interface");
static_assert(NVSHMEM_VENDOR_VERSION == 30800, "version as a number");
static_assert(NVSHMEM_MAX_NAME_LEN == 256, "length of a name");

static_assert(NVSHMEM_SIGNAL_SET == 9 && NVSHMEM_SIGNAL_ADD == 10, "signals");
static_assert(NVSHMEM_CMP_EQ == 0 && NVSHMEM_CMP_NE == 1 && NVSHMEM_CMP_GT == 2, "comparisons");
static_assert(NVSHMEM_CMP_LE == 3 && NVSHMEM_CMP_LT == 4 && NVSHMEM_CMP_GE == 5, "comparisons");
static_assert(NVSHMEM_CMP_SENTINEL == INT_MAX, "comparisons");
static_assert(NVSHMEMX_QP_HOST == 0 && NVSHMEMX_QP_DEFAULT == 1, "queue pairs");
static_assert(NVSHMEMX_QP_ANY == INT_MAX && NVSHMEMX_QP_ALL == INT_MAX, "queue pairs");
static_assert(NVSHMEM_PE_INVALID == -1 && NVSHMEMX_PE_ANY == 1 << 15 && NVSHMEMX_PE_ALL == 1 << 15, "PEs");
static_assert(NVSHMEM_TEAM_INVALID == -1 && NVSHMEM_TEAM_WORLD == 0 && NVSHMEM_TEAM_SHARED == 1, "teams");
static_assert(NVSHMEMX_TEAM_NODE == 2 && NVSHMEMX_TEAM_SAME_MYPE_NODE == 3, "teams");
static_assert(NVSHMEM_TEAM_WORLD_INDEX == 0 && NVSHMEM_TEAM_SHARED_INDEX == 1, "teams");
static_assert(NVSHMEM_THREAD_SINGLE == 0 && NVSHMEM_THREAD_FUNNELED == 1, "levels of threads");
static_assert(NVSHMEM_THREAD_SERIALIZED == 2 && NVSHMEM_THREAD_MULTIPLE == 3, "levels of threads");
static_assert(NVSHMEM_STATUS_NOT_INITIALIZED == 0 && NVSHMEM_STATUS_IS_BOOTSTRAPPED == 1, "states");
static_assert(NVSHMEM_STATUS_IS_INITIALIZED == 2 && NVSHMEM_STATUS_LIMITED_MPG == 3, "states");
static_assert(NVSHMEM_STATUS_FULL_MPG == 4 && NVSHMEM_STATUS_INVALID == INT_MAX, "states");
static_assert(NVSHMEMX_SUCCESS == 0 && NVSHMEMX_ERROR_INVALID_VALUE == 1, "results");
static_assert(NVSHMEMX_ERROR_OUT_OF_MEMORY == 2 && NVSHMEMX_ERROR_NOT_SUPPORTED == 3, "results");
static_assert(NVSHMEMX_ERROR_SYMMETRY == 4 && NVSHMEMX_ERROR_GPU_NOT_SELECTED == 5, "results");
static_assert(NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED == 6 && NVSHMEMX_ERROR_INTERNAL == 7, "results");
static_assert(NVSHMEMX_INIT_THREAD_PES == 1 && NVSHMEMX_INIT_WITH_MPI_COMM == 2, "ways to start");
static_assert(NVSHMEMX_INIT_WITH_SHMEM == 4 && NVSHMEMX_INIT_WITH_UNIQUEID == 8, "ways to start");
static_assert(NVSHMEMX_TMA_DISABLE == 0 && NVSHMEMX_TMA_ENABLE == 1 && NVSHMEMX_TMA_FORCE == 2, "bulk copies");
static_assert(NVSHMEMX_SMEM_RECOMMENDED == 0 && NVSHMEMX_SMEM_MINIMUM == 1, "lent memory");
static_assert(NVSHMEMX_SMEM_BARRIERS_ONLY == 2, "lent memory");
static_assert(NVSHMEMX_REGION_HINT_NONE == 0 && NVSHMEMX_REGION_HINT_BATCH_RMA == 1, "regions");
static_assert(NVSHMEM_TEAM_CONFIG_MASK_NUM_CONTEXTS == 1 && NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID == 2, "teams' options");

static_assert(sizeof(nvshmem_team_t) == 4 && sizeof(nvshmemx_qp_handle_t) == 4, "handles");
static_assert(std::is_same<nvshmemx_qp_handle_t, int>::value, "handles");
static_assert(sizeof(nvshmemx_team_uniqueid_t) == 8 && sizeof(nvshmemx_region_handle_t) == 8, "handles");
static_assert(sizeof(nvshmemx_uniqueid_t) == 128 && offsetof(nvshmemx_uniqueid_t, internal) == 4, "unique id");
static_assert(sizeof(nvshmemx_uniqueid_args_t) == 24, "arguments of a unique id");
static_assert(offsetof(nvshmemx_uniqueid_args_t, id) == 8, "arguments of a unique id");
static_assert(offsetof(nvshmemx_uniqueid_args_t, myrank) == 16, "arguments of a unique id");
static_assert(offsetof(nvshmemx_uniqueid_args_t, nranks) == 20, "arguments of a unique id");
static_assert(sizeof(nvshmemx_init_args_t) == 128 && offsetof(nvshmemx_init_args_t, uid_args) == 8, "arguments");
static_assert(offsetof(nvshmemx_init_args_t, cuda_device_id) == 32, "arguments");
static_assert(offsetof(nvshmemx_init_args_t, content) == 36, "arguments");
static_assert(sizeof(nvshmemx_init_args_v1) == 128 && offsetof(nvshmemx_init_args_v1, content) == 32, "arguments");
static_assert(sizeof(nvshmemx_init_attr_t) == 144 && offsetof(nvshmemx_init_attr_t, mpi_comm) == 8, "options");
static_assert(offsetof(nvshmemx_init_attr_t, args) == 16, "options");
static_assert(sizeof(nvshmem_team_config_t) == 64 && offsetof(nvshmem_team_config_t, num_contexts) == 4, "team");
static_assert(offsetof(nvshmem_team_config_t, uniqueid) == 8 && sizeof(nvshmem_team_config_v1) == 64, "team");
static_assert(sizeof(nvshmemx_region_attrs_t) == 64 && offsetof(nvshmemx_region_attrs_t, hints) == 0, "region");
static_assert(sizeof(nvshmemx_collective_launch_attr_t) == sizeof(cudaLaunchConfig_t), "launch");

// Tiles.
using nvshmemx::make_layout;
using nvshmemx::make_shape;
using nvshmemx::make_stride;
static_assert(nvshmemx::NVLS_ONE_SHOT_PUSH_NBI == 0 && nvshmemx::NVLS_ONE_SHOT_PULL_NBI == 1, "ways of collectives");
static_assert(nvshmemx::NVLS_TWO_SHOT_PUSH_NBI == 2 && nvshmemx::NVLS_TWO_SHOT_PULL_NBI == 3, "ways of collectives");
static_assert(nvshmemx::tile_algo_t::PEER_PUSH_NBI == 0 && nvshmemx::tile_algo_t::PEER_PULL_NBI == 0, "ways of copies");
static_assert(nvshmemx::REMOTE_PUSH_NBI == 1 && nvshmemx::REMOTE_PULL_NBI == 1, "ways of copies");
static_assert(ConstInt<3>::value == 3 && ConstInt<3>() == 3, "constants");
static_assert(std::is_base_of<cuda::std::integral_constant<int, 3>, ConstInt<3>>::value, "constants");
static_assert(std::is_same<nvshmemx::shape<int, ConstInt<3>>, cuda::std::tuple<int, ConstInt<3>>>::value, "shapes");
static_assert(std::is_same<nvshmemx::stride<>, cuda::std::tuple<>>::value, "strides");
constexpr auto layout = make_layout(make_shape(2, 3), make_stride(4, ConstInt<1>()));
using of_layout = nvshmemx::Layout<nvshmemx::shape<int, int>, nvshmemx::stride<int, ConstInt<1>>>;
static_assert(std::is_same<decltype(layout), const of_layout>::value, "layouts");
static_assert(cuda::std::get<1>(layout.shape()) == 3 && cuda::std::get<0>(layout.stride()) == 4, "layouts");
using tensor_t = nvshmemx::Tensor<float, of_layout>;
constexpr tensor_t tensor(nullptr, layout);
static_assert(tensor._data == nullptr && cuda::std::get<0>(tensor.shape()) == 2, "tensors");
static_assert(cuda::std::get<0>(tensor.layout().stride()) == 4 && cuda::std::get<1>(tensor.stride()) == 1, "tensors");
static_assert(std::is_same<tensor_t::value_type, float>::value, "tensors");
static_assert(std::is_same<tensor_t::layout_type, of_layout>::value, "tensors");
static_assert(std::is_constructible<tensor_t, of_layout>::value, "tensors");
template <class Shape, class Stride>
constexpr size_t size_of = sizeof(nvshmemx::Tensor<float, nvshmemx::Layout<Shape, Stride>>);
using dynamic = nvshmemx::shape<int, int>;
using constants = nvshmemx::shape<ConstInt<64>, ConstInt<128>>;
static_assert(sizeof(of_layout) == 12 && size_of<dynamic, nvshmemx::stride<int, ConstInt<1>>> == 24, "tensors");
static_assert(size_of<dynamic, dynamic> == 24 && size_of<constants, constants> == 16, "tensors");

// Initialisers are constant: a program writes them at file scope.
nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;
nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
nvshmem_team_config_t config = NVSHMEM_TEAM_CONFIG_INITIALIZER;
nvshmemx_region_attrs_t region = NVSHMEMX_REGION_ATTRS_INITIALIZER;
static_assert(nvshmemx_init_attr_t NVSHMEMX_INIT_ATTR_INITIALIZER.version == (2 << 16) + 144, "version of options");
static_assert(nvshmemx_uniqueid_t NVSHMEMX_UNIQUEID_INITIALIZER.version == (1 << 16) + 128, "version of a unique id");
static_assert(nvshmem_team_config_t NVSHMEM_TEAM_CONFIG_INITIALIZER.version == (2 << 16) + 64, "version of a team");

template <class Function, class Type>
constexpr bool is = std::is_same<Function, Type>::value;
#include "signatures.inc"
