/* The types and constants of NVSHMEM's interface, for host and device, in C and C++. */
#ifndef OXSHMEM_TYPES_H
#define OXSHMEM_TYPES_H

#include "platform.h"
#include "../non_abi/nvshmem_version.h"

/* The version of the OpenSHMEM specification. */
#define NVSHMEM_MAJOR_VERSION 1
#define NVSHMEM_MINOR_VERSION 3
#define NVSHMEM_VENDOR_VERSION \
    (NVSHMEM_VENDOR_MAJOR_VERSION * 10000 + NVSHMEM_VENDOR_MINOR_VERSION * 100 + NVSHMEM_VENDOR_PATCH_VERSION)
/* The version of the interface, by the name that programs compare, and by which the library names itself; then the
 * library that has it. */
#define NVSHMEM_VENDOR_STRING "NVSHMEM v" NVSHMEM_VENDOR_BASE_VERSION_STRING
#define OXSHMEM_VENDOR_STRING NVSHMEM_VENDOR_STRING " (oxshmem)"
#define NVSHMEM_MAX_NAME_LEN 256

typedef int32_t nvshmem_team_t;
typedef nvshmem_team_t nvshmemx_team_t;
typedef uint64_t nvshmemx_team_uniqueid_t;
typedef int nvshmemx_qp_handle_t;
typedef uint64_t nvshmemx_region_handle_t;

typedef enum nvshmemi_cmp_type {
    NVSHMEM_CMP_EQ = 0,
    NVSHMEM_CMP_NE = 1,
    NVSHMEM_CMP_GT = 2,
    NVSHMEM_CMP_LE = 3,
    NVSHMEM_CMP_LT = 4,
    NVSHMEM_CMP_GE = 5,
    NVSHMEM_CMP_SENTINEL = INT_MAX
} nvshmemx_cmp_type_t;

typedef enum { NVSHMEM_SIGNAL_SET = 9, NVSHMEM_SIGNAL_ADD = 10 } nvshmemx_signal_op_t;

typedef enum nvshmemi_thread_support {
    NVSHMEM_THREAD_SINGLE = 0,
    NVSHMEM_THREAD_FUNNELED = 1,
    NVSHMEM_THREAD_SERIALIZED = 2,
    NVSHMEM_THREAD_MULTIPLE = 3,
    NVSHMEM_THREAD_TYPE_SENTINEL = INT_MAX
} nvshmemx_thread_support_t;

typedef enum {
    NVSHMEM_STATUS_NOT_INITIALIZED = 0,
    NVSHMEM_STATUS_IS_BOOTSTRAPPED = 1,
    NVSHMEM_STATUS_IS_INITIALIZED = 2,
    NVSHMEM_STATUS_LIMITED_MPG = 3,
    NVSHMEM_STATUS_FULL_MPG = 4,
    NVSHMEM_STATUS_INVALID = INT_MAX
} nvshmemx_init_status_t;

typedef enum {
    NVSHMEMX_QP_HOST = 0,
    NVSHMEMX_QP_DEFAULT = 1,
    NVSHMEMX_QP_ANY = INT_MAX,
    NVSHMEMX_QP_ALL = INT_MAX
} nvshmemx_qp_handle_index_t;

typedef enum {
    NVSHMEM_PE_INVALID = -1,
    NVSHMEMX_PE_ANY = 1 << 15,
    NVSHMEMX_PE_ALL = 1 << 15
} nvshmem_pe_index_t;

typedef enum {
    NVSHMEM_TEAM_INVALID = -1,
    NVSHMEM_TEAM_WORLD = 0,
    NVSHMEM_TEAM_WORLD_INDEX = 0,
    NVSHMEM_TEAM_SHARED = 1,
    NVSHMEM_TEAM_SHARED_INDEX = 1,
    NVSHMEMX_TEAM_NODE = 2,
    NVSHMEM_TEAM_NODE_INDEX = 2,
    NVSHMEMX_TEAM_SAME_MYPE_NODE = 3,
    NVSHMEM_TEAM_SAME_MYPE_NODE_INDEX = 3,
    NVSHMEM_TEAM_INDEX_MAX = INT_MAX
} nvshmem_team_id_t;

