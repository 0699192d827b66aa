/* Names that are not of NVSHMEM's public interface, but programs use them. */
#ifndef OXSHMEM_PRIVATE_H
#define OXSHMEM_PRIVATE_H

#include "types.h"

typedef struct {
    int major;
    int minor;
    int patch;
} nvshmemi_version_t;
typedef int (*nvshmemx_device_lib_init_cb)(void **state, void **state_of_transport);

#if !defined __CUDACC_RTC__
OXSHMEM_BEGIN_C
/* The start and end of the host library, as NVSHMEM's device library calls them. */
int nvshmemid_hostlib_init_attr(int requested, int *provided, unsigned int flags, nvshmemx_init_attr_t *attr,
                                nvshmemi_version_t device_library, nvshmemx_device_lib_init_cb state);
void nvshmemid_hostlib_finalize(void *state, void *state_of_transport);
int nvshmemid_init_status(void);
OXSHMEM_END_C
#endif

/* Macros for a program's checks: they print their place and a message in the form of printf, and end the program, leave
 * the function or jump to a label. */
#define NVSHMEMI_UNUSED_ARG(arg) (void)(arg)

#if defined __CUDACC_RTC__
/* NVRTC's programs have no streams of files. */
#define OXSHMEM_SAY(stream, before, ...)
#define OXSHMEM_SAY_STATUS(status, ...)
#define OXSHMEM_EXIT() __trap()
#else
#define OXSHMEM_SAY(stream, before, ...)    \
    do {                                    \
        fprintf before;                     \
        fprintf(stream, __VA_ARGS__);       \
        fputc('\n', stream);                \
    } while (0)
#define OXSHMEM_SAY_STATUS(status, ...)                                                                            \
    OXSHMEM_SAY(stderr,                                                                                            \
                (stderr, "%s:%d: status %d (%s): ", __FILE__, __LINE__, (int)(status), nvshmemx_status_string(status)), \
                __VA_ARGS__)
#define OXSHMEM_EXIT() exit(-1)
#endif

#define NVSHMEMI_ERROR_PRINT(...) \
    OXSHMEM_SAY(stderr, (stderr, "%s:%d: %s: ", __FILE__, __LINE__, __func__), __VA_ARGS__)
#define NVSHMEMI_WARN_PRINT(...) OXSHMEM_SAY(stdout, (stdout, "WARN: "), __VA_ARGS__)
#define NVSHMEMI_ERROR_EXIT(...)           \
    do {                                   \
        NVSHMEMI_ERROR_PRINT(__VA_ARGS__); \
        OXSHMEM_EXIT();                    \
    } while (0)

/* Ends the program if a status is not 0. */
#define NVSHMEMI_NZ_EXIT(status, ...)                 \
    do {                                              \
        if ((status) != 0) {                          \
            OXSHMEM_SAY_STATUS(status, __VA_ARGS__);  \
            OXSHMEM_EXIT();                           \
        }                                             \
    } while (0)
#define NONZERO_EXIT NVSHMEMI_NZ_EXIT

/* The same with the number of an error of the system. */
#if defined __CUDACC_RTC__
#define NVSHMEMI_NZ_SYSCHECK_EXIT NVSHMEMI_NZ_EXIT
#else
#define NVSHMEMI_NZ_SYSCHECK_EXIT(number, ...)                                                                       \
    do {                                                                                                             \
        if ((number) != 0) {                                                                                         \
            OXSHMEM_SAY(stderr, (stderr, "%s:%d: error %d (%s): ", __FILE__, __LINE__, (int)(number), strerror(number)), \
                        __VA_ARGS__);                                                                                \
            OXSHMEM_EXIT();                                                                                          \
        }                                                                                                            \
    } while (0)
#endif

/* Under a condition, stores `err` in `status` and leaves the function, or goes to a label. */
#define OXSHMEM_LEAVE_IF(condition, shown, status, err, leave, ...) \
    do {                                                            \
        if (condition) {                                            \
            OXSHMEM_SAY_STATUS(shown, __VA_ARGS__);                 \
            status = err;                                           \
            leave;                                                  \
        }                                                           \
    } while (0)
#define NVSHMEMI_ERROR_JMP(status, err, label, ...) OXSHMEM_LEAVE_IF(1, err, status, err, goto label, __VA_ARGS__)
#define NVSHMEMI_NULL_ERROR_JMP(var, status, err, label, ...) \
    OXSHMEM_LEAVE_IF((var) == NULL, err, status, err, goto label, __VA_ARGS__)
#define NVSHMEMI_EQ_ERROR_JMP(status, expected, err, label, ...) \
    OXSHMEM_LEAVE_IF((status) == (expected), status, status, err, goto label, __VA_ARGS__)
#define NVSHMEMI_NE_ERROR_JMP(status, expected, err, label, ...) \
    OXSHMEM_LEAVE_IF((status) != (expected), status, status, err, goto label, __VA_ARGS__)
#define NVSHMEMI_NZ_ERROR_JMP(status, err, label, ...) \
    OXSHMEM_LEAVE_IF((status) != 0, status, status, err, goto label, __VA_ARGS__)
#define NVSHMEMI_CHECK_ERROR_JMP(condition, status, err, label, ...) \
    OXSHMEM_LEAVE_IF(condition, err, status, err, goto label, __VA_ARGS__)
#define NVSHMEMI_ERROR_RET(status, err, ...) OXSHMEM_LEAVE_IF(1, err, status, err, return status, __VA_ARGS__)
#define NVSHMEMI_NULL_ERROR_RET(var, status, err, ...) \
    OXSHMEM_LEAVE_IF((var) == NULL, err, status, err, return status, __VA_ARGS__)
#define NVSHMEMI_NZ_ERROR_RET(status, err, ...) \
    OXSHMEM_LEAVE_IF((status) != 0, status, status, err, return status, __VA_ARGS__)
#define NVSHMEMI_NE_ERROR_RET(status, expected, err, ...) \
    OXSHMEM_LEAVE_IF((status) != (expected), status, status, err, return status, __VA_ARGS__)

#endif
