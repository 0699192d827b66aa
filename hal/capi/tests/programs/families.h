/* The lists of types, and the prototypes of the functions that exist for each. A half is its 16 bits. */
#define FLOATS_16(X) X(bfloat16, uint16_t) X(half, uint16_t)
#define NUMBERS(X)                                                                                 \
    X(float, float) X(double, double) X(char, char) X(short, short) X(schar, signed char)          \
    X(int, int) X(long, long) X(longlong, long long) X(uchar, unsigned char)                       \
    X(ushort, unsigned short) X(uint, unsigned int) X(ulong, unsigned long)                        \
    X(ulonglong, unsigned long long) X(int8, int8_t) X(int16, int16_t) X(int32, int32_t)           \
    X(int64, int64_t) X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t)                    \
    X(uint64, uint64_t) X(size, size_t)
#define RMA_TYPES(X) FLOATS_16(X) NUMBERS(X) X(ptrdiff, ptrdiff_t)
#define SIZES(X) X(8) X(16) X(32) X(64) X(128)
#define BITWISE_AMO_TYPES(X)                                                                       \
    X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long)                 \
    X(int32, int32_t) X(uint32, uint32_t) X(int64, int64_t) X(uint64, uint64_t)
#define AMO_TYPES(X)                                                                               \
    BITWISE_AMO_TYPES(X) X(int, int) X(long, long) X(longlong, long long) X(size, size_t)          \
    X(ptrdiff, ptrdiff_t)
#define EXTENDED_AMO_TYPES(X) AMO_TYPES(X) X(float, float) X(double, double)
#define WAIT_TYPES(X)                                                                              \
    X(short, short) X(int, int) X(long, long) X(longlong, long long) X(ushort, unsigned short)     \
    X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long)                 \
    X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t)    \
    X(ptrdiff, ptrdiff_t)
#define BITWISE_TYPES(X)                                                                           \
    X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned int)                        \
    X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int8, int8_t) X(int16, int16_t)     \
    X(int32, int32_t) X(int64, int64_t) X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t)  \
    X(uint64, uint64_t) X(size, size_t)

#define DECLARE_RMA(N, T)                                                                          \
    void nvshmem_##N##_p(T *, T, int);                                                             \
    T nvshmem_##N##_g(const T *, int);                                                             \
    void nvshmem_##N##_put(T *, const T *, size_t, int);                                           \
    void nvshmem_##N##_get(T *, const T *, size_t, int);                                           \
    void nvshmem_##N##_put_nbi(T *, const T *, size_t, int);                                       \
    void nvshmem_##N##_get_nbi(T *, const T *, size_t, int);                                       \
    void nvshmem_##N##_iput(T *, const T *, ptrdiff_t, ptrdiff_t, size_t, int);                    \
    void nvshmem_##N##_iget(T *, const T *, ptrdiff_t, ptrdiff_t, size_t, int);                    \
    void nvshmem_##N##_put_signal(T *, const T *, size_t, uint64_t *, uint64_t, int, int);         \
    void nvshmem_##N##_put_signal_nbi(T *, const T *, size_t, uint64_t *, uint64_t, int, int);     \
    int nvshmem_##N##_alltoall(int, T *, const T *, size_t);                                       \
    int nvshmem_##N##_fcollect(int, T *, const T *, size_t);                                       \
    int nvshmem_##N##_broadcast(int, T *, const T *, size_t, int);                                 \
    int nvshmemx_##N##_alltoall_on_stream(int, T *, const T *, size_t, void *);                    \
    int nvshmemx_##N##_fcollect_on_stream(int, T *, const T *, size_t, void *);                    \
    int nvshmemx_##N##_broadcast_on_stream(int, T *, const T *, size_t, int, void *);              \
    void nvshmemx_##N##_p_on_stream(T *, T, int, void *);                                          \
    T nvshmemx_##N##_g_on_stream(const T *, int, void *);                                          \
    void nvshmemx_##N##_put_on_stream(T *, const T *, size_t, int, void *);                        \
    void nvshmemx_##N##_get_on_stream(T *, const T *, size_t, int, void *);                        \
    void nvshmemx_##N##_put_nbi_on_stream(T *, const T *, size_t, int, void *);                    \
    void nvshmemx_##N##_get_nbi_on_stream(T *, const T *, size_t, int, void *);                    \
    void nvshmemx_##N##_iput_on_stream(T *, const T *, ptrdiff_t, ptrdiff_t, size_t, int, void *); \
    void nvshmemx_##N##_iget_on_stream(T *, const T *, ptrdiff_t, ptrdiff_t, size_t, int, void *); \
    void nvshmemx_##N##_put_signal_on_stream(T *, const T *, size_t, uint64_t *, uint64_t, int, int, void *); \
    void nvshmemx_##N##_put_signal_nbi_on_stream(T *, const T *, size_t, uint64_t *, uint64_t, int, int, void *);