typedef enum {
    NVSHMEMX_TMA_DISABLE = 0,
    NVSHMEMX_TMA_ENABLE = 1,
    NVSHMEMX_TMA_FORCE = 2,
    NVSHMEMX_TMA_POLICY_MAX = INT_MAX
} nvshmemx_tma_policy_t;

typedef enum nvshmemx_smem_amount_t {
    NVSHMEMX_SMEM_RECOMMENDED = 0,
    NVSHMEMX_SMEM_MINIMUM = 1,
    NVSHMEMX_SMEM_BARRIERS_ONLY = 2,
    NVSHMEMX_SMEM_AMOUNT_MAX = INT_MAX
} nvshmemx_smem_amount_t;

enum nvshmemx_status {
    NVSHMEMX_SUCCESS = 0,
    NVSHMEMX_ERROR_INVALID_VALUE = 1,
    NVSHMEMX_ERROR_OUT_OF_MEMORY = 2,
    NVSHMEMX_ERROR_NOT_SUPPORTED = 3,
    NVSHMEMX_ERROR_SYMMETRY = 4,
    NVSHMEMX_ERROR_GPU_NOT_SELECTED = 5,
    NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED = 6,
    NVSHMEMX_ERROR_INTERNAL = 7,
    NVSHMEMX_ERROR_SENTINEL = INT_MAX
};

/* Flags of nvshmemx_init_attr. */
enum flags {
    NVSHMEMX_INIT_THREAD_PES = 1,
    NVSHMEMX_INIT_WITH_MPI_COMM = 1 << 1,
    NVSHMEMX_INIT_WITH_SHMEM = 1 << 2,
    NVSHMEMX_INIT_WITH_UNIQUEID = 1 << 3,
    NVSHMEMX_INIT_MAX = (int)(1u << 31)
};

/* The version of a struct: the number of its form, and its size. */
#define OXSHMEM_STRUCT_VERSION(form, type) (int)(((form) << 16) + sizeof(type))

typedef struct {
    int version;
    char internal[124];
} nvshmemx_uniqueid_v1;
typedef nvshmemx_uniqueid_v1 nvshmemx_uniqueid_t;
#define NVSHMEMX_UNIQUEID_INITIALIZER {OXSHMEM_STRUCT_VERSION(1, nvshmemx_uniqueid_t), {0}}

typedef struct {
    int version;
    nvshmemx_uniqueid_v1 *id;
    int myrank;
    int nranks;
} nvshmemx_uniqueid_args_v1;
typedef nvshmemx_uniqueid_args_v1 nvshmemx_uniqueid_args_t;
#define NVSHMEMX_UNIQUEID_ARGS_INITIALIZER {OXSHMEM_STRUCT_VERSION(1, nvshmemx_uniqueid_args_t), NULL, -1, -1}

typedef struct {
    int version;
    nvshmemx_uniqueid_args_t uid_args;
    char content[96];
} nvshmemx_init_args_v1;
typedef struct {
    int version;
    nvshmemx_uniqueid_args_t uid_args;
    int cuda_device_id;
    char content[92];
} nvshmemx_init_args_v2;
typedef nvshmemx_init_args_v2 nvshmemx_init_args_t;
#define NVSHMEMX_INIT_ARGS_INITIALIZER \
    {OXSHMEM_STRUCT_VERSION(1, nvshmemx_init_args_t), NVSHMEMX_UNIQUEID_ARGS_INITIALIZER, 0, {0}}
#define NVSHMEMX_INIT_ARGS_V2_INITIALIZER \
    {OXSHMEM_STRUCT_VERSION(2, nvshmemx_init_args_t), NVSHMEMX_UNIQUEID_ARGS_INITIALIZER, -1, {0}}