RMA_TYPES(DECLARE_RMA)

#define DECLARE_SIZE(B)                                                                            \
    void nvshmem_put##B(void *, const void *, size_t, int);                                        \
    void nvshmem_get##B(void *, const void *, size_t, int);                                        \
    void nvshmem_put##B##_nbi(void *, const void *, size_t, int);                                  \
    void nvshmem_get##B##_nbi(void *, const void *, size_t, int);                                  \
    void nvshmem_iput##B(void *, const void *, ptrdiff_t, ptrdiff_t, size_t, int);                 \
    void nvshmem_iget##B(void *, const void *, ptrdiff_t, ptrdiff_t, size_t, int);                 \
    void nvshmem_put##B##_signal(void *, const void *, size_t, uint64_t *, uint64_t, int, int);    \
    void nvshmem_put##B##_signal_nbi(void *, const void *, size_t, uint64_t *, uint64_t, int, int); \
    void nvshmemx_put##B##_on_stream(void *, const void *, size_t, int, void *);                   \
    void nvshmemx_get##B##_on_stream(void *, const void *, size_t, int, void *);                   \
    void nvshmemx_put##B##_nbi_on_stream(void *, const void *, size_t, int, void *);               \
    void nvshmemx_get##B##_nbi_on_stream(void *, const void *, size_t, int, void *);               \
    void nvshmemx_iput##B##_on_stream(void *, const void *, ptrdiff_t, ptrdiff_t, size_t, int, void *); \
    void nvshmemx_iget##B##_on_stream(void *, const void *, ptrdiff_t, ptrdiff_t, size_t, int, void *); \
    void nvshmemx_put##B##_signal_on_stream(void *, const void *, size_t, uint64_t *, uint64_t, int, int, void *); \
    void nvshmemx_put##B##_signal_nbi_on_stream(void *, const void *, size_t, uint64_t *, uint64_t, int, int, void *);
SIZES(DECLARE_SIZE)

#define DECLARE_AMO(N, T)                                                                          \
    void nvshmem_##N##_atomic_inc(T *, int);                                                       \
    T nvshmem_##N##_atomic_fetch_inc(T *, int);                                                    \
    void nvshmem_##N##_atomic_add(T *, T, int);                                                    \
    T nvshmem_##N##_atomic_fetch_add(T *, T, int);                                                 \
    T nvshmem_##N##_atomic_compare_swap(T *, T, T, int);
AMO_TYPES(DECLARE_AMO)
#define DECLARE_SWAP(N, T)                                                                         \
    T nvshmem_##N##_atomic_fetch(const T *, int);                                                  \
    void nvshmem_##N##_atomic_set(T *, T, int);                                                    \
    T nvshmem_##N##_atomic_swap(T *, T, int);
EXTENDED_AMO_TYPES(DECLARE_SWAP)
DECLARE_SWAP(half, uint16_t)
#define DECLARE_BITS(N, T)                                                                         \
    void nvshmem_##N##_atomic_and(T *, T, int);                                                    \
    void nvshmem_##N##_atomic_or(T *, T, int);                                                     \
    void nvshmem_##N##_atomic_xor(T *, T, int);                                                    \
    T nvshmem_##N##_atomic_fetch_and(T *, T, int);                                                 \
    T nvshmem_##N##_atomic_fetch_or(T *, T, int);                                                  \
    T nvshmem_##N##_atomic_fetch_xor(T *, T, int);
BITWISE_AMO_TYPES(DECLARE_BITS)
#define DECLARE_FLOAT_ADD(N, T)                                                                    \
    void nvshmemx_##N##_atomic_add(T *, T, int);                                                   \
    T nvshmemx_##N##_atomic_fetch_add(T *, T, int);
DECLARE_FLOAT_ADD(half, uint16_t) DECLARE_FLOAT_ADD(float, float) DECLARE_FLOAT_ADD(double, double)

#define DECLARE_WAIT(N, T)                                                                         \
    int nvshmem_##N##_test(T *, int, T);                                                           \
    int nvshmem_##N##_test_all(T *, size_t, const int *, int, T);                                  \
    size_t nvshmem_##N##_test_any(T *, size_t, const int *, int, T);                               \
    size_t nvshmem_##N##_test_some(T *, size_t, size_t *, const int *, int, T);                    \
    int nvshmem_##N##_test_all_vector(T *, size_t, const int *, int, T *);                         \
    size_t nvshmem_##N##_test_any_vector(T *, size_t, const int *, int, T *);                      \
    size_t nvshmem_##N##_test_some_vector(T *, size_t, size_t *, const int *, int, T *);           \
    void nvshmem_##N##_wait_until(T *, int, T);                                                    \
    void nvshmem_##N##_wait_until_all(T *, size_t, const int *, int, T);                           \
    size_t nvshmem_##N##_wait_until_any(T *, size_t, const int *, int, T);                         \
    size_t nvshmem_##N##_wait_until_some(T *, size_t, size_t *, const int *, int, T);              \
    void nvshmem_##N##_wait_until_all_vector(T *, size_t, const int *, int, T *);                  \
    size_t nvshmem_##N##_wait_until_any_vector(T *, size_t, const int *, int, T *);                \
    size_t nvshmem_##N##_wait_until_some_vector(T *, size_t, size_t *, const int *, int, T *);     \
    void nvshmemx_##N##_wait_until_on_stream(T *, int, T, void *);                                 \
    void nvshmemx_##N##_wait_until_all_on_stream(T *, size_t, const int *, int, T, void *);        \
    void nvshmemx_##N##_wait_until_all_vector_on_stream(T *, size_t, const int *, int, T *, void *);
WAIT_TYPES(DECLARE_WAIT)

#define DECLARE_REDUCTION(N, T, OP)                                                                \
    int nvshmem_##N##_##OP##_reduce(int, T *, const T *, size_t);                                  \
    int nvshmem_##N##_##OP##_reducescatter(int, T *, const T *, size_t);                           \
    int nvshmemx_##N##_##OP##_reduce_on_stream(int, T *, const T *, size_t, void *);               \
    int nvshmemx_##N##_##OP##_reducescatter_on_stream(int, T *, const T *, size_t, void *);
#define DECLARE_NUMBER_REDUCTIONS(N, T)                                                            \
    DECLARE_REDUCTION(N, T, min) DECLARE_REDUCTION(N, T, max) DECLARE_REDUCTION(N, T, sum)         \
    DECLARE_REDUCTION(N, T, prod)
#define DECLARE_BITS_REDUCTIONS(N, T)                                                              \
    DECLARE_REDUCTION(N, T, and) DECLARE_REDUCTION(N, T, or) DECLARE_REDUCTION(N, T, xor)
FLOATS_16(DECLARE_NUMBER_REDUCTIONS)
NUMBERS(DECLARE_NUMBER_REDUCTIONS)
BITWISE_TYPES(DECLARE_BITS_REDUCTIONS)

void nvshmemx_signal_op(uint64_t *, uint64_t, int, int);
uint64_t nvshmem_signal_fetch(uint64_t *);
void nvshmemx_signal_counted_reset(uint64_t *);
uint64_t nvshmem_signal_wait_until(uint64_t *, int, uint64_t);