typedef struct {
    int version;
    void *mpi_comm;
    nvshmemx_init_args_t args;
} nvshmemx_init_attr_v1;
typedef struct {
    int version;
    void *mpi_comm;
    nvshmemx_init_args_t args;
} nvshmemx_init_attr_v2;
typedef nvshmemx_init_attr_v2 nvshmemx_init_attr_t;
#define NVSHMEM_INIT_ATTR_V1_IDENTIFIER OXSHMEM_STRUCT_VERSION(1, nvshmemx_init_attr_t)
#define NVSHMEM_INIT_ATTR_V2_IDENTIFIER OXSHMEM_STRUCT_VERSION(2, nvshmemx_init_attr_t)
#define NVSHMEMX_INIT_ATTR_INITIALIZER {NVSHMEM_INIT_ATTR_V2_IDENTIFIER, NULL, NVSHMEMX_INIT_ARGS_V2_INITIALIZER}
#define NVSHMEMX_INIT_ATTR_V1_INITIALIZER {NVSHMEM_INIT_ATTR_V1_IDENTIFIER, NULL, NVSHMEMX_INIT_ARGS_INITIALIZER}

typedef struct {
    int version;
    int num_contexts;
    char padding[56];
} nvshmem_team_config_v1;
typedef struct {
    int version;
    int num_contexts;
    nvshmemx_team_uniqueid_t uniqueid;
    char padding[48];
} nvshmem_team_config_v2;
typedef nvshmem_team_config_v2 nvshmem_team_config_t;
#define NVSHMEM_TEAM_CONFIG_INITIALIZER {OXSHMEM_STRUCT_VERSION(2, nvshmem_team_config_t), -1, UINT64_MAX, {0}}
#define NVSHMEM_TEAM_UNIQUID_INITIALIZER UINT64_MAX
#define NVSHMEM_TEAM_CONFIG_MASK_NUM_CONTEXTS 0x0000000000000001
#define NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID 0x0000000000000002

typedef enum { NVSHMEMX_REGION_HINT_NONE = 0, NVSHMEMX_REGION_HINT_BATCH_RMA = 1u << 0 } nvshmemx_region_hint_t;
typedef struct nvshmemx_region_attrs {
    uint32_t hints;
    char reserved[60];
} nvshmemx_region_attrs_t;
#define NVSHMEMX_REGION_ATTRS_INITIALIZER {NVSHMEMX_REGION_HINT_NONE, {0}}

/* Returns the shared memory in bytes with which a block's copies have their full rate, or the least that is of use. */
static inline OXSHMEM_BOTH int nvshmemx_ask_smem(nvshmemx_smem_amount_t flag) {
    return flag == NVSHMEMX_SMEM_BARRIERS_ONLY ? 1136 : flag == NVSHMEMX_SMEM_MINIMUM ? 32768 : 65536;
}

#if !defined __CUDACC_RTC__
/* Returns the name of a status of `enum nvshmemx_status`. */
static inline const char *nvshmemx_status_string(int status) {
    switch (status) {
        case NVSHMEMX_SUCCESS: return "NVSHMEMX_SUCCESS";
        case NVSHMEMX_ERROR_INVALID_VALUE: return "NVSHMEMX_ERROR_INVALID_VALUE";
        case NVSHMEMX_ERROR_OUT_OF_MEMORY: return "NVSHMEMX_ERROR_OUT_OF_MEMORY";
        case NVSHMEMX_ERROR_NOT_SUPPORTED: return "NVSHMEMX_ERROR_NOT_SUPPORTED";
        case NVSHMEMX_ERROR_SYMMETRY: return "NVSHMEMX_ERROR_SYMMETRY";
        case NVSHMEMX_ERROR_GPU_NOT_SELECTED: return "NVSHMEMX_ERROR_GPU_NOT_SELECTED";
        case NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED: return "NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED";
        case NVSHMEMX_ERROR_INTERNAL: return "NVSHMEMX_ERROR_INTERNAL";
        default: return "NVSHMEMX_ERROR_<unknown>";
    }
}
#endif

#endif
