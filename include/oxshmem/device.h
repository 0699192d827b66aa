/* Made by `cargo xtask capi --headers`. */
/* NVSHMEM's functions for the device. */
#ifndef OXSHMEM_DEVICE_H
#define OXSHMEM_DEVICE_H

#include "core.h"

extern "C" {
#if defined __CUDA_ARCH__
static OXSHMEM_BOTH __forceinline__ void nvshmem_global_exit(int status) { oxshmem_global_exit(status); __trap(); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_my_pe(void) { return (int)oxshmem_world.my_pe; }
static OXSHMEM_BOTH __forceinline__ int nvshmem_n_pes(void) { return (int)oxshmem_world.n_pes; }
static OXSHMEM_BOTH __forceinline__ void nvshmem_info_get_version(int *major, int *minor) { *major = NVSHMEM_MAJOR_VERSION; *minor = NVSHMEM_MINOR_VERSION; }
static OXSHMEM_BOTH __forceinline__ void nvshmem_info_get_name(char *name) { oxshmem_c::copy_name(name); }
static OXSHMEM_BOTH __forceinline__ void nvshmemx_vendor_get_version_info(int *major, int *minor, int *patch) { *major = NVSHMEM_VENDOR_MAJOR_VERSION; *minor = NVSHMEM_VENDOR_MINOR_VERSION; *patch = NVSHMEM_VENDOR_PATCH_VERSION; }
static OXSHMEM_BOTH __forceinline__ int nvshmemx_region_is_active(uint32_t hints, int *active) { return oxshmem_c::region_is_active(hints, active); }
static __device__ __forceinline__ int nvshmemx_region_start_block(nvshmemx_region_handle_t *handle, const nvshmemx_region_attrs_t *attrs) { return oxshmem_c::region_start(handle, attrs); }
static __device__ __forceinline__ int nvshmemx_region_stop_block(nvshmemx_region_handle_t handle) { return oxshmem_c::region_stop(handle); }
static OXSHMEM_BOTH __forceinline__ void *nvshmem_ptr(const void *ptr, int pe) { return oxshmem_c::ptr(ptr, pe); }
static OXSHMEM_BOTH __forceinline__ void *nvshmemx_mc_ptr(nvshmem_team_t team, const void *ptr) { (void)team; (void)ptr; return nullptr; }
static __device__ __forceinline__ void nvshmemx_give_smem(void *smem, size_t size) { oxshmem_c::give_smem(smem, size); }
static __device__ __forceinline__ void nvshmemx_release_smem(void) { oxshmem_c::release_smem(); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_bfloat16_p(__nv_bfloat16 *dest, const __nv_bfloat16 value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_half_p(half *dest, const half value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_float_p(float *dest, const float value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_double_p(double *dest, const double value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_char_p(char *dest, const char value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_short_p(short *dest, const short value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_schar_p(signed char *dest, const signed char value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int_p(int *dest, const int value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_long_p(long *dest, const long value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_longlong_p(long long *dest, const long long value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uchar_p(unsigned char *dest, const unsigned char value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ushort_p(unsigned short *dest, const unsigned short value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint_p(unsigned int *dest, const unsigned int value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulong_p(unsigned long *dest, const unsigned long value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulonglong_p(unsigned long long *dest, const unsigned long long value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int8_p(int8_t *dest, const int8_t value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int16_p(int16_t *dest, const int16_t value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int32_p(int32_t *dest, const int32_t value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int64_p(int64_t *dest, const int64_t value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint8_p(uint8_t *dest, const uint8_t value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint16_p(uint16_t *dest, const uint16_t value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint32_p(uint32_t *dest, const uint32_t value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint64_p(uint64_t *dest, const uint64_t value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_size_p(size_t *dest, const size_t value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ptrdiff_p(ptrdiff_t *dest, const ptrdiff_t value, int pe) { oxshmem_c::p(dest, value, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ __nv_bfloat16 nvshmem_bfloat16_g(const __nv_bfloat16 *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ half nvshmem_half_g(const half *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ float nvshmem_float_g(const float *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ double nvshmem_double_g(const double *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ char nvshmem_char_g(const char *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ short nvshmem_short_g(const short *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ signed char nvshmem_schar_g(const signed char *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int_g(const int *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ long nvshmem_long_g(const long *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ long long nvshmem_longlong_g(const long long *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ unsigned char nvshmem_uchar_g(const unsigned char *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ unsigned short nvshmem_ushort_g(const unsigned short *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ unsigned int nvshmem_uint_g(const unsigned int *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ unsigned long nvshmem_ulong_g(const unsigned long *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ unsigned long long nvshmem_ulonglong_g(const unsigned long long *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ int8_t nvshmem_int8_g(const int8_t *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ int16_t nvshmem_int16_g(const int16_t *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ int32_t nvshmem_int32_g(const int32_t *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ int64_t nvshmem_int64_g(const int64_t *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ uint8_t nvshmem_uint8_g(const uint8_t *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ uint16_t nvshmem_uint16_g(const uint16_t *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ uint32_t nvshmem_uint32_g(const uint32_t *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ uint64_t nvshmem_uint64_g(const uint64_t *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ size_t nvshmem_size_g(const size_t *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ ptrdiff_t nvshmem_ptrdiff_g(const ptrdiff_t *source, int pe) { return oxshmem_c::g(source, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_bfloat16_put(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_half_put(half *dest, const half *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_float_put(float *dest, const float *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_double_put(double *dest, const double *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_char_put(char *dest, const char *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_short_put(short *dest, const short *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_schar_put(signed char *dest, const signed char *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int_put(int *dest, const int *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_long_put(long *dest, const long *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_longlong_put(long long *dest, const long long *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uchar_put(unsigned char *dest, const unsigned char *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ushort_put(unsigned short *dest, const unsigned short *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint_put(unsigned int *dest, const unsigned int *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulong_put(unsigned long *dest, const unsigned long *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulonglong_put(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int8_put(int8_t *dest, const int8_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int16_put(int16_t *dest, const int16_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int32_put(int32_t *dest, const int32_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int64_put(int64_t *dest, const int64_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint8_put(uint8_t *dest, const uint8_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint16_put(uint16_t *dest, const uint16_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint32_put(uint32_t *dest, const uint32_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint64_put(uint64_t *dest, const uint64_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_size_put(size_t *dest, const size_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ptrdiff_put(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_bfloat16_put_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_half_put_warp(half *dest, const half *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_float_put_warp(float *dest, const float *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_double_put_warp(double *dest, const double *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_char_put_warp(char *dest, const char *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_short_put_warp(short *dest, const short *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_schar_put_warp(signed char *dest, const signed char *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int_put_warp(int *dest, const int *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_long_put_warp(long *dest, const long *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_longlong_put_warp(long long *dest, const long long *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uchar_put_warp(unsigned char *dest, const unsigned char *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ushort_put_warp(unsigned short *dest, const unsigned short *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint_put_warp(unsigned int *dest, const unsigned int *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ulong_put_warp(unsigned long *dest, const unsigned long *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ulonglong_put_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int8_put_warp(int8_t *dest, const int8_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int16_put_warp(int16_t *dest, const int16_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int32_put_warp(int32_t *dest, const int32_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int64_put_warp(int64_t *dest, const int64_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint8_put_warp(uint8_t *dest, const uint8_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint16_put_warp(uint16_t *dest, const uint16_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint32_put_warp(uint32_t *dest, const uint32_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint64_put_warp(uint64_t *dest, const uint64_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_size_put_warp(size_t *dest, const size_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ptrdiff_put_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_bfloat16_put_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_half_put_block(half *dest, const half *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_float_put_block(float *dest, const float *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_double_put_block(double *dest, const double *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_char_put_block(char *dest, const char *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_short_put_block(short *dest, const short *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_schar_put_block(signed char *dest, const signed char *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int_put_block(int *dest, const int *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_long_put_block(long *dest, const long *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_longlong_put_block(long long *dest, const long long *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uchar_put_block(unsigned char *dest, const unsigned char *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ushort_put_block(unsigned short *dest, const unsigned short *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint_put_block(unsigned int *dest, const unsigned int *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ulong_put_block(unsigned long *dest, const unsigned long *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ulonglong_put_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int8_put_block(int8_t *dest, const int8_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int16_put_block(int16_t *dest, const int16_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int32_put_block(int32_t *dest, const int32_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int64_put_block(int64_t *dest, const int64_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint8_put_block(uint8_t *dest, const uint8_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint16_put_block(uint16_t *dest, const uint16_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint32_put_block(uint32_t *dest, const uint32_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint64_put_block(uint64_t *dest, const uint64_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_size_put_block(size_t *dest, const size_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ptrdiff_put_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_put8(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_put16(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_put32(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_put64(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_put128(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 16, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put8_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put16_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put32_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put64_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put128_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 16, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put8_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put16_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put32_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put64_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put128_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 16, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_putmem(void *dest, const void *source, size_t bytes, int pe) { oxshmem_c::put(dest, source, bytes, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_putmem_warp(void *dest, const void *source, size_t bytes, int pe) { oxshmem_c::put_warp(dest, source, bytes, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_putmem_block(void *dest, const void *source, size_t bytes, int pe) { oxshmem_c::put_block(dest, source, bytes, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_bfloat16_put_nbi(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_half_put_nbi(half *dest, const half *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_float_put_nbi(float *dest, const float *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_double_put_nbi(double *dest, const double *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_char_put_nbi(char *dest, const char *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_short_put_nbi(short *dest, const short *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_schar_put_nbi(signed char *dest, const signed char *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int_put_nbi(int *dest, const int *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_long_put_nbi(long *dest, const long *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_longlong_put_nbi(long long *dest, const long long *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uchar_put_nbi(unsigned char *dest, const unsigned char *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ushort_put_nbi(unsigned short *dest, const unsigned short *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint_put_nbi(unsigned int *dest, const unsigned int *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulong_put_nbi(unsigned long *dest, const unsigned long *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulonglong_put_nbi(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int8_put_nbi(int8_t *dest, const int8_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int16_put_nbi(int16_t *dest, const int16_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int32_put_nbi(int32_t *dest, const int32_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int64_put_nbi(int64_t *dest, const int64_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint8_put_nbi(uint8_t *dest, const uint8_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint16_put_nbi(uint16_t *dest, const uint16_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint32_put_nbi(uint32_t *dest, const uint32_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint64_put_nbi(uint64_t *dest, const uint64_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_size_put_nbi(size_t *dest, const size_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ptrdiff_put_nbi(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_bfloat16_put_nbi_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_half_put_nbi_warp(half *dest, const half *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_float_put_nbi_warp(float *dest, const float *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_double_put_nbi_warp(double *dest, const double *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_char_put_nbi_warp(char *dest, const char *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_short_put_nbi_warp(short *dest, const short *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_schar_put_nbi_warp(signed char *dest, const signed char *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int_put_nbi_warp(int *dest, const int *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_long_put_nbi_warp(long *dest, const long *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_longlong_put_nbi_warp(long long *dest, const long long *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uchar_put_nbi_warp(unsigned char *dest, const unsigned char *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ushort_put_nbi_warp(unsigned short *dest, const unsigned short *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint_put_nbi_warp(unsigned int *dest, const unsigned int *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ulong_put_nbi_warp(unsigned long *dest, const unsigned long *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ulonglong_put_nbi_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int8_put_nbi_warp(int8_t *dest, const int8_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int16_put_nbi_warp(int16_t *dest, const int16_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int32_put_nbi_warp(int32_t *dest, const int32_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int64_put_nbi_warp(int64_t *dest, const int64_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint8_put_nbi_warp(uint8_t *dest, const uint8_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint16_put_nbi_warp(uint16_t *dest, const uint16_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint32_put_nbi_warp(uint32_t *dest, const uint32_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint64_put_nbi_warp(uint64_t *dest, const uint64_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_size_put_nbi_warp(size_t *dest, const size_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ptrdiff_put_nbi_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_bfloat16_put_nbi_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_half_put_nbi_block(half *dest, const half *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_float_put_nbi_block(float *dest, const float *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_double_put_nbi_block(double *dest, const double *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_char_put_nbi_block(char *dest, const char *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_short_put_nbi_block(short *dest, const short *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_schar_put_nbi_block(signed char *dest, const signed char *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int_put_nbi_block(int *dest, const int *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_long_put_nbi_block(long *dest, const long *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_longlong_put_nbi_block(long long *dest, const long long *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uchar_put_nbi_block(unsigned char *dest, const unsigned char *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ushort_put_nbi_block(unsigned short *dest, const unsigned short *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint_put_nbi_block(unsigned int *dest, const unsigned int *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ulong_put_nbi_block(unsigned long *dest, const unsigned long *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ulonglong_put_nbi_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int8_put_nbi_block(int8_t *dest, const int8_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int16_put_nbi_block(int16_t *dest, const int16_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int32_put_nbi_block(int32_t *dest, const int32_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int64_put_nbi_block(int64_t *dest, const int64_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint8_put_nbi_block(uint8_t *dest, const uint8_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint16_put_nbi_block(uint16_t *dest, const uint16_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint32_put_nbi_block(uint32_t *dest, const uint32_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint64_put_nbi_block(uint64_t *dest, const uint64_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_size_put_nbi_block(size_t *dest, const size_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ptrdiff_put_nbi_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_put8_nbi(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_put16_nbi(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_put32_nbi(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_put64_nbi(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_put128_nbi(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put(dest, source, nelems * 16, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put8_nbi_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put16_nbi_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put32_nbi_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put64_nbi_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put128_nbi_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_warp(dest, source, nelems * 16, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put8_nbi_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put16_nbi_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put32_nbi_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put64_nbi_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put128_nbi_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::put_block(dest, source, nelems * 16, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_putmem_nbi(void *dest, const void *source, size_t bytes, int pe) { oxshmem_c::put(dest, source, bytes, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_putmem_nbi_warp(void *dest, const void *source, size_t bytes, int pe) { oxshmem_c::put_warp(dest, source, bytes, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_putmem_nbi_block(void *dest, const void *source, size_t bytes, int pe) { oxshmem_c::put_block(dest, source, bytes, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_bfloat16_get(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_half_get(half *dest, const half *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_float_get(float *dest, const float *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_double_get(double *dest, const double *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_char_get(char *dest, const char *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_short_get(short *dest, const short *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_schar_get(signed char *dest, const signed char *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int_get(int *dest, const int *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_long_get(long *dest, const long *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_longlong_get(long long *dest, const long long *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uchar_get(unsigned char *dest, const unsigned char *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ushort_get(unsigned short *dest, const unsigned short *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint_get(unsigned int *dest, const unsigned int *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulong_get(unsigned long *dest, const unsigned long *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulonglong_get(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int8_get(int8_t *dest, const int8_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int16_get(int16_t *dest, const int16_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int32_get(int32_t *dest, const int32_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int64_get(int64_t *dest, const int64_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint8_get(uint8_t *dest, const uint8_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint16_get(uint16_t *dest, const uint16_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint32_get(uint32_t *dest, const uint32_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint64_get(uint64_t *dest, const uint64_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_size_get(size_t *dest, const size_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ptrdiff_get(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_bfloat16_get_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_half_get_warp(half *dest, const half *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_float_get_warp(float *dest, const float *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_double_get_warp(double *dest, const double *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_char_get_warp(char *dest, const char *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_short_get_warp(short *dest, const short *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_schar_get_warp(signed char *dest, const signed char *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int_get_warp(int *dest, const int *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_long_get_warp(long *dest, const long *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_longlong_get_warp(long long *dest, const long long *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uchar_get_warp(unsigned char *dest, const unsigned char *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ushort_get_warp(unsigned short *dest, const unsigned short *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint_get_warp(unsigned int *dest, const unsigned int *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ulong_get_warp(unsigned long *dest, const unsigned long *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ulonglong_get_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int8_get_warp(int8_t *dest, const int8_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int16_get_warp(int16_t *dest, const int16_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int32_get_warp(int32_t *dest, const int32_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int64_get_warp(int64_t *dest, const int64_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint8_get_warp(uint8_t *dest, const uint8_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint16_get_warp(uint16_t *dest, const uint16_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint32_get_warp(uint32_t *dest, const uint32_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint64_get_warp(uint64_t *dest, const uint64_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_size_get_warp(size_t *dest, const size_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ptrdiff_get_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_bfloat16_get_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_half_get_block(half *dest, const half *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_float_get_block(float *dest, const float *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_double_get_block(double *dest, const double *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_char_get_block(char *dest, const char *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_short_get_block(short *dest, const short *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_schar_get_block(signed char *dest, const signed char *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int_get_block(int *dest, const int *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_long_get_block(long *dest, const long *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_longlong_get_block(long long *dest, const long long *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uchar_get_block(unsigned char *dest, const unsigned char *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ushort_get_block(unsigned short *dest, const unsigned short *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint_get_block(unsigned int *dest, const unsigned int *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ulong_get_block(unsigned long *dest, const unsigned long *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ulonglong_get_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int8_get_block(int8_t *dest, const int8_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int16_get_block(int16_t *dest, const int16_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int32_get_block(int32_t *dest, const int32_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int64_get_block(int64_t *dest, const int64_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint8_get_block(uint8_t *dest, const uint8_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint16_get_block(uint16_t *dest, const uint16_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint32_get_block(uint32_t *dest, const uint32_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint64_get_block(uint64_t *dest, const uint64_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_size_get_block(size_t *dest, const size_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ptrdiff_get_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_get8(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_get16(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_get32(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_get64(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_get128(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 16, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_get8_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_get16_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_get32_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_get64_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_get128_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 16, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_get8_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_get16_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_get32_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_get64_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_get128_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 16, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_getmem(void *dest, const void *source, size_t bytes, int pe) { oxshmem_c::get(dest, source, bytes, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_getmem_warp(void *dest, const void *source, size_t bytes, int pe) { oxshmem_c::get_warp(dest, source, bytes, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_getmem_block(void *dest, const void *source, size_t bytes, int pe) { oxshmem_c::get_block(dest, source, bytes, pe, NVSHMEMX_QP_DEFAULT, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_bfloat16_get_nbi(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_half_get_nbi(half *dest, const half *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_float_get_nbi(float *dest, const float *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_double_get_nbi(double *dest, const double *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_char_get_nbi(char *dest, const char *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_short_get_nbi(short *dest, const short *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_schar_get_nbi(signed char *dest, const signed char *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int_get_nbi(int *dest, const int *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_long_get_nbi(long *dest, const long *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_longlong_get_nbi(long long *dest, const long long *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uchar_get_nbi(unsigned char *dest, const unsigned char *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ushort_get_nbi(unsigned short *dest, const unsigned short *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint_get_nbi(unsigned int *dest, const unsigned int *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulong_get_nbi(unsigned long *dest, const unsigned long *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulonglong_get_nbi(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int8_get_nbi(int8_t *dest, const int8_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int16_get_nbi(int16_t *dest, const int16_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int32_get_nbi(int32_t *dest, const int32_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int64_get_nbi(int64_t *dest, const int64_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint8_get_nbi(uint8_t *dest, const uint8_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint16_get_nbi(uint16_t *dest, const uint16_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint32_get_nbi(uint32_t *dest, const uint32_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint64_get_nbi(uint64_t *dest, const uint64_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_size_get_nbi(size_t *dest, const size_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ptrdiff_get_nbi(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_bfloat16_get_nbi_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_half_get_nbi_warp(half *dest, const half *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_float_get_nbi_warp(float *dest, const float *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_double_get_nbi_warp(double *dest, const double *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_char_get_nbi_warp(char *dest, const char *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_short_get_nbi_warp(short *dest, const short *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_schar_get_nbi_warp(signed char *dest, const signed char *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int_get_nbi_warp(int *dest, const int *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_long_get_nbi_warp(long *dest, const long *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_longlong_get_nbi_warp(long long *dest, const long long *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uchar_get_nbi_warp(unsigned char *dest, const unsigned char *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ushort_get_nbi_warp(unsigned short *dest, const unsigned short *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint_get_nbi_warp(unsigned int *dest, const unsigned int *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ulong_get_nbi_warp(unsigned long *dest, const unsigned long *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ulonglong_get_nbi_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int8_get_nbi_warp(int8_t *dest, const int8_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int16_get_nbi_warp(int16_t *dest, const int16_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int32_get_nbi_warp(int32_t *dest, const int32_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int64_get_nbi_warp(int64_t *dest, const int64_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint8_get_nbi_warp(uint8_t *dest, const uint8_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint16_get_nbi_warp(uint16_t *dest, const uint16_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint32_get_nbi_warp(uint32_t *dest, const uint32_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint64_get_nbi_warp(uint64_t *dest, const uint64_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_size_get_nbi_warp(size_t *dest, const size_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ptrdiff_get_nbi_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_bfloat16_get_nbi_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_half_get_nbi_block(half *dest, const half *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_float_get_nbi_block(float *dest, const float *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_double_get_nbi_block(double *dest, const double *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_char_get_nbi_block(char *dest, const char *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_short_get_nbi_block(short *dest, const short *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_schar_get_nbi_block(signed char *dest, const signed char *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int_get_nbi_block(int *dest, const int *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_long_get_nbi_block(long *dest, const long *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_longlong_get_nbi_block(long long *dest, const long long *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uchar_get_nbi_block(unsigned char *dest, const unsigned char *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ushort_get_nbi_block(unsigned short *dest, const unsigned short *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint_get_nbi_block(unsigned int *dest, const unsigned int *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ulong_get_nbi_block(unsigned long *dest, const unsigned long *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ulonglong_get_nbi_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int8_get_nbi_block(int8_t *dest, const int8_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int16_get_nbi_block(int16_t *dest, const int16_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int32_get_nbi_block(int32_t *dest, const int32_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int64_get_nbi_block(int64_t *dest, const int64_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint8_get_nbi_block(uint8_t *dest, const uint8_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint16_get_nbi_block(uint16_t *dest, const uint16_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint32_get_nbi_block(uint32_t *dest, const uint32_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint64_get_nbi_block(uint64_t *dest, const uint64_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_size_get_nbi_block(size_t *dest, const size_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ptrdiff_get_nbi_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_get8_nbi(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_get16_nbi(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_get32_nbi(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_get64_nbi(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_get128_nbi(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get(dest, source, nelems * 16, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_get8_nbi_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_get16_nbi_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_get32_nbi_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_get64_nbi_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_get128_nbi_warp(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_warp(dest, source, nelems * 16, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_get8_nbi_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 1, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_get16_nbi_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 2, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_get32_nbi_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 4, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_get64_nbi_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 8, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_get128_nbi_block(void *dest, const void *source, size_t nelems, int pe) { oxshmem_c::get_block(dest, source, nelems * 16, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_getmem_nbi(void *dest, const void *source, size_t bytes, int pe) { oxshmem_c::get(dest, source, bytes, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_getmem_nbi_warp(void *dest, const void *source, size_t bytes, int pe) { oxshmem_c::get_warp(dest, source, bytes, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_getmem_nbi_block(void *dest, const void *source, size_t bytes, int pe) { oxshmem_c::get_block(dest, source, bytes, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_bfloat16_iput(__nv_bfloat16 *dest, const __nv_bfloat16 *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<2>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_half_iput(half *dest, const half *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<2>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_float_iput(float *dest, const float *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<4>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_double_iput(double *dest, const double *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_char_iput(char *dest, const char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<1>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_short_iput(short *dest, const short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<2>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_schar_iput(signed char *dest, const signed char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<1>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int_iput(int *dest, const int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<4>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_long_iput(long *dest, const long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_longlong_iput(long long *dest, const long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uchar_iput(unsigned char *dest, const unsigned char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<1>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ushort_iput(unsigned short *dest, const unsigned short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<2>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint_iput(unsigned int *dest, const unsigned int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<4>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulong_iput(unsigned long *dest, const unsigned long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulonglong_iput(unsigned long long *dest, const unsigned long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int8_iput(int8_t *dest, const int8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<1>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int16_iput(int16_t *dest, const int16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<2>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int32_iput(int32_t *dest, const int32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<4>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int64_iput(int64_t *dest, const int64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint8_iput(uint8_t *dest, const uint8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<1>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint16_iput(uint16_t *dest, const uint16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<2>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint32_iput(uint32_t *dest, const uint32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<4>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint64_iput(uint64_t *dest, const uint64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_size_iput(size_t *dest, const size_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ptrdiff_iput(ptrdiff_t *dest, const ptrdiff_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_bfloat16_iput_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_half_iput_warp(half *dest, const half *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_float_iput_warp(float *dest, const float *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_double_iput_warp(double *dest, const double *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_char_iput_warp(char *dest, const char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_short_iput_warp(short *dest, const short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_schar_iput_warp(signed char *dest, const signed char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int_iput_warp(int *dest, const int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_long_iput_warp(long *dest, const long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_longlong_iput_warp(long long *dest, const long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uchar_iput_warp(unsigned char *dest, const unsigned char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_ushort_iput_warp(unsigned short *dest, const unsigned short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint_iput_warp(unsigned int *dest, const unsigned int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_ulong_iput_warp(unsigned long *dest, const unsigned long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_ulonglong_iput_warp(unsigned long long *dest, const unsigned long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int8_iput_warp(int8_t *dest, const int8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int16_iput_warp(int16_t *dest, const int16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int32_iput_warp(int32_t *dest, const int32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int64_iput_warp(int64_t *dest, const int64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint8_iput_warp(uint8_t *dest, const uint8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint16_iput_warp(uint16_t *dest, const uint16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint32_iput_warp(uint32_t *dest, const uint32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint64_iput_warp(uint64_t *dest, const uint64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_size_iput_warp(size_t *dest, const size_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_ptrdiff_iput_warp(ptrdiff_t *dest, const ptrdiff_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_bfloat16_iput_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_half_iput_block(half *dest, const half *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_float_iput_block(float *dest, const float *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_double_iput_block(double *dest, const double *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_char_iput_block(char *dest, const char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_short_iput_block(short *dest, const short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_schar_iput_block(signed char *dest, const signed char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int_iput_block(int *dest, const int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_long_iput_block(long *dest, const long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_longlong_iput_block(long long *dest, const long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uchar_iput_block(unsigned char *dest, const unsigned char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_ushort_iput_block(unsigned short *dest, const unsigned short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint_iput_block(unsigned int *dest, const unsigned int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_ulong_iput_block(unsigned long *dest, const unsigned long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_ulonglong_iput_block(unsigned long long *dest, const unsigned long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int8_iput_block(int8_t *dest, const int8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int16_iput_block(int16_t *dest, const int16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int32_iput_block(int32_t *dest, const int32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int64_iput_block(int64_t *dest, const int64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint8_iput_block(uint8_t *dest, const uint8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint16_iput_block(uint16_t *dest, const uint16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint32_iput_block(uint32_t *dest, const uint32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint64_iput_block(uint64_t *dest, const uint64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_size_iput_block(size_t *dest, const size_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_ptrdiff_iput_block(ptrdiff_t *dest, const ptrdiff_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_iput8(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<1>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_iput16(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<2>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_iput32(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<4>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_iput64(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_iput128(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput<16>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iput8_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iput16_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iput32_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iput64_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iput128_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_warp<16>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iput8_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iput16_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iput32_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iput64_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iput128_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iput_block<16>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_bfloat16_iget(__nv_bfloat16 *dest, const __nv_bfloat16 *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<2>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_half_iget(half *dest, const half *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<2>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_float_iget(float *dest, const float *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<4>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_double_iget(double *dest, const double *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_char_iget(char *dest, const char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<1>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_short_iget(short *dest, const short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<2>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_schar_iget(signed char *dest, const signed char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<1>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int_iget(int *dest, const int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<4>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_long_iget(long *dest, const long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_longlong_iget(long long *dest, const long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uchar_iget(unsigned char *dest, const unsigned char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<1>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ushort_iget(unsigned short *dest, const unsigned short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<2>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint_iget(unsigned int *dest, const unsigned int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<4>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulong_iget(unsigned long *dest, const unsigned long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulonglong_iget(unsigned long long *dest, const unsigned long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int8_iget(int8_t *dest, const int8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<1>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int16_iget(int16_t *dest, const int16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<2>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int32_iget(int32_t *dest, const int32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<4>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int64_iget(int64_t *dest, const int64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint8_iget(uint8_t *dest, const uint8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<1>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint16_iget(uint16_t *dest, const uint16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<2>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint32_iget(uint32_t *dest, const uint32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<4>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint64_iget(uint64_t *dest, const uint64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_size_iget(size_t *dest, const size_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ptrdiff_iget(ptrdiff_t *dest, const ptrdiff_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_bfloat16_iget_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_half_iget_warp(half *dest, const half *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_float_iget_warp(float *dest, const float *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_double_iget_warp(double *dest, const double *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_char_iget_warp(char *dest, const char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_short_iget_warp(short *dest, const short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_schar_iget_warp(signed char *dest, const signed char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int_iget_warp(int *dest, const int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_long_iget_warp(long *dest, const long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_longlong_iget_warp(long long *dest, const long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uchar_iget_warp(unsigned char *dest, const unsigned char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_ushort_iget_warp(unsigned short *dest, const unsigned short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint_iget_warp(unsigned int *dest, const unsigned int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_ulong_iget_warp(unsigned long *dest, const unsigned long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_ulonglong_iget_warp(unsigned long long *dest, const unsigned long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int8_iget_warp(int8_t *dest, const int8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int16_iget_warp(int16_t *dest, const int16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int32_iget_warp(int32_t *dest, const int32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int64_iget_warp(int64_t *dest, const int64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint8_iget_warp(uint8_t *dest, const uint8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint16_iget_warp(uint16_t *dest, const uint16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint32_iget_warp(uint32_t *dest, const uint32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint64_iget_warp(uint64_t *dest, const uint64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_size_iget_warp(size_t *dest, const size_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_ptrdiff_iget_warp(ptrdiff_t *dest, const ptrdiff_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_bfloat16_iget_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_half_iget_block(half *dest, const half *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_float_iget_block(float *dest, const float *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_double_iget_block(double *dest, const double *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_char_iget_block(char *dest, const char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_short_iget_block(short *dest, const short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_schar_iget_block(signed char *dest, const signed char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int_iget_block(int *dest, const int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_long_iget_block(long *dest, const long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_longlong_iget_block(long long *dest, const long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uchar_iget_block(unsigned char *dest, const unsigned char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_ushort_iget_block(unsigned short *dest, const unsigned short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint_iget_block(unsigned int *dest, const unsigned int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_ulong_iget_block(unsigned long *dest, const unsigned long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_ulonglong_iget_block(unsigned long long *dest, const unsigned long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int8_iget_block(int8_t *dest, const int8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int16_iget_block(int16_t *dest, const int16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int32_iget_block(int32_t *dest, const int32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_int64_iget_block(int64_t *dest, const int64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint8_iget_block(uint8_t *dest, const uint8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint16_iget_block(uint16_t *dest, const uint16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint32_iget_block(uint32_t *dest, const uint32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_uint64_iget_block(uint64_t *dest, const uint64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_size_iget_block(size_t *dest, const size_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_ptrdiff_iget_block(ptrdiff_t *dest, const ptrdiff_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_iget8(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<1>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_iget16(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<2>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_iget32(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<4>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_iget64(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<8>(dest, source, dst, sst, nelems, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_iget128(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget<16>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iget8_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iget16_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iget32_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iget64_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iget128_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_warp<16>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iget8_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<1>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iget16_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<2>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iget32_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<4>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iget64_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<8>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmemx_iget128_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { oxshmem_c::iget_block<16>(dest, source, dst, sst, nelems, pe); }
static __device__ __forceinline__ void nvshmem_bfloat16_put_signal(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_half_put_signal(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_float_put_signal(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_double_put_signal(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_char_put_signal(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_short_put_signal(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_schar_put_signal(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_int_put_signal(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_long_put_signal(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_longlong_put_signal(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_uchar_put_signal(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_ushort_put_signal(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_uint_put_signal(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_ulong_put_signal(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_ulonglong_put_signal(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_int8_put_signal(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_int16_put_signal(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_int32_put_signal(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_int64_put_signal(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_uint8_put_signal(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_uint16_put_signal(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_uint32_put_signal(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_uint64_put_signal(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_size_put_signal(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_ptrdiff_put_signal(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_bfloat16_put_signal_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_half_put_signal_warp(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_float_put_signal_warp(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_double_put_signal_warp(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_char_put_signal_warp(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_short_put_signal_warp(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_schar_put_signal_warp(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int_put_signal_warp(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_long_put_signal_warp(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_longlong_put_signal_warp(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uchar_put_signal_warp(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ushort_put_signal_warp(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint_put_signal_warp(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ulong_put_signal_warp(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ulonglong_put_signal_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int8_put_signal_warp(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int16_put_signal_warp(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int32_put_signal_warp(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int64_put_signal_warp(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint8_put_signal_warp(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint16_put_signal_warp(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint32_put_signal_warp(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint64_put_signal_warp(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_size_put_signal_warp(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ptrdiff_put_signal_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_bfloat16_put_signal_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_half_put_signal_block(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_float_put_signal_block(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_double_put_signal_block(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_char_put_signal_block(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_short_put_signal_block(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_schar_put_signal_block(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int_put_signal_block(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_long_put_signal_block(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_longlong_put_signal_block(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uchar_put_signal_block(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ushort_put_signal_block(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint_put_signal_block(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ulong_put_signal_block(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ulonglong_put_signal_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int8_put_signal_block(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int16_put_signal_block(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int32_put_signal_block(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_int64_put_signal_block(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint8_put_signal_block(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint16_put_signal_block(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint32_put_signal_block(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_uint64_put_signal_block(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_size_put_signal_block(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_ptrdiff_put_signal_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_put8_signal(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_put16_signal(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_put32_signal(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_put64_signal(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_put128_signal(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 16, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put8_signal_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put16_signal_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put32_signal_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put64_signal_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put128_signal_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 16, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put8_signal_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put16_signal_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put32_signal_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put64_signal_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_put128_signal_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 16, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_putmem_signal(void *dest, const void *source, size_t bytes, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, bytes, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_putmem_signal_warp(void *dest, const void *source, size_t bytes, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, bytes, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmemx_putmem_signal_block(void *dest, const void *source, size_t bytes, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, bytes, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 0); }
static __device__ __forceinline__ void nvshmem_bfloat16_put_signal_nbi(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_half_put_signal_nbi(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_float_put_signal_nbi(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_double_put_signal_nbi(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_char_put_signal_nbi(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_short_put_signal_nbi(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_schar_put_signal_nbi(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_int_put_signal_nbi(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_long_put_signal_nbi(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_longlong_put_signal_nbi(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_uchar_put_signal_nbi(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_ushort_put_signal_nbi(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_uint_put_signal_nbi(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_ulong_put_signal_nbi(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_ulonglong_put_signal_nbi(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_int8_put_signal_nbi(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_int16_put_signal_nbi(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_int32_put_signal_nbi(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_int64_put_signal_nbi(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_uint8_put_signal_nbi(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_uint16_put_signal_nbi(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_uint32_put_signal_nbi(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_uint64_put_signal_nbi(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_size_put_signal_nbi(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_ptrdiff_put_signal_nbi(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_bfloat16_put_signal_nbi_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_half_put_signal_nbi_warp(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_float_put_signal_nbi_warp(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_double_put_signal_nbi_warp(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_char_put_signal_nbi_warp(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_short_put_signal_nbi_warp(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_schar_put_signal_nbi_warp(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int_put_signal_nbi_warp(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_long_put_signal_nbi_warp(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_longlong_put_signal_nbi_warp(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uchar_put_signal_nbi_warp(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ushort_put_signal_nbi_warp(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint_put_signal_nbi_warp(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ulong_put_signal_nbi_warp(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ulonglong_put_signal_nbi_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int8_put_signal_nbi_warp(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int16_put_signal_nbi_warp(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int32_put_signal_nbi_warp(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int64_put_signal_nbi_warp(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint8_put_signal_nbi_warp(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint16_put_signal_nbi_warp(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint32_put_signal_nbi_warp(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint64_put_signal_nbi_warp(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_size_put_signal_nbi_warp(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ptrdiff_put_signal_nbi_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_bfloat16_put_signal_nbi_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_half_put_signal_nbi_block(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_float_put_signal_nbi_block(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_double_put_signal_nbi_block(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_char_put_signal_nbi_block(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_short_put_signal_nbi_block(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_schar_put_signal_nbi_block(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int_put_signal_nbi_block(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_long_put_signal_nbi_block(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_longlong_put_signal_nbi_block(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uchar_put_signal_nbi_block(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ushort_put_signal_nbi_block(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint_put_signal_nbi_block(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ulong_put_signal_nbi_block(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ulonglong_put_signal_nbi_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int8_put_signal_nbi_block(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int16_put_signal_nbi_block(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int32_put_signal_nbi_block(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_int64_put_signal_nbi_block(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint8_put_signal_nbi_block(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint16_put_signal_nbi_block(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint32_put_signal_nbi_block(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_uint64_put_signal_nbi_block(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_size_put_signal_nbi_block(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_ptrdiff_put_signal_nbi_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_put8_signal_nbi(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_put16_signal_nbi(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_put32_signal_nbi(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_put64_signal_nbi(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_put128_signal_nbi(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, nelems * 16, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put8_signal_nbi_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put16_signal_nbi_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put32_signal_nbi_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put64_signal_nbi_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put128_signal_nbi_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, nelems * 16, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put8_signal_nbi_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put16_signal_nbi_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put32_signal_nbi_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put64_signal_nbi_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_put128_signal_nbi_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, nelems * 16, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmem_putmem_signal_nbi(void *dest, const void *source, size_t bytes, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal(dest, source, bytes, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_putmem_signal_nbi_warp(void *dest, const void *source, size_t bytes, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_warp(dest, source, bytes, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static __device__ __forceinline__ void nvshmemx_putmem_signal_nbi_block(void *dest, const void *source, size_t bytes, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::put_signal_block(dest, source, bytes, sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT, 1); }
static OXSHMEM_BOTH __forceinline__ void nvshmemx_signal_op(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { oxshmem_c::signal(sig_addr, signal, sig_op, pe, NVSHMEMX_QP_DEFAULT); }
static OXSHMEM_BOTH __forceinline__ uint64_t nvshmem_signal_fetch(uint64_t *sig_addr) { return oxshmem_c::acquire(sig_addr); }
static __device__ __forceinline__ uint64_t nvshmem_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t cmp_value) { return oxshmem_c::wait_until(sig_addr, cmp, cmp_value); }
static OXSHMEM_BOTH __forceinline__ void nvshmemx_signal_counted_reset(uint64_t *signal_addr) { oxshmem_c::store(signal_addr, (uint64_t)0); }
static __device__ __forceinline__ void nvshmem_short_wait_until(short *ivar, int cmp, short cmp_value) { (void)oxshmem_c::wait_until(oxshmem_c::as<oxshmem_c::i16>(ivar), cmp, (oxshmem_c::i16)cmp_value); }
static __device__ __forceinline__ void nvshmem_int_wait_until(int *ivar, int cmp, int cmp_value) { (void)oxshmem_c::wait_until(oxshmem_c::as<oxshmem_c::i32>(ivar), cmp, (oxshmem_c::i32)cmp_value); }
static __device__ __forceinline__ void nvshmem_long_wait_until(long *ivar, int cmp, long cmp_value) { (void)oxshmem_c::wait_until(oxshmem_c::as<oxshmem_c::i64>(ivar), cmp, (oxshmem_c::i64)cmp_value); }
static __device__ __forceinline__ void nvshmem_longlong_wait_until(long long *ivar, int cmp, long long cmp_value) { (void)oxshmem_c::wait_until(oxshmem_c::as<oxshmem_c::i64>(ivar), cmp, (oxshmem_c::i64)cmp_value); }
static __device__ __forceinline__ void nvshmem_ushort_wait_until(unsigned short *ivar, int cmp, unsigned short cmp_value) { (void)oxshmem_c::wait_until(oxshmem_c::as<oxshmem_c::u16>(ivar), cmp, (oxshmem_c::u16)cmp_value); }
static __device__ __forceinline__ void nvshmem_uint_wait_until(unsigned int *ivar, int cmp, unsigned int cmp_value) { (void)oxshmem_c::wait_until(oxshmem_c::as<oxshmem_c::u32>(ivar), cmp, (oxshmem_c::u32)cmp_value); }
static __device__ __forceinline__ void nvshmem_ulong_wait_until(unsigned long *ivar, int cmp, unsigned long cmp_value) { (void)oxshmem_c::wait_until(oxshmem_c::as<oxshmem_c::u64>(ivar), cmp, (oxshmem_c::u64)cmp_value); }
static __device__ __forceinline__ void nvshmem_ulonglong_wait_until(unsigned long long *ivar, int cmp, unsigned long long cmp_value) { (void)oxshmem_c::wait_until(oxshmem_c::as<oxshmem_c::u64>(ivar), cmp, (oxshmem_c::u64)cmp_value); }
static __device__ __forceinline__ void nvshmem_int32_wait_until(int32_t *ivar, int cmp, int32_t cmp_value) { (void)oxshmem_c::wait_until(oxshmem_c::as<oxshmem_c::i32>(ivar), cmp, (oxshmem_c::i32)cmp_value); }
static __device__ __forceinline__ void nvshmem_int64_wait_until(int64_t *ivar, int cmp, int64_t cmp_value) { (void)oxshmem_c::wait_until(oxshmem_c::as<oxshmem_c::i64>(ivar), cmp, (oxshmem_c::i64)cmp_value); }
static __device__ __forceinline__ void nvshmem_uint32_wait_until(uint32_t *ivar, int cmp, uint32_t cmp_value) { (void)oxshmem_c::wait_until(oxshmem_c::as<oxshmem_c::u32>(ivar), cmp, (oxshmem_c::u32)cmp_value); }
static __device__ __forceinline__ void nvshmem_uint64_wait_until(uint64_t *ivar, int cmp, uint64_t cmp_value) { (void)oxshmem_c::wait_until(oxshmem_c::as<oxshmem_c::u64>(ivar), cmp, (oxshmem_c::u64)cmp_value); }
static __device__ __forceinline__ void nvshmem_size_wait_until(size_t *ivar, int cmp, size_t cmp_value) { (void)oxshmem_c::wait_until(oxshmem_c::as<oxshmem_c::u64>(ivar), cmp, (oxshmem_c::u64)cmp_value); }
static __device__ __forceinline__ void nvshmem_ptrdiff_wait_until(ptrdiff_t *ivar, int cmp, ptrdiff_t cmp_value) { (void)oxshmem_c::wait_until(oxshmem_c::as<oxshmem_c::i64>(ivar), cmp, (oxshmem_c::i64)cmp_value); }
static __device__ __forceinline__ int nvshmem_short_test(short *ivar, int cmp, short cmp_value) { return oxshmem_c::holds(oxshmem_c::acquire(oxshmem_c::as<oxshmem_c::i16>(ivar)), cmp, (oxshmem_c::i16)cmp_value); }
static __device__ __forceinline__ int nvshmem_int_test(int *ivar, int cmp, int cmp_value) { return oxshmem_c::holds(oxshmem_c::acquire(oxshmem_c::as<oxshmem_c::i32>(ivar)), cmp, (oxshmem_c::i32)cmp_value); }
static __device__ __forceinline__ int nvshmem_long_test(long *ivar, int cmp, long cmp_value) { return oxshmem_c::holds(oxshmem_c::acquire(oxshmem_c::as<oxshmem_c::i64>(ivar)), cmp, (oxshmem_c::i64)cmp_value); }
static __device__ __forceinline__ int nvshmem_longlong_test(long long *ivar, int cmp, long long cmp_value) { return oxshmem_c::holds(oxshmem_c::acquire(oxshmem_c::as<oxshmem_c::i64>(ivar)), cmp, (oxshmem_c::i64)cmp_value); }
static __device__ __forceinline__ int nvshmem_ushort_test(unsigned short *ivar, int cmp, unsigned short cmp_value) { return oxshmem_c::holds(oxshmem_c::acquire(oxshmem_c::as<oxshmem_c::u16>(ivar)), cmp, (oxshmem_c::u16)cmp_value); }
static __device__ __forceinline__ int nvshmem_uint_test(unsigned int *ivar, int cmp, unsigned int cmp_value) { return oxshmem_c::holds(oxshmem_c::acquire(oxshmem_c::as<oxshmem_c::u32>(ivar)), cmp, (oxshmem_c::u32)cmp_value); }
static __device__ __forceinline__ int nvshmem_ulong_test(unsigned long *ivar, int cmp, unsigned long cmp_value) { return oxshmem_c::holds(oxshmem_c::acquire(oxshmem_c::as<oxshmem_c::u64>(ivar)), cmp, (oxshmem_c::u64)cmp_value); }
static __device__ __forceinline__ int nvshmem_ulonglong_test(unsigned long long *ivar, int cmp, unsigned long long cmp_value) { return oxshmem_c::holds(oxshmem_c::acquire(oxshmem_c::as<oxshmem_c::u64>(ivar)), cmp, (oxshmem_c::u64)cmp_value); }
static __device__ __forceinline__ int nvshmem_int32_test(int32_t *ivar, int cmp, int32_t cmp_value) { return oxshmem_c::holds(oxshmem_c::acquire(oxshmem_c::as<oxshmem_c::i32>(ivar)), cmp, (oxshmem_c::i32)cmp_value); }
static __device__ __forceinline__ int nvshmem_int64_test(int64_t *ivar, int cmp, int64_t cmp_value) { return oxshmem_c::holds(oxshmem_c::acquire(oxshmem_c::as<oxshmem_c::i64>(ivar)), cmp, (oxshmem_c::i64)cmp_value); }
static __device__ __forceinline__ int nvshmem_uint32_test(uint32_t *ivar, int cmp, uint32_t cmp_value) { return oxshmem_c::holds(oxshmem_c::acquire(oxshmem_c::as<oxshmem_c::u32>(ivar)), cmp, (oxshmem_c::u32)cmp_value); }
static __device__ __forceinline__ int nvshmem_uint64_test(uint64_t *ivar, int cmp, uint64_t cmp_value) { return oxshmem_c::holds(oxshmem_c::acquire(oxshmem_c::as<oxshmem_c::u64>(ivar)), cmp, (oxshmem_c::u64)cmp_value); }
static __device__ __forceinline__ int nvshmem_size_test(size_t *ivar, int cmp, size_t cmp_value) { return oxshmem_c::holds(oxshmem_c::acquire(oxshmem_c::as<oxshmem_c::u64>(ivar)), cmp, (oxshmem_c::u64)cmp_value); }
static __device__ __forceinline__ int nvshmem_ptrdiff_test(ptrdiff_t *ivar, int cmp, ptrdiff_t cmp_value) { return oxshmem_c::holds(oxshmem_c::acquire(oxshmem_c::as<oxshmem_c::i64>(ivar)), cmp, (oxshmem_c::i64)cmp_value); }
static __device__ __forceinline__ void nvshmem_short_wait_until_all(short *ivars, size_t nelems, const int *status, int cmp, short cmp_value) { oxshmem_wait_all_i16(oxshmem_c::as<oxshmem_c::i16>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ void nvshmem_int_wait_until_all(int *ivars, size_t nelems, const int *status, int cmp, int cmp_value) { oxshmem_wait_all_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ void nvshmem_long_wait_until_all(long *ivars, size_t nelems, const int *status, int cmp, long cmp_value) { oxshmem_wait_all_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ void nvshmem_longlong_wait_until_all(long long *ivars, size_t nelems, const int *status, int cmp, long long cmp_value) { oxshmem_wait_all_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ void nvshmem_ushort_wait_until_all(unsigned short *ivars, size_t nelems, const int *status, int cmp, unsigned short cmp_value) { oxshmem_wait_all_u16(oxshmem_c::as<oxshmem_c::u16>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ void nvshmem_uint_wait_until_all(unsigned int *ivars, size_t nelems, const int *status, int cmp, unsigned int cmp_value) { oxshmem_wait_all_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ void nvshmem_ulong_wait_until_all(unsigned long *ivars, size_t nelems, const int *status, int cmp, unsigned long cmp_value) { oxshmem_wait_all_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ void nvshmem_ulonglong_wait_until_all(unsigned long long *ivars, size_t nelems, const int *status, int cmp, unsigned long long cmp_value) { oxshmem_wait_all_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ void nvshmem_int32_wait_until_all(int32_t *ivars, size_t nelems, const int *status, int cmp, int32_t cmp_value) { oxshmem_wait_all_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ void nvshmem_int64_wait_until_all(int64_t *ivars, size_t nelems, const int *status, int cmp, int64_t cmp_value) { oxshmem_wait_all_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ void nvshmem_uint32_wait_until_all(uint32_t *ivars, size_t nelems, const int *status, int cmp, uint32_t cmp_value) { oxshmem_wait_all_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ void nvshmem_uint64_wait_until_all(uint64_t *ivars, size_t nelems, const int *status, int cmp, uint64_t cmp_value) { oxshmem_wait_all_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ void nvshmem_size_wait_until_all(size_t *ivars, size_t nelems, const int *status, int cmp, size_t cmp_value) { oxshmem_wait_all_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ void nvshmem_ptrdiff_wait_until_all(ptrdiff_t *ivars, size_t nelems, const int *status, int cmp, ptrdiff_t cmp_value) { oxshmem_wait_all_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ void nvshmem_short_wait_until_all_vector(short *ivars, size_t nelems, const int *status, int cmp, short *cmp_values) { oxshmem_wait_all_i16(oxshmem_c::as<oxshmem_c::i16>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i16>(cmp_values)); }
static __device__ __forceinline__ void nvshmem_int_wait_until_all_vector(int *ivars, size_t nelems, const int *status, int cmp, int *cmp_values) { oxshmem_wait_all_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i32>(cmp_values)); }
static __device__ __forceinline__ void nvshmem_long_wait_until_all_vector(long *ivars, size_t nelems, const int *status, int cmp, long *cmp_values) { oxshmem_wait_all_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ void nvshmem_longlong_wait_until_all_vector(long long *ivars, size_t nelems, const int *status, int cmp, long long *cmp_values) { oxshmem_wait_all_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ void nvshmem_ushort_wait_until_all_vector(unsigned short *ivars, size_t nelems, const int *status, int cmp, unsigned short *cmp_values) { oxshmem_wait_all_u16(oxshmem_c::as<oxshmem_c::u16>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u16>(cmp_values)); }
static __device__ __forceinline__ void nvshmem_uint_wait_until_all_vector(unsigned int *ivars, size_t nelems, const int *status, int cmp, unsigned int *cmp_values) { oxshmem_wait_all_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u32>(cmp_values)); }
static __device__ __forceinline__ void nvshmem_ulong_wait_until_all_vector(unsigned long *ivars, size_t nelems, const int *status, int cmp, unsigned long *cmp_values) { oxshmem_wait_all_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ void nvshmem_ulonglong_wait_until_all_vector(unsigned long long *ivars, size_t nelems, const int *status, int cmp, unsigned long long *cmp_values) { oxshmem_wait_all_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ void nvshmem_int32_wait_until_all_vector(int32_t *ivars, size_t nelems, const int *status, int cmp, int32_t *cmp_values) { oxshmem_wait_all_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i32>(cmp_values)); }
static __device__ __forceinline__ void nvshmem_int64_wait_until_all_vector(int64_t *ivars, size_t nelems, const int *status, int cmp, int64_t *cmp_values) { oxshmem_wait_all_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ void nvshmem_uint32_wait_until_all_vector(uint32_t *ivars, size_t nelems, const int *status, int cmp, uint32_t *cmp_values) { oxshmem_wait_all_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u32>(cmp_values)); }
static __device__ __forceinline__ void nvshmem_uint64_wait_until_all_vector(uint64_t *ivars, size_t nelems, const int *status, int cmp, uint64_t *cmp_values) { oxshmem_wait_all_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ void nvshmem_size_wait_until_all_vector(size_t *ivars, size_t nelems, const int *status, int cmp, size_t *cmp_values) { oxshmem_wait_all_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ void nvshmem_ptrdiff_wait_until_all_vector(ptrdiff_t *ivars, size_t nelems, const int *status, int cmp, ptrdiff_t *cmp_values) { oxshmem_wait_all_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_short_wait_until_any(short *ivars, size_t nelems, const int *status, int cmp, short cmp_value) { return oxshmem_wait_any_i16(oxshmem_c::as<oxshmem_c::i16>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_int_wait_until_any(int *ivars, size_t nelems, const int *status, int cmp, int cmp_value) { return oxshmem_wait_any_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_long_wait_until_any(long *ivars, size_t nelems, const int *status, int cmp, long cmp_value) { return oxshmem_wait_any_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_longlong_wait_until_any(long long *ivars, size_t nelems, const int *status, int cmp, long long cmp_value) { return oxshmem_wait_any_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_ushort_wait_until_any(unsigned short *ivars, size_t nelems, const int *status, int cmp, unsigned short cmp_value) { return oxshmem_wait_any_u16(oxshmem_c::as<oxshmem_c::u16>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_uint_wait_until_any(unsigned int *ivars, size_t nelems, const int *status, int cmp, unsigned int cmp_value) { return oxshmem_wait_any_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_ulong_wait_until_any(unsigned long *ivars, size_t nelems, const int *status, int cmp, unsigned long cmp_value) { return oxshmem_wait_any_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_ulonglong_wait_until_any(unsigned long long *ivars, size_t nelems, const int *status, int cmp, unsigned long long cmp_value) { return oxshmem_wait_any_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_int32_wait_until_any(int32_t *ivars, size_t nelems, const int *status, int cmp, int32_t cmp_value) { return oxshmem_wait_any_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_int64_wait_until_any(int64_t *ivars, size_t nelems, const int *status, int cmp, int64_t cmp_value) { return oxshmem_wait_any_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_uint32_wait_until_any(uint32_t *ivars, size_t nelems, const int *status, int cmp, uint32_t cmp_value) { return oxshmem_wait_any_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_uint64_wait_until_any(uint64_t *ivars, size_t nelems, const int *status, int cmp, uint64_t cmp_value) { return oxshmem_wait_any_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_size_wait_until_any(size_t *ivars, size_t nelems, const int *status, int cmp, size_t cmp_value) { return oxshmem_wait_any_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_ptrdiff_wait_until_any(ptrdiff_t *ivars, size_t nelems, const int *status, int cmp, ptrdiff_t cmp_value) { return oxshmem_wait_any_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_short_wait_until_any_vector(short *ivars, size_t nelems, const int *status, int cmp, short *cmp_values) { return oxshmem_wait_any_i16(oxshmem_c::as<oxshmem_c::i16>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i16>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_int_wait_until_any_vector(int *ivars, size_t nelems, const int *status, int cmp, int *cmp_values) { return oxshmem_wait_any_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i32>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_long_wait_until_any_vector(long *ivars, size_t nelems, const int *status, int cmp, long *cmp_values) { return oxshmem_wait_any_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_longlong_wait_until_any_vector(long long *ivars, size_t nelems, const int *status, int cmp, long long *cmp_values) { return oxshmem_wait_any_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_ushort_wait_until_any_vector(unsigned short *ivars, size_t nelems, const int *status, int cmp, unsigned short *cmp_values) { return oxshmem_wait_any_u16(oxshmem_c::as<oxshmem_c::u16>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u16>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_uint_wait_until_any_vector(unsigned int *ivars, size_t nelems, const int *status, int cmp, unsigned int *cmp_values) { return oxshmem_wait_any_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u32>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_ulong_wait_until_any_vector(unsigned long *ivars, size_t nelems, const int *status, int cmp, unsigned long *cmp_values) { return oxshmem_wait_any_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_ulonglong_wait_until_any_vector(unsigned long long *ivars, size_t nelems, const int *status, int cmp, unsigned long long *cmp_values) { return oxshmem_wait_any_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_int32_wait_until_any_vector(int32_t *ivars, size_t nelems, const int *status, int cmp, int32_t *cmp_values) { return oxshmem_wait_any_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i32>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_int64_wait_until_any_vector(int64_t *ivars, size_t nelems, const int *status, int cmp, int64_t *cmp_values) { return oxshmem_wait_any_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_uint32_wait_until_any_vector(uint32_t *ivars, size_t nelems, const int *status, int cmp, uint32_t *cmp_values) { return oxshmem_wait_any_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u32>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_uint64_wait_until_any_vector(uint64_t *ivars, size_t nelems, const int *status, int cmp, uint64_t *cmp_values) { return oxshmem_wait_any_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_size_wait_until_any_vector(size_t *ivars, size_t nelems, const int *status, int cmp, size_t *cmp_values) { return oxshmem_wait_any_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_ptrdiff_wait_until_any_vector(ptrdiff_t *ivars, size_t nelems, const int *status, int cmp, ptrdiff_t *cmp_values) { return oxshmem_wait_any_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_short_wait_until_some(short *ivars, size_t nelems, size_t *indices, const int *status, int cmp, short cmp_value) { return oxshmem_wait_some_i16(oxshmem_c::as<oxshmem_c::i16>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_int_wait_until_some(int *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int cmp_value) { return oxshmem_wait_some_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_long_wait_until_some(long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, long cmp_value) { return oxshmem_wait_some_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_longlong_wait_until_some(long long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, long long cmp_value) { return oxshmem_wait_some_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_ushort_wait_until_some(unsigned short *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned short cmp_value) { return oxshmem_wait_some_u16(oxshmem_c::as<oxshmem_c::u16>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_uint_wait_until_some(unsigned int *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned int cmp_value) { return oxshmem_wait_some_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_ulong_wait_until_some(unsigned long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned long cmp_value) { return oxshmem_wait_some_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_ulonglong_wait_until_some(unsigned long long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned long long cmp_value) { return oxshmem_wait_some_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_int32_wait_until_some(int32_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int32_t cmp_value) { return oxshmem_wait_some_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_int64_wait_until_some(int64_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int64_t cmp_value) { return oxshmem_wait_some_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_uint32_wait_until_some(uint32_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, uint32_t cmp_value) { return oxshmem_wait_some_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_uint64_wait_until_some(uint64_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, uint64_t cmp_value) { return oxshmem_wait_some_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_size_wait_until_some(size_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, size_t cmp_value) { return oxshmem_wait_some_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_ptrdiff_wait_until_some(ptrdiff_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, ptrdiff_t cmp_value) { return oxshmem_wait_some_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_short_wait_until_some_vector(short *ivars, size_t nelems, size_t *indices, const int *status, int cmp, short *cmp_values) { return oxshmem_wait_some_i16(oxshmem_c::as<oxshmem_c::i16>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::i16>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_int_wait_until_some_vector(int *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int *cmp_values) { return oxshmem_wait_some_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::i32>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_long_wait_until_some_vector(long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, long *cmp_values) { return oxshmem_wait_some_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_longlong_wait_until_some_vector(long long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, long long *cmp_values) { return oxshmem_wait_some_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_ushort_wait_until_some_vector(unsigned short *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned short *cmp_values) { return oxshmem_wait_some_u16(oxshmem_c::as<oxshmem_c::u16>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::u16>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_uint_wait_until_some_vector(unsigned int *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned int *cmp_values) { return oxshmem_wait_some_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::u32>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_ulong_wait_until_some_vector(unsigned long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned long *cmp_values) { return oxshmem_wait_some_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_ulonglong_wait_until_some_vector(unsigned long long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned long long *cmp_values) { return oxshmem_wait_some_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_int32_wait_until_some_vector(int32_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int32_t *cmp_values) { return oxshmem_wait_some_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::i32>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_int64_wait_until_some_vector(int64_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int64_t *cmp_values) { return oxshmem_wait_some_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_uint32_wait_until_some_vector(uint32_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, uint32_t *cmp_values) { return oxshmem_wait_some_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::u32>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_uint64_wait_until_some_vector(uint64_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, uint64_t *cmp_values) { return oxshmem_wait_some_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_size_wait_until_some_vector(size_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, size_t *cmp_values) { return oxshmem_wait_some_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_ptrdiff_wait_until_some_vector(ptrdiff_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, ptrdiff_t *cmp_values) { return oxshmem_wait_some_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ int nvshmem_short_test_all(short *ivars, size_t nelems, const int *status, int cmp, short cmp_value) { return oxshmem_test_all_i16(oxshmem_c::as<oxshmem_c::i16>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ int nvshmem_int_test_all(int *ivars, size_t nelems, const int *status, int cmp, int cmp_value) { return oxshmem_test_all_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ int nvshmem_long_test_all(long *ivars, size_t nelems, const int *status, int cmp, long cmp_value) { return oxshmem_test_all_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ int nvshmem_longlong_test_all(long long *ivars, size_t nelems, const int *status, int cmp, long long cmp_value) { return oxshmem_test_all_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ int nvshmem_ushort_test_all(unsigned short *ivars, size_t nelems, const int *status, int cmp, unsigned short cmp_value) { return oxshmem_test_all_u16(oxshmem_c::as<oxshmem_c::u16>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ int nvshmem_uint_test_all(unsigned int *ivars, size_t nelems, const int *status, int cmp, unsigned int cmp_value) { return oxshmem_test_all_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ int nvshmem_ulong_test_all(unsigned long *ivars, size_t nelems, const int *status, int cmp, unsigned long cmp_value) { return oxshmem_test_all_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ int nvshmem_ulonglong_test_all(unsigned long long *ivars, size_t nelems, const int *status, int cmp, unsigned long long cmp_value) { return oxshmem_test_all_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ int nvshmem_int32_test_all(int32_t *ivars, size_t nelems, const int *status, int cmp, int32_t cmp_value) { return oxshmem_test_all_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ int nvshmem_int64_test_all(int64_t *ivars, size_t nelems, const int *status, int cmp, int64_t cmp_value) { return oxshmem_test_all_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ int nvshmem_uint32_test_all(uint32_t *ivars, size_t nelems, const int *status, int cmp, uint32_t cmp_value) { return oxshmem_test_all_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ int nvshmem_uint64_test_all(uint64_t *ivars, size_t nelems, const int *status, int cmp, uint64_t cmp_value) { return oxshmem_test_all_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ int nvshmem_size_test_all(size_t *ivars, size_t nelems, const int *status, int cmp, size_t cmp_value) { return oxshmem_test_all_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ int nvshmem_ptrdiff_test_all(ptrdiff_t *ivars, size_t nelems, const int *status, int cmp, ptrdiff_t cmp_value) { return oxshmem_test_all_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ int nvshmem_short_test_all_vector(short *ivars, size_t nelems, const int *status, int cmp, short *cmp_values) { return oxshmem_test_all_i16(oxshmem_c::as<oxshmem_c::i16>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i16>(cmp_values)); }
static __device__ __forceinline__ int nvshmem_int_test_all_vector(int *ivars, size_t nelems, const int *status, int cmp, int *cmp_values) { return oxshmem_test_all_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i32>(cmp_values)); }
static __device__ __forceinline__ int nvshmem_long_test_all_vector(long *ivars, size_t nelems, const int *status, int cmp, long *cmp_values) { return oxshmem_test_all_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ int nvshmem_longlong_test_all_vector(long long *ivars, size_t nelems, const int *status, int cmp, long long *cmp_values) { return oxshmem_test_all_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ int nvshmem_ushort_test_all_vector(unsigned short *ivars, size_t nelems, const int *status, int cmp, unsigned short *cmp_values) { return oxshmem_test_all_u16(oxshmem_c::as<oxshmem_c::u16>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u16>(cmp_values)); }
static __device__ __forceinline__ int nvshmem_uint_test_all_vector(unsigned int *ivars, size_t nelems, const int *status, int cmp, unsigned int *cmp_values) { return oxshmem_test_all_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u32>(cmp_values)); }
static __device__ __forceinline__ int nvshmem_ulong_test_all_vector(unsigned long *ivars, size_t nelems, const int *status, int cmp, unsigned long *cmp_values) { return oxshmem_test_all_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ int nvshmem_ulonglong_test_all_vector(unsigned long long *ivars, size_t nelems, const int *status, int cmp, unsigned long long *cmp_values) { return oxshmem_test_all_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ int nvshmem_int32_test_all_vector(int32_t *ivars, size_t nelems, const int *status, int cmp, int32_t *cmp_values) { return oxshmem_test_all_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i32>(cmp_values)); }
static __device__ __forceinline__ int nvshmem_int64_test_all_vector(int64_t *ivars, size_t nelems, const int *status, int cmp, int64_t *cmp_values) { return oxshmem_test_all_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ int nvshmem_uint32_test_all_vector(uint32_t *ivars, size_t nelems, const int *status, int cmp, uint32_t *cmp_values) { return oxshmem_test_all_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u32>(cmp_values)); }
static __device__ __forceinline__ int nvshmem_uint64_test_all_vector(uint64_t *ivars, size_t nelems, const int *status, int cmp, uint64_t *cmp_values) { return oxshmem_test_all_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ int nvshmem_size_test_all_vector(size_t *ivars, size_t nelems, const int *status, int cmp, size_t *cmp_values) { return oxshmem_test_all_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ int nvshmem_ptrdiff_test_all_vector(ptrdiff_t *ivars, size_t nelems, const int *status, int cmp, ptrdiff_t *cmp_values) { return oxshmem_test_all_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_short_test_any(short *ivars, size_t nelems, const int *status, int cmp, short cmp_value) { return oxshmem_test_any_i16(oxshmem_c::as<oxshmem_c::i16>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_int_test_any(int *ivars, size_t nelems, const int *status, int cmp, int cmp_value) { return oxshmem_test_any_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_long_test_any(long *ivars, size_t nelems, const int *status, int cmp, long cmp_value) { return oxshmem_test_any_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_longlong_test_any(long long *ivars, size_t nelems, const int *status, int cmp, long long cmp_value) { return oxshmem_test_any_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_ushort_test_any(unsigned short *ivars, size_t nelems, const int *status, int cmp, unsigned short cmp_value) { return oxshmem_test_any_u16(oxshmem_c::as<oxshmem_c::u16>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_uint_test_any(unsigned int *ivars, size_t nelems, const int *status, int cmp, unsigned int cmp_value) { return oxshmem_test_any_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_ulong_test_any(unsigned long *ivars, size_t nelems, const int *status, int cmp, unsigned long cmp_value) { return oxshmem_test_any_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_ulonglong_test_any(unsigned long long *ivars, size_t nelems, const int *status, int cmp, unsigned long long cmp_value) { return oxshmem_test_any_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_int32_test_any(int32_t *ivars, size_t nelems, const int *status, int cmp, int32_t cmp_value) { return oxshmem_test_any_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_int64_test_any(int64_t *ivars, size_t nelems, const int *status, int cmp, int64_t cmp_value) { return oxshmem_test_any_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_uint32_test_any(uint32_t *ivars, size_t nelems, const int *status, int cmp, uint32_t cmp_value) { return oxshmem_test_any_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_uint64_test_any(uint64_t *ivars, size_t nelems, const int *status, int cmp, uint64_t cmp_value) { return oxshmem_test_any_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_size_test_any(size_t *ivars, size_t nelems, const int *status, int cmp, size_t cmp_value) { return oxshmem_test_any_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_ptrdiff_test_any(ptrdiff_t *ivars, size_t nelems, const int *status, int cmp, ptrdiff_t cmp_value) { return oxshmem_test_any_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_short_test_any_vector(short *ivars, size_t nelems, const int *status, int cmp, short *cmp_values) { return oxshmem_test_any_i16(oxshmem_c::as<oxshmem_c::i16>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i16>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_int_test_any_vector(int *ivars, size_t nelems, const int *status, int cmp, int *cmp_values) { return oxshmem_test_any_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i32>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_long_test_any_vector(long *ivars, size_t nelems, const int *status, int cmp, long *cmp_values) { return oxshmem_test_any_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_longlong_test_any_vector(long long *ivars, size_t nelems, const int *status, int cmp, long long *cmp_values) { return oxshmem_test_any_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_ushort_test_any_vector(unsigned short *ivars, size_t nelems, const int *status, int cmp, unsigned short *cmp_values) { return oxshmem_test_any_u16(oxshmem_c::as<oxshmem_c::u16>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u16>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_uint_test_any_vector(unsigned int *ivars, size_t nelems, const int *status, int cmp, unsigned int *cmp_values) { return oxshmem_test_any_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u32>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_ulong_test_any_vector(unsigned long *ivars, size_t nelems, const int *status, int cmp, unsigned long *cmp_values) { return oxshmem_test_any_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_ulonglong_test_any_vector(unsigned long long *ivars, size_t nelems, const int *status, int cmp, unsigned long long *cmp_values) { return oxshmem_test_any_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_int32_test_any_vector(int32_t *ivars, size_t nelems, const int *status, int cmp, int32_t *cmp_values) { return oxshmem_test_any_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i32>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_int64_test_any_vector(int64_t *ivars, size_t nelems, const int *status, int cmp, int64_t *cmp_values) { return oxshmem_test_any_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_uint32_test_any_vector(uint32_t *ivars, size_t nelems, const int *status, int cmp, uint32_t *cmp_values) { return oxshmem_test_any_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u32>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_uint64_test_any_vector(uint64_t *ivars, size_t nelems, const int *status, int cmp, uint64_t *cmp_values) { return oxshmem_test_any_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_size_test_any_vector(size_t *ivars, size_t nelems, const int *status, int cmp, size_t *cmp_values) { return oxshmem_test_any_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_ptrdiff_test_any_vector(ptrdiff_t *ivars, size_t nelems, const int *status, int cmp, ptrdiff_t *cmp_values) { return oxshmem_test_any_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_short_test_some(short *ivars, size_t nelems, size_t *indices, const int *status, int cmp, short cmp_value) { return oxshmem_test_some_i16(oxshmem_c::as<oxshmem_c::i16>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_int_test_some(int *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int cmp_value) { return oxshmem_test_some_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_long_test_some(long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, long cmp_value) { return oxshmem_test_some_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_longlong_test_some(long long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, long long cmp_value) { return oxshmem_test_some_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_ushort_test_some(unsigned short *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned short cmp_value) { return oxshmem_test_some_u16(oxshmem_c::as<oxshmem_c::u16>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_uint_test_some(unsigned int *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned int cmp_value) { return oxshmem_test_some_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_ulong_test_some(unsigned long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned long cmp_value) { return oxshmem_test_some_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_ulonglong_test_some(unsigned long long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned long long cmp_value) { return oxshmem_test_some_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_int32_test_some(int32_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int32_t cmp_value) { return oxshmem_test_some_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_int64_test_some(int64_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int64_t cmp_value) { return oxshmem_test_some_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_uint32_test_some(uint32_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, uint32_t cmp_value) { return oxshmem_test_some_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_uint64_test_some(uint64_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, uint64_t cmp_value) { return oxshmem_test_some_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_size_test_some(size_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, size_t cmp_value) { return oxshmem_test_some_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_ptrdiff_test_some(ptrdiff_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, ptrdiff_t cmp_value) { return oxshmem_test_some_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, indices, status, cmp, cmp_value, nullptr); }
static __device__ __forceinline__ size_t nvshmem_short_test_some_vector(short *ivars, size_t nelems, size_t *indices, const int *status, int cmp, short *cmp_values) { return oxshmem_test_some_i16(oxshmem_c::as<oxshmem_c::i16>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::i16>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_int_test_some_vector(int *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int *cmp_values) { return oxshmem_test_some_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::i32>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_long_test_some_vector(long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, long *cmp_values) { return oxshmem_test_some_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_longlong_test_some_vector(long long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, long long *cmp_values) { return oxshmem_test_some_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_ushort_test_some_vector(unsigned short *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned short *cmp_values) { return oxshmem_test_some_u16(oxshmem_c::as<oxshmem_c::u16>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::u16>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_uint_test_some_vector(unsigned int *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned int *cmp_values) { return oxshmem_test_some_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::u32>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_ulong_test_some_vector(unsigned long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned long *cmp_values) { return oxshmem_test_some_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_ulonglong_test_some_vector(unsigned long long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned long long *cmp_values) { return oxshmem_test_some_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_int32_test_some_vector(int32_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int32_t *cmp_values) { return oxshmem_test_some_i32(oxshmem_c::as<oxshmem_c::i32>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::i32>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_int64_test_some_vector(int64_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int64_t *cmp_values) { return oxshmem_test_some_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_uint32_test_some_vector(uint32_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, uint32_t *cmp_values) { return oxshmem_test_some_u32(oxshmem_c::as<oxshmem_c::u32>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::u32>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_uint64_test_some_vector(uint64_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, uint64_t *cmp_values) { return oxshmem_test_some_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_size_test_some_vector(size_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, size_t *cmp_values) { return oxshmem_test_some_u64(oxshmem_c::as<oxshmem_c::u64>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::u64>(cmp_values)); }
static __device__ __forceinline__ size_t nvshmem_ptrdiff_test_some_vector(ptrdiff_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, ptrdiff_t *cmp_values) { return oxshmem_test_some_i64(oxshmem_c::as<oxshmem_c::i64>(ivars), nelems, indices, status, cmp, 0, oxshmem_c::as<oxshmem_c::i64>(cmp_values)); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int_atomic_inc(int *dest, int pe) { oxshmem_c::amo_add(dest, (int)1, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_long_atomic_inc(long *dest, int pe) { oxshmem_c::amo_add(dest, (long)1, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_longlong_atomic_inc(long long *dest, int pe) { oxshmem_c::amo_add(dest, (long long)1, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint_atomic_inc(unsigned int *dest, int pe) { oxshmem_c::amo_add(dest, (unsigned int)1, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulong_atomic_inc(unsigned long *dest, int pe) { oxshmem_c::amo_add(dest, (unsigned long)1, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulonglong_atomic_inc(unsigned long long *dest, int pe) { oxshmem_c::amo_add(dest, (unsigned long long)1, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int32_atomic_inc(int32_t *dest, int pe) { oxshmem_c::amo_add(dest, (int32_t)1, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int64_atomic_inc(int64_t *dest, int pe) { oxshmem_c::amo_add(dest, (int64_t)1, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint32_atomic_inc(uint32_t *dest, int pe) { oxshmem_c::amo_add(dest, (uint32_t)1, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint64_atomic_inc(uint64_t *dest, int pe) { oxshmem_c::amo_add(dest, (uint64_t)1, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_size_atomic_inc(size_t *dest, int pe) { oxshmem_c::amo_add(dest, (size_t)1, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ptrdiff_atomic_inc(ptrdiff_t *dest, int pe) { oxshmem_c::amo_add(dest, (ptrdiff_t)1, pe); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int_atomic_fetch_inc(int *dest, int pe) { return oxshmem_c::amo_fetch_add(dest, (int)1, pe); }
static OXSHMEM_BOTH __forceinline__ long nvshmem_long_atomic_fetch_inc(long *dest, int pe) { return oxshmem_c::amo_fetch_add(dest, (long)1, pe); }
static OXSHMEM_BOTH __forceinline__ long long nvshmem_longlong_atomic_fetch_inc(long long *dest, int pe) { return oxshmem_c::amo_fetch_add(dest, (long long)1, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned int nvshmem_uint_atomic_fetch_inc(unsigned int *dest, int pe) { return oxshmem_c::amo_fetch_add(dest, (unsigned int)1, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned long nvshmem_ulong_atomic_fetch_inc(unsigned long *dest, int pe) { return oxshmem_c::amo_fetch_add(dest, (unsigned long)1, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned long long nvshmem_ulonglong_atomic_fetch_inc(unsigned long long *dest, int pe) { return oxshmem_c::amo_fetch_add(dest, (unsigned long long)1, pe); }
static OXSHMEM_BOTH __forceinline__ int32_t nvshmem_int32_atomic_fetch_inc(int32_t *dest, int pe) { return oxshmem_c::amo_fetch_add(dest, (int32_t)1, pe); }
static OXSHMEM_BOTH __forceinline__ int64_t nvshmem_int64_atomic_fetch_inc(int64_t *dest, int pe) { return oxshmem_c::amo_fetch_add(dest, (int64_t)1, pe); }
static OXSHMEM_BOTH __forceinline__ uint32_t nvshmem_uint32_atomic_fetch_inc(uint32_t *dest, int pe) { return oxshmem_c::amo_fetch_add(dest, (uint32_t)1, pe); }
static OXSHMEM_BOTH __forceinline__ uint64_t nvshmem_uint64_atomic_fetch_inc(uint64_t *dest, int pe) { return oxshmem_c::amo_fetch_add(dest, (uint64_t)1, pe); }
static OXSHMEM_BOTH __forceinline__ size_t nvshmem_size_atomic_fetch_inc(size_t *dest, int pe) { return oxshmem_c::amo_fetch_add(dest, (size_t)1, pe); }
static OXSHMEM_BOTH __forceinline__ ptrdiff_t nvshmem_ptrdiff_atomic_fetch_inc(ptrdiff_t *dest, int pe) { return oxshmem_c::amo_fetch_add(dest, (ptrdiff_t)1, pe); }
static OXSHMEM_BOTH __forceinline__ half nvshmem_half_atomic_fetch(const half *dest, int pe) { return oxshmem_c::amo_fetch(dest, pe); }
static OXSHMEM_BOTH __forceinline__ float nvshmem_float_atomic_fetch(const float *dest, int pe) { return oxshmem_c::amo_fetch(dest, pe); }
static OXSHMEM_BOTH __forceinline__ double nvshmem_double_atomic_fetch(const double *dest, int pe) { return oxshmem_c::amo_fetch(dest, pe); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int_atomic_fetch(const int *dest, int pe) { return oxshmem_c::amo_fetch(dest, pe); }
static OXSHMEM_BOTH __forceinline__ long nvshmem_long_atomic_fetch(const long *dest, int pe) { return oxshmem_c::amo_fetch(dest, pe); }
static OXSHMEM_BOTH __forceinline__ long long nvshmem_longlong_atomic_fetch(const long long *dest, int pe) { return oxshmem_c::amo_fetch(dest, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned int nvshmem_uint_atomic_fetch(const unsigned int *dest, int pe) { return oxshmem_c::amo_fetch(dest, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned long nvshmem_ulong_atomic_fetch(const unsigned long *dest, int pe) { return oxshmem_c::amo_fetch(dest, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned long long nvshmem_ulonglong_atomic_fetch(const unsigned long long *dest, int pe) { return oxshmem_c::amo_fetch(dest, pe); }
static OXSHMEM_BOTH __forceinline__ int32_t nvshmem_int32_atomic_fetch(const int32_t *dest, int pe) { return oxshmem_c::amo_fetch(dest, pe); }
static OXSHMEM_BOTH __forceinline__ int64_t nvshmem_int64_atomic_fetch(const int64_t *dest, int pe) { return oxshmem_c::amo_fetch(dest, pe); }
static OXSHMEM_BOTH __forceinline__ uint32_t nvshmem_uint32_atomic_fetch(const uint32_t *dest, int pe) { return oxshmem_c::amo_fetch(dest, pe); }
static OXSHMEM_BOTH __forceinline__ uint64_t nvshmem_uint64_atomic_fetch(const uint64_t *dest, int pe) { return oxshmem_c::amo_fetch(dest, pe); }
static OXSHMEM_BOTH __forceinline__ size_t nvshmem_size_atomic_fetch(const size_t *dest, int pe) { return oxshmem_c::amo_fetch(dest, pe); }
static OXSHMEM_BOTH __forceinline__ ptrdiff_t nvshmem_ptrdiff_atomic_fetch(const ptrdiff_t *dest, int pe) { return oxshmem_c::amo_fetch(dest, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_half_atomic_set(half *dest, half value, int pe) { oxshmem_c::amo_set(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_float_atomic_set(float *dest, float value, int pe) { oxshmem_c::amo_set(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_double_atomic_set(double *dest, double value, int pe) { oxshmem_c::amo_set(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int_atomic_set(int *dest, int value, int pe) { oxshmem_c::amo_set(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_long_atomic_set(long *dest, long value, int pe) { oxshmem_c::amo_set(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_longlong_atomic_set(long long *dest, long long value, int pe) { oxshmem_c::amo_set(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint_atomic_set(unsigned int *dest, unsigned int value, int pe) { oxshmem_c::amo_set(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulong_atomic_set(unsigned long *dest, unsigned long value, int pe) { oxshmem_c::amo_set(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulonglong_atomic_set(unsigned long long *dest, unsigned long long value, int pe) { oxshmem_c::amo_set(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int32_atomic_set(int32_t *dest, int32_t value, int pe) { oxshmem_c::amo_set(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int64_atomic_set(int64_t *dest, int64_t value, int pe) { oxshmem_c::amo_set(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint32_atomic_set(uint32_t *dest, uint32_t value, int pe) { oxshmem_c::amo_set(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint64_atomic_set(uint64_t *dest, uint64_t value, int pe) { oxshmem_c::amo_set(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_size_atomic_set(size_t *dest, size_t value, int pe) { oxshmem_c::amo_set(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ptrdiff_atomic_set(ptrdiff_t *dest, ptrdiff_t value, int pe) { oxshmem_c::amo_set(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ half nvshmem_half_atomic_swap(half *dest, half value, int pe) { return oxshmem_c::amo_swap(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ float nvshmem_float_atomic_swap(float *dest, float value, int pe) { return oxshmem_c::amo_swap(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ double nvshmem_double_atomic_swap(double *dest, double value, int pe) { return oxshmem_c::amo_swap(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int_atomic_swap(int *dest, int value, int pe) { return oxshmem_c::amo_swap(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ long nvshmem_long_atomic_swap(long *dest, long value, int pe) { return oxshmem_c::amo_swap(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ long long nvshmem_longlong_atomic_swap(long long *dest, long long value, int pe) { return oxshmem_c::amo_swap(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned int nvshmem_uint_atomic_swap(unsigned int *dest, unsigned int value, int pe) { return oxshmem_c::amo_swap(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned long nvshmem_ulong_atomic_swap(unsigned long *dest, unsigned long value, int pe) { return oxshmem_c::amo_swap(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned long long nvshmem_ulonglong_atomic_swap(unsigned long long *dest, unsigned long long value, int pe) { return oxshmem_c::amo_swap(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ int32_t nvshmem_int32_atomic_swap(int32_t *dest, int32_t value, int pe) { return oxshmem_c::amo_swap(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ int64_t nvshmem_int64_atomic_swap(int64_t *dest, int64_t value, int pe) { return oxshmem_c::amo_swap(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ uint32_t nvshmem_uint32_atomic_swap(uint32_t *dest, uint32_t value, int pe) { return oxshmem_c::amo_swap(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ uint64_t nvshmem_uint64_atomic_swap(uint64_t *dest, uint64_t value, int pe) { return oxshmem_c::amo_swap(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ size_t nvshmem_size_atomic_swap(size_t *dest, size_t value, int pe) { return oxshmem_c::amo_swap(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ ptrdiff_t nvshmem_ptrdiff_atomic_swap(ptrdiff_t *dest, ptrdiff_t value, int pe) { return oxshmem_c::amo_swap(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int_atomic_compare_swap(int *dest, int cond, int value, int pe) { return oxshmem_c::amo_compare_swap(dest, cond, value, pe); }
static OXSHMEM_BOTH __forceinline__ long nvshmem_long_atomic_compare_swap(long *dest, long cond, long value, int pe) { return oxshmem_c::amo_compare_swap(dest, cond, value, pe); }
static OXSHMEM_BOTH __forceinline__ long long nvshmem_longlong_atomic_compare_swap(long long *dest, long long cond, long long value, int pe) { return oxshmem_c::amo_compare_swap(dest, cond, value, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned int nvshmem_uint_atomic_compare_swap(unsigned int *dest, unsigned int cond, unsigned int value, int pe) { return oxshmem_c::amo_compare_swap(dest, cond, value, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned long nvshmem_ulong_atomic_compare_swap(unsigned long *dest, unsigned long cond, unsigned long value, int pe) { return oxshmem_c::amo_compare_swap(dest, cond, value, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned long long nvshmem_ulonglong_atomic_compare_swap(unsigned long long *dest, unsigned long long cond, unsigned long long value, int pe) { return oxshmem_c::amo_compare_swap(dest, cond, value, pe); }
static OXSHMEM_BOTH __forceinline__ int32_t nvshmem_int32_atomic_compare_swap(int32_t *dest, int32_t cond, int32_t value, int pe) { return oxshmem_c::amo_compare_swap(dest, cond, value, pe); }
static OXSHMEM_BOTH __forceinline__ int64_t nvshmem_int64_atomic_compare_swap(int64_t *dest, int64_t cond, int64_t value, int pe) { return oxshmem_c::amo_compare_swap(dest, cond, value, pe); }
static OXSHMEM_BOTH __forceinline__ uint32_t nvshmem_uint32_atomic_compare_swap(uint32_t *dest, uint32_t cond, uint32_t value, int pe) { return oxshmem_c::amo_compare_swap(dest, cond, value, pe); }
static OXSHMEM_BOTH __forceinline__ uint64_t nvshmem_uint64_atomic_compare_swap(uint64_t *dest, uint64_t cond, uint64_t value, int pe) { return oxshmem_c::amo_compare_swap(dest, cond, value, pe); }
static OXSHMEM_BOTH __forceinline__ size_t nvshmem_size_atomic_compare_swap(size_t *dest, size_t cond, size_t value, int pe) { return oxshmem_c::amo_compare_swap(dest, cond, value, pe); }
static OXSHMEM_BOTH __forceinline__ ptrdiff_t nvshmem_ptrdiff_atomic_compare_swap(ptrdiff_t *dest, ptrdiff_t cond, ptrdiff_t value, int pe) { return oxshmem_c::amo_compare_swap(dest, cond, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int_atomic_add(int *dest, int value, int pe) { oxshmem_c::amo_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_long_atomic_add(long *dest, long value, int pe) { oxshmem_c::amo_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_longlong_atomic_add(long long *dest, long long value, int pe) { oxshmem_c::amo_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint_atomic_add(unsigned int *dest, unsigned int value, int pe) { oxshmem_c::amo_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulong_atomic_add(unsigned long *dest, unsigned long value, int pe) { oxshmem_c::amo_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulonglong_atomic_add(unsigned long long *dest, unsigned long long value, int pe) { oxshmem_c::amo_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int32_atomic_add(int32_t *dest, int32_t value, int pe) { oxshmem_c::amo_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int64_atomic_add(int64_t *dest, int64_t value, int pe) { oxshmem_c::amo_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint32_atomic_add(uint32_t *dest, uint32_t value, int pe) { oxshmem_c::amo_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint64_atomic_add(uint64_t *dest, uint64_t value, int pe) { oxshmem_c::amo_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_size_atomic_add(size_t *dest, size_t value, int pe) { oxshmem_c::amo_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ptrdiff_atomic_add(ptrdiff_t *dest, ptrdiff_t value, int pe) { oxshmem_c::amo_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int_atomic_fetch_add(int *dest, int value, int pe) { return oxshmem_c::amo_fetch_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ long nvshmem_long_atomic_fetch_add(long *dest, long value, int pe) { return oxshmem_c::amo_fetch_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ long long nvshmem_longlong_atomic_fetch_add(long long *dest, long long value, int pe) { return oxshmem_c::amo_fetch_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned int nvshmem_uint_atomic_fetch_add(unsigned int *dest, unsigned int value, int pe) { return oxshmem_c::amo_fetch_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned long nvshmem_ulong_atomic_fetch_add(unsigned long *dest, unsigned long value, int pe) { return oxshmem_c::amo_fetch_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned long long nvshmem_ulonglong_atomic_fetch_add(unsigned long long *dest, unsigned long long value, int pe) { return oxshmem_c::amo_fetch_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ int32_t nvshmem_int32_atomic_fetch_add(int32_t *dest, int32_t value, int pe) { return oxshmem_c::amo_fetch_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ int64_t nvshmem_int64_atomic_fetch_add(int64_t *dest, int64_t value, int pe) { return oxshmem_c::amo_fetch_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ uint32_t nvshmem_uint32_atomic_fetch_add(uint32_t *dest, uint32_t value, int pe) { return oxshmem_c::amo_fetch_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ uint64_t nvshmem_uint64_atomic_fetch_add(uint64_t *dest, uint64_t value, int pe) { return oxshmem_c::amo_fetch_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ size_t nvshmem_size_atomic_fetch_add(size_t *dest, size_t value, int pe) { return oxshmem_c::amo_fetch_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ ptrdiff_t nvshmem_ptrdiff_atomic_fetch_add(ptrdiff_t *dest, ptrdiff_t value, int pe) { return oxshmem_c::amo_fetch_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmemx_half_atomic_add(half *dest, half value, int pe) { oxshmem_c::amo_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmemx_float_atomic_add(float *dest, float value, int pe) { oxshmem_c::amo_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmemx_double_atomic_add(double *dest, double value, int pe) { oxshmem_c::amo_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ half nvshmemx_half_atomic_fetch_add(half *dest, half value, int pe) { return oxshmem_c::amo_fetch_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ float nvshmemx_float_atomic_fetch_add(float *dest, float value, int pe) { return oxshmem_c::amo_fetch_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ double nvshmemx_double_atomic_fetch_add(double *dest, double value, int pe) { return oxshmem_c::amo_fetch_add(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint_atomic_and(unsigned int *dest, unsigned int value, int pe) { oxshmem_c::amo_and(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulong_atomic_and(unsigned long *dest, unsigned long value, int pe) { oxshmem_c::amo_and(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulonglong_atomic_and(unsigned long long *dest, unsigned long long value, int pe) { oxshmem_c::amo_and(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int32_atomic_and(int32_t *dest, int32_t value, int pe) { oxshmem_c::amo_and(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int64_atomic_and(int64_t *dest, int64_t value, int pe) { oxshmem_c::amo_and(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint32_atomic_and(uint32_t *dest, uint32_t value, int pe) { oxshmem_c::amo_and(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint64_atomic_and(uint64_t *dest, uint64_t value, int pe) { oxshmem_c::amo_and(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned int nvshmem_uint_atomic_fetch_and(unsigned int *dest, unsigned int value, int pe) { return oxshmem_c::amo_fetch_and(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned long nvshmem_ulong_atomic_fetch_and(unsigned long *dest, unsigned long value, int pe) { return oxshmem_c::amo_fetch_and(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned long long nvshmem_ulonglong_atomic_fetch_and(unsigned long long *dest, unsigned long long value, int pe) { return oxshmem_c::amo_fetch_and(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ int32_t nvshmem_int32_atomic_fetch_and(int32_t *dest, int32_t value, int pe) { return oxshmem_c::amo_fetch_and(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ int64_t nvshmem_int64_atomic_fetch_and(int64_t *dest, int64_t value, int pe) { return oxshmem_c::amo_fetch_and(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ uint32_t nvshmem_uint32_atomic_fetch_and(uint32_t *dest, uint32_t value, int pe) { return oxshmem_c::amo_fetch_and(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ uint64_t nvshmem_uint64_atomic_fetch_and(uint64_t *dest, uint64_t value, int pe) { return oxshmem_c::amo_fetch_and(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint_atomic_or(unsigned int *dest, unsigned int value, int pe) { oxshmem_c::amo_or(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulong_atomic_or(unsigned long *dest, unsigned long value, int pe) { oxshmem_c::amo_or(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulonglong_atomic_or(unsigned long long *dest, unsigned long long value, int pe) { oxshmem_c::amo_or(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int32_atomic_or(int32_t *dest, int32_t value, int pe) { oxshmem_c::amo_or(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int64_atomic_or(int64_t *dest, int64_t value, int pe) { oxshmem_c::amo_or(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint32_atomic_or(uint32_t *dest, uint32_t value, int pe) { oxshmem_c::amo_or(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint64_atomic_or(uint64_t *dest, uint64_t value, int pe) { oxshmem_c::amo_or(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned int nvshmem_uint_atomic_fetch_or(unsigned int *dest, unsigned int value, int pe) { return oxshmem_c::amo_fetch_or(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned long nvshmem_ulong_atomic_fetch_or(unsigned long *dest, unsigned long value, int pe) { return oxshmem_c::amo_fetch_or(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned long long nvshmem_ulonglong_atomic_fetch_or(unsigned long long *dest, unsigned long long value, int pe) { return oxshmem_c::amo_fetch_or(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ int32_t nvshmem_int32_atomic_fetch_or(int32_t *dest, int32_t value, int pe) { return oxshmem_c::amo_fetch_or(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ int64_t nvshmem_int64_atomic_fetch_or(int64_t *dest, int64_t value, int pe) { return oxshmem_c::amo_fetch_or(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ uint32_t nvshmem_uint32_atomic_fetch_or(uint32_t *dest, uint32_t value, int pe) { return oxshmem_c::amo_fetch_or(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ uint64_t nvshmem_uint64_atomic_fetch_or(uint64_t *dest, uint64_t value, int pe) { return oxshmem_c::amo_fetch_or(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint_atomic_xor(unsigned int *dest, unsigned int value, int pe) { oxshmem_c::amo_xor(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulong_atomic_xor(unsigned long *dest, unsigned long value, int pe) { oxshmem_c::amo_xor(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_ulonglong_atomic_xor(unsigned long long *dest, unsigned long long value, int pe) { oxshmem_c::amo_xor(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int32_atomic_xor(int32_t *dest, int32_t value, int pe) { oxshmem_c::amo_xor(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_int64_atomic_xor(int64_t *dest, int64_t value, int pe) { oxshmem_c::amo_xor(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint32_atomic_xor(uint32_t *dest, uint32_t value, int pe) { oxshmem_c::amo_xor(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_uint64_atomic_xor(uint64_t *dest, uint64_t value, int pe) { oxshmem_c::amo_xor(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned int nvshmem_uint_atomic_fetch_xor(unsigned int *dest, unsigned int value, int pe) { return oxshmem_c::amo_fetch_xor(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned long nvshmem_ulong_atomic_fetch_xor(unsigned long *dest, unsigned long value, int pe) { return oxshmem_c::amo_fetch_xor(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ unsigned long long nvshmem_ulonglong_atomic_fetch_xor(unsigned long long *dest, unsigned long long value, int pe) { return oxshmem_c::amo_fetch_xor(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ int32_t nvshmem_int32_atomic_fetch_xor(int32_t *dest, int32_t value, int pe) { return oxshmem_c::amo_fetch_xor(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ int64_t nvshmem_int64_atomic_fetch_xor(int64_t *dest, int64_t value, int pe) { return oxshmem_c::amo_fetch_xor(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ uint32_t nvshmem_uint32_atomic_fetch_xor(uint32_t *dest, uint32_t value, int pe) { return oxshmem_c::amo_fetch_xor(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ uint64_t nvshmem_uint64_atomic_fetch_xor(uint64_t *dest, uint64_t value, int pe) { return oxshmem_c::amo_fetch_xor(dest, value, pe); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_fence(void) { oxshmem_c::fence(); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_quiet(void) { oxshmem_c::quiet(); }
static OXSHMEM_BOTH __forceinline__ void nvshmemx_flush(void) { oxshmem_c::quiet(); }
static __device__ __forceinline__ void nvshmemx_flush_warp(void) { oxshmem_c::quiet_warp(); }
static __device__ __forceinline__ void nvshmemx_flush_block(void) { oxshmem_c::quiet_block(); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_team_my_pe(nvshmem_team_t team) { return oxshmem_team_my_pe(team); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_team_n_pes(nvshmem_team_t team) { return oxshmem_team_n_pes(team); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_team_translate_pe(nvshmem_team_t src_team, int src_pe, nvshmem_team_t dest_team) { return oxshmem_team_translate_pe(src_team, src_pe, dest_team); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_barrier(nvshmem_team_t team) { return oxshmem_c::meet(team, 1); }
static __device__ __forceinline__ int nvshmemx_barrier_warp(nvshmem_team_t team) { return oxshmem_c::meet_warp(team, 1); }
static __device__ __forceinline__ int nvshmemx_barrier_block(nvshmem_team_t team) { return oxshmem_c::meet_block(team, 1); }
static __device__ __forceinline__ int nvshmemx_barrier_warpgroup(nvshmem_team_t team) { return oxshmem_c::barrier_warpgroup(team); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_barrier_all(void) { oxshmem_c::meet_all(1); }
static __device__ __forceinline__ void nvshmemx_barrier_all_warp(void) { oxshmem_c::meet_all_warp(1); }
static __device__ __forceinline__ void nvshmemx_barrier_all_block(void) { oxshmem_c::meet_all_block(1); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_team_sync(nvshmem_team_t team) { return oxshmem_c::meet(team, 0); }
static __device__ __forceinline__ int nvshmemx_team_sync_warp(nvshmem_team_t team) { return oxshmem_c::meet_warp(team, 0); }
static __device__ __forceinline__ int nvshmemx_team_sync_block(nvshmem_team_t team) { return oxshmem_c::meet_block(team, 0); }
static OXSHMEM_BOTH __forceinline__ void nvshmem_sync_all(void) { oxshmem_c::meet_all(0); }
static __device__ __forceinline__ void nvshmemx_sync_all_warp(void) { oxshmem_c::meet_all_warp(0); }
static __device__ __forceinline__ void nvshmemx_sync_all_block(void) { oxshmem_c::meet_all_block(0); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_bfloat16_broadcast(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 2, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_half_broadcast(nvshmem_team_t team, half *dest, const half *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 2, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_float_broadcast(nvshmem_team_t team, float *dest, const float *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 4, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_double_broadcast(nvshmem_team_t team, double *dest, const double *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 8, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_char_broadcast(nvshmem_team_t team, char *dest, const char *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 1, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_short_broadcast(nvshmem_team_t team, short *dest, const short *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 2, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_schar_broadcast(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 1, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int_broadcast(nvshmem_team_t team, int *dest, const int *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 4, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_long_broadcast(nvshmem_team_t team, long *dest, const long *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 8, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_longlong_broadcast(nvshmem_team_t team, long long *dest, const long long *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 8, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uchar_broadcast(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 1, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ushort_broadcast(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 2, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint_broadcast(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 4, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulong_broadcast(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 8, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulonglong_broadcast(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 8, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int8_broadcast(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 1, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int16_broadcast(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 2, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int32_broadcast(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 4, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int64_broadcast(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 8, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint8_broadcast(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 1, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint16_broadcast(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 2, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint32_broadcast(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 4, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint64_broadcast(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 8, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_size_broadcast(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 8, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ptrdiff_broadcast(nvshmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 8, PE_root); }
static __device__ __forceinline__ int nvshmemx_bfloat16_broadcast_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 2, PE_root); }
static __device__ __forceinline__ int nvshmemx_half_broadcast_warp(nvshmem_team_t team, half *dest, const half *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 2, PE_root); }
static __device__ __forceinline__ int nvshmemx_float_broadcast_warp(nvshmem_team_t team, float *dest, const float *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 4, PE_root); }
static __device__ __forceinline__ int nvshmemx_double_broadcast_warp(nvshmem_team_t team, double *dest, const double *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 8, PE_root); }
static __device__ __forceinline__ int nvshmemx_char_broadcast_warp(nvshmem_team_t team, char *dest, const char *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 1, PE_root); }
static __device__ __forceinline__ int nvshmemx_short_broadcast_warp(nvshmem_team_t team, short *dest, const short *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 2, PE_root); }
static __device__ __forceinline__ int nvshmemx_schar_broadcast_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 1, PE_root); }
static __device__ __forceinline__ int nvshmemx_int_broadcast_warp(nvshmem_team_t team, int *dest, const int *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 4, PE_root); }
static __device__ __forceinline__ int nvshmemx_long_broadcast_warp(nvshmem_team_t team, long *dest, const long *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 8, PE_root); }
static __device__ __forceinline__ int nvshmemx_longlong_broadcast_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 8, PE_root); }
static __device__ __forceinline__ int nvshmemx_uchar_broadcast_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 1, PE_root); }
static __device__ __forceinline__ int nvshmemx_ushort_broadcast_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 2, PE_root); }
static __device__ __forceinline__ int nvshmemx_uint_broadcast_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 4, PE_root); }
static __device__ __forceinline__ int nvshmemx_ulong_broadcast_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 8, PE_root); }
static __device__ __forceinline__ int nvshmemx_ulonglong_broadcast_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 8, PE_root); }
static __device__ __forceinline__ int nvshmemx_int8_broadcast_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 1, PE_root); }
static __device__ __forceinline__ int nvshmemx_int16_broadcast_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 2, PE_root); }
static __device__ __forceinline__ int nvshmemx_int32_broadcast_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 4, PE_root); }
static __device__ __forceinline__ int nvshmemx_int64_broadcast_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 8, PE_root); }
static __device__ __forceinline__ int nvshmemx_uint8_broadcast_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 1, PE_root); }
static __device__ __forceinline__ int nvshmemx_uint16_broadcast_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 2, PE_root); }
static __device__ __forceinline__ int nvshmemx_uint32_broadcast_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 4, PE_root); }
static __device__ __forceinline__ int nvshmemx_uint64_broadcast_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 8, PE_root); }
static __device__ __forceinline__ int nvshmemx_size_broadcast_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 8, PE_root); }
static __device__ __forceinline__ int nvshmemx_ptrdiff_broadcast_warp(nvshmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 8, PE_root); }
static __device__ __forceinline__ int nvshmemx_bfloat16_broadcast_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 2, PE_root); }
static __device__ __forceinline__ int nvshmemx_half_broadcast_block(nvshmem_team_t team, half *dest, const half *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 2, PE_root); }
static __device__ __forceinline__ int nvshmemx_float_broadcast_block(nvshmem_team_t team, float *dest, const float *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 4, PE_root); }
static __device__ __forceinline__ int nvshmemx_double_broadcast_block(nvshmem_team_t team, double *dest, const double *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 8, PE_root); }
static __device__ __forceinline__ int nvshmemx_char_broadcast_block(nvshmem_team_t team, char *dest, const char *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 1, PE_root); }
static __device__ __forceinline__ int nvshmemx_short_broadcast_block(nvshmem_team_t team, short *dest, const short *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 2, PE_root); }
static __device__ __forceinline__ int nvshmemx_schar_broadcast_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 1, PE_root); }
static __device__ __forceinline__ int nvshmemx_int_broadcast_block(nvshmem_team_t team, int *dest, const int *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 4, PE_root); }
static __device__ __forceinline__ int nvshmemx_long_broadcast_block(nvshmem_team_t team, long *dest, const long *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 8, PE_root); }
static __device__ __forceinline__ int nvshmemx_longlong_broadcast_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 8, PE_root); }
static __device__ __forceinline__ int nvshmemx_uchar_broadcast_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 1, PE_root); }
static __device__ __forceinline__ int nvshmemx_ushort_broadcast_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 2, PE_root); }
static __device__ __forceinline__ int nvshmemx_uint_broadcast_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 4, PE_root); }
static __device__ __forceinline__ int nvshmemx_ulong_broadcast_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 8, PE_root); }
static __device__ __forceinline__ int nvshmemx_ulonglong_broadcast_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 8, PE_root); }
static __device__ __forceinline__ int nvshmemx_int8_broadcast_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 1, PE_root); }
static __device__ __forceinline__ int nvshmemx_int16_broadcast_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 2, PE_root); }
static __device__ __forceinline__ int nvshmemx_int32_broadcast_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 4, PE_root); }
static __device__ __forceinline__ int nvshmemx_int64_broadcast_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 8, PE_root); }
static __device__ __forceinline__ int nvshmemx_uint8_broadcast_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 1, PE_root); }
static __device__ __forceinline__ int nvshmemx_uint16_broadcast_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 2, PE_root); }
static __device__ __forceinline__ int nvshmemx_uint32_broadcast_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 4, PE_root); }
static __device__ __forceinline__ int nvshmemx_uint64_broadcast_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 8, PE_root); }
static __device__ __forceinline__ int nvshmemx_size_broadcast_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 8, PE_root); }
static __device__ __forceinline__ int nvshmemx_ptrdiff_broadcast_block(nvshmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 8, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_broadcastmem(nvshmem_team_t team, void *dest, const void *source, size_t nelems, int PE_root) { return oxshmem_broadcast(team, dest, source, nelems * 1, PE_root); }
static __device__ __forceinline__ int nvshmemx_broadcastmem_warp(nvshmem_team_t team, void *dest, const void *source, size_t nelems, int PE_root) { return oxshmem_broadcast_warp(team, dest, source, nelems * 1, PE_root); }
static __device__ __forceinline__ int nvshmemx_broadcastmem_block(nvshmem_team_t team, void *dest, const void *source, size_t nelems, int PE_root) { return oxshmem_broadcast_block(team, dest, source, nelems * 1, PE_root); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_bfloat16_fcollect(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 2); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_half_fcollect(nvshmem_team_t team, half *dest, const half *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 2); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_float_fcollect(nvshmem_team_t team, float *dest, const float *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 4); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_double_fcollect(nvshmem_team_t team, double *dest, const double *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 8); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_char_fcollect(nvshmem_team_t team, char *dest, const char *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 1); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_short_fcollect(nvshmem_team_t team, short *dest, const short *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 2); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_schar_fcollect(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 1); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int_fcollect(nvshmem_team_t team, int *dest, const int *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 4); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_long_fcollect(nvshmem_team_t team, long *dest, const long *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 8); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_longlong_fcollect(nvshmem_team_t team, long long *dest, const long long *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 8); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uchar_fcollect(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 1); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ushort_fcollect(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 2); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint_fcollect(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 4); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulong_fcollect(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 8); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulonglong_fcollect(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 8); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int8_fcollect(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 1); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int16_fcollect(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 2); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int32_fcollect(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 4); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int64_fcollect(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 8); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint8_fcollect(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 1); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint16_fcollect(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 2); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint32_fcollect(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 4); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint64_fcollect(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 8); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_size_fcollect(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 8); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ptrdiff_fcollect(nvshmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_bfloat16_fcollect_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_half_fcollect_warp(nvshmem_team_t team, half *dest, const half *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_float_fcollect_warp(nvshmem_team_t team, float *dest, const float *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_double_fcollect_warp(nvshmem_team_t team, double *dest, const double *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_char_fcollect_warp(nvshmem_team_t team, char *dest, const char *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_short_fcollect_warp(nvshmem_team_t team, short *dest, const short *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_schar_fcollect_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_int_fcollect_warp(nvshmem_team_t team, int *dest, const int *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_long_fcollect_warp(nvshmem_team_t team, long *dest, const long *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_longlong_fcollect_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_uchar_fcollect_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_ushort_fcollect_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_uint_fcollect_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_ulong_fcollect_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_ulonglong_fcollect_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_int8_fcollect_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_int16_fcollect_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_int32_fcollect_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_int64_fcollect_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_uint8_fcollect_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_uint16_fcollect_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_uint32_fcollect_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_uint64_fcollect_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_size_fcollect_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_ptrdiff_fcollect_warp(nvshmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_bfloat16_fcollect_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_half_fcollect_block(nvshmem_team_t team, half *dest, const half *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_float_fcollect_block(nvshmem_team_t team, float *dest, const float *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_double_fcollect_block(nvshmem_team_t team, double *dest, const double *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_char_fcollect_block(nvshmem_team_t team, char *dest, const char *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_short_fcollect_block(nvshmem_team_t team, short *dest, const short *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_schar_fcollect_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_int_fcollect_block(nvshmem_team_t team, int *dest, const int *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_long_fcollect_block(nvshmem_team_t team, long *dest, const long *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_longlong_fcollect_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_uchar_fcollect_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_ushort_fcollect_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_uint_fcollect_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_ulong_fcollect_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_ulonglong_fcollect_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_int8_fcollect_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_int16_fcollect_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_int32_fcollect_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_int64_fcollect_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_uint8_fcollect_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_uint16_fcollect_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_uint32_fcollect_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_uint64_fcollect_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_size_fcollect_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_ptrdiff_fcollect_block(nvshmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 8); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_fcollectmem(nvshmem_team_t team, void *dest, const void *source, size_t nelems) { return oxshmem_fcollect(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_fcollectmem_warp(nvshmem_team_t team, void *dest, const void *source, size_t nelems) { return oxshmem_fcollect_warp(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_fcollectmem_block(nvshmem_team_t team, void *dest, const void *source, size_t nelems) { return oxshmem_fcollect_block(team, dest, source, nelems * 1); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_bfloat16_alltoall(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 2); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_half_alltoall(nvshmem_team_t team, half *dest, const half *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 2); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_float_alltoall(nvshmem_team_t team, float *dest, const float *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 4); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_double_alltoall(nvshmem_team_t team, double *dest, const double *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 8); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_char_alltoall(nvshmem_team_t team, char *dest, const char *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 1); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_short_alltoall(nvshmem_team_t team, short *dest, const short *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 2); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_schar_alltoall(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 1); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int_alltoall(nvshmem_team_t team, int *dest, const int *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 4); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_long_alltoall(nvshmem_team_t team, long *dest, const long *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 8); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_longlong_alltoall(nvshmem_team_t team, long long *dest, const long long *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 8); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uchar_alltoall(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 1); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ushort_alltoall(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 2); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint_alltoall(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 4); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulong_alltoall(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 8); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulonglong_alltoall(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 8); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int8_alltoall(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 1); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int16_alltoall(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 2); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int32_alltoall(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 4); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int64_alltoall(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 8); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint8_alltoall(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 1); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint16_alltoall(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 2); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint32_alltoall(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 4); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint64_alltoall(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 8); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_size_alltoall(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 8); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ptrdiff_alltoall(nvshmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_bfloat16_alltoall_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_half_alltoall_warp(nvshmem_team_t team, half *dest, const half *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_float_alltoall_warp(nvshmem_team_t team, float *dest, const float *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_double_alltoall_warp(nvshmem_team_t team, double *dest, const double *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_char_alltoall_warp(nvshmem_team_t team, char *dest, const char *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_short_alltoall_warp(nvshmem_team_t team, short *dest, const short *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_schar_alltoall_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_int_alltoall_warp(nvshmem_team_t team, int *dest, const int *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_long_alltoall_warp(nvshmem_team_t team, long *dest, const long *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_longlong_alltoall_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_uchar_alltoall_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_ushort_alltoall_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_uint_alltoall_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_ulong_alltoall_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_ulonglong_alltoall_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_int8_alltoall_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_int16_alltoall_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_int32_alltoall_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_int64_alltoall_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_uint8_alltoall_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_uint16_alltoall_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_uint32_alltoall_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_uint64_alltoall_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_size_alltoall_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_ptrdiff_alltoall_warp(nvshmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_bfloat16_alltoall_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_half_alltoall_block(nvshmem_team_t team, half *dest, const half *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_float_alltoall_block(nvshmem_team_t team, float *dest, const float *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_double_alltoall_block(nvshmem_team_t team, double *dest, const double *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_char_alltoall_block(nvshmem_team_t team, char *dest, const char *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_short_alltoall_block(nvshmem_team_t team, short *dest, const short *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_schar_alltoall_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_int_alltoall_block(nvshmem_team_t team, int *dest, const int *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_long_alltoall_block(nvshmem_team_t team, long *dest, const long *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_longlong_alltoall_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_uchar_alltoall_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_ushort_alltoall_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_uint_alltoall_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_ulong_alltoall_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_ulonglong_alltoall_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_int8_alltoall_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_int16_alltoall_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_int32_alltoall_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_int64_alltoall_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_uint8_alltoall_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_uint16_alltoall_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 2); }
static __device__ __forceinline__ int nvshmemx_uint32_alltoall_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 4); }
static __device__ __forceinline__ int nvshmemx_uint64_alltoall_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_size_alltoall_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 8); }
static __device__ __forceinline__ int nvshmemx_ptrdiff_alltoall_block(nvshmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 8); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_alltoallmem(nvshmem_team_t team, void *dest, const void *source, size_t nelems) { return oxshmem_alltoall(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_alltoallmem_warp(nvshmem_team_t team, void *dest, const void *source, size_t nelems) { return oxshmem_alltoall_warp(team, dest, source, nelems * 1); }
static __device__ __forceinline__ int nvshmemx_alltoallmem_block(nvshmem_team_t team, void *dest, const void *source, size_t nelems) { return oxshmem_alltoall_block(team, dest, source, nelems * 1); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_bfloat16_sum_reduce(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reduce_bf16(team, 0, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_half_sum_reduce(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reduce_f16(team, 0, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_float_sum_reduce(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reduce_f32(team, 0, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_double_sum_reduce(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reduce_f64(team, 0, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_char_sum_reduce(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reduce_i8(team, 0, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_short_sum_reduce(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reduce_i16(team, 0, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_schar_sum_reduce(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reduce_i8(team, 0, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int_sum_reduce(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reduce_i32(team, 0, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_long_sum_reduce(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reduce_i64(team, 0, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_longlong_sum_reduce(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reduce_i64(team, 0, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uchar_sum_reduce(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8(team, 0, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ushort_sum_reduce(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16(team, 0, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint_sum_reduce(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32(team, 0, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulong_sum_reduce(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulonglong_sum_reduce(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int8_sum_reduce(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8(team, 0, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int16_sum_reduce(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16(team, 0, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int32_sum_reduce(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32(team, 0, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int64_sum_reduce(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64(team, 0, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint8_sum_reduce(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8(team, 0, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint16_sum_reduce(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16(team, 0, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint32_sum_reduce(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32(team, 0, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint64_sum_reduce(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_size_sum_reduce(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_bfloat16_sum_reduce_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reduce_bf16_warp(team, 0, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_half_sum_reduce_warp(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reduce_f16_warp(team, 0, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_float_sum_reduce_warp(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reduce_f32_warp(team, 0, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_double_sum_reduce_warp(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reduce_f64_warp(team, 0, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_char_sum_reduce_warp(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reduce_i8_warp(team, 0, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_short_sum_reduce_warp(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reduce_i16_warp(team, 0, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_schar_sum_reduce_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reduce_i8_warp(team, 0, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int_sum_reduce_warp(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reduce_i32_warp(team, 0, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_long_sum_reduce_warp(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reduce_i64_warp(team, 0, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_longlong_sum_reduce_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reduce_i64_warp(team, 0, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_sum_reduce_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8_warp(team, 0, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_sum_reduce_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16_warp(team, 0, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_sum_reduce_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32_warp(team, 0, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_sum_reduce_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_sum_reduce_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_sum_reduce_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8_warp(team, 0, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_sum_reduce_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16_warp(team, 0, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_sum_reduce_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32_warp(team, 0, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_sum_reduce_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64_warp(team, 0, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_sum_reduce_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8_warp(team, 0, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_sum_reduce_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16_warp(team, 0, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_sum_reduce_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32_warp(team, 0, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_sum_reduce_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_sum_reduce_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_bfloat16_sum_reduce_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reduce_bf16_block(team, 0, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_half_sum_reduce_block(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reduce_f16_block(team, 0, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_float_sum_reduce_block(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reduce_f32_block(team, 0, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_double_sum_reduce_block(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reduce_f64_block(team, 0, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_char_sum_reduce_block(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reduce_i8_block(team, 0, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_short_sum_reduce_block(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reduce_i16_block(team, 0, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_schar_sum_reduce_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reduce_i8_block(team, 0, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int_sum_reduce_block(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reduce_i32_block(team, 0, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_long_sum_reduce_block(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reduce_i64_block(team, 0, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_longlong_sum_reduce_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reduce_i64_block(team, 0, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_sum_reduce_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8_block(team, 0, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_sum_reduce_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16_block(team, 0, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_sum_reduce_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32_block(team, 0, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_sum_reduce_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_sum_reduce_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_sum_reduce_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8_block(team, 0, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_sum_reduce_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16_block(team, 0, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_sum_reduce_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32_block(team, 0, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_sum_reduce_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64_block(team, 0, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_sum_reduce_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8_block(team, 0, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_sum_reduce_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16_block(team, 0, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_sum_reduce_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32_block(team, 0, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_sum_reduce_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_sum_reduce_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_bfloat16_sum_reducescatter(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reducescatter_bf16(team, 0, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_half_sum_reducescatter(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reducescatter_f16(team, 0, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_float_sum_reducescatter(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reducescatter_f32(team, 0, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_double_sum_reducescatter(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reducescatter_f64(team, 0, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_char_sum_reducescatter(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reducescatter_i8(team, 0, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_short_sum_reducescatter(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reducescatter_i16(team, 0, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_schar_sum_reducescatter(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reducescatter_i8(team, 0, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int_sum_reducescatter(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reducescatter_i32(team, 0, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_long_sum_reducescatter(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reducescatter_i64(team, 0, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_longlong_sum_reducescatter(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reducescatter_i64(team, 0, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uchar_sum_reducescatter(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8(team, 0, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ushort_sum_reducescatter(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16(team, 0, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint_sum_reducescatter(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32(team, 0, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulong_sum_reducescatter(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulonglong_sum_reducescatter(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int8_sum_reducescatter(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8(team, 0, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int16_sum_reducescatter(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16(team, 0, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int32_sum_reducescatter(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32(team, 0, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int64_sum_reducescatter(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64(team, 0, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint8_sum_reducescatter(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8(team, 0, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint16_sum_reducescatter(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16(team, 0, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint32_sum_reducescatter(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32(team, 0, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint64_sum_reducescatter(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_size_sum_reducescatter(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_bfloat16_sum_reducescatter_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reducescatter_bf16_warp(team, 0, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_half_sum_reducescatter_warp(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reducescatter_f16_warp(team, 0, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_float_sum_reducescatter_warp(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reducescatter_f32_warp(team, 0, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_double_sum_reducescatter_warp(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reducescatter_f64_warp(team, 0, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_char_sum_reducescatter_warp(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reducescatter_i8_warp(team, 0, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_short_sum_reducescatter_warp(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reducescatter_i16_warp(team, 0, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_schar_sum_reducescatter_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reducescatter_i8_warp(team, 0, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int_sum_reducescatter_warp(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reducescatter_i32_warp(team, 0, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_long_sum_reducescatter_warp(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reducescatter_i64_warp(team, 0, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_longlong_sum_reducescatter_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reducescatter_i64_warp(team, 0, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_sum_reducescatter_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8_warp(team, 0, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_sum_reducescatter_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16_warp(team, 0, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_sum_reducescatter_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32_warp(team, 0, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_sum_reducescatter_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_sum_reducescatter_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_sum_reducescatter_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8_warp(team, 0, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_sum_reducescatter_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16_warp(team, 0, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_sum_reducescatter_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32_warp(team, 0, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_sum_reducescatter_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64_warp(team, 0, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_sum_reducescatter_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8_warp(team, 0, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_sum_reducescatter_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16_warp(team, 0, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_sum_reducescatter_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32_warp(team, 0, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_sum_reducescatter_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_sum_reducescatter_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_bfloat16_sum_reducescatter_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reducescatter_bf16_block(team, 0, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_half_sum_reducescatter_block(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reducescatter_f16_block(team, 0, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_float_sum_reducescatter_block(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reducescatter_f32_block(team, 0, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_double_sum_reducescatter_block(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reducescatter_f64_block(team, 0, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_char_sum_reducescatter_block(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reducescatter_i8_block(team, 0, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_short_sum_reducescatter_block(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reducescatter_i16_block(team, 0, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_schar_sum_reducescatter_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reducescatter_i8_block(team, 0, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int_sum_reducescatter_block(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reducescatter_i32_block(team, 0, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_long_sum_reducescatter_block(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reducescatter_i64_block(team, 0, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_longlong_sum_reducescatter_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reducescatter_i64_block(team, 0, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_sum_reducescatter_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8_block(team, 0, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_sum_reducescatter_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16_block(team, 0, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_sum_reducescatter_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32_block(team, 0, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_sum_reducescatter_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_sum_reducescatter_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_sum_reducescatter_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8_block(team, 0, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_sum_reducescatter_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16_block(team, 0, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_sum_reducescatter_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32_block(team, 0, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_sum_reducescatter_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64_block(team, 0, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_sum_reducescatter_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8_block(team, 0, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_sum_reducescatter_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16_block(team, 0, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_sum_reducescatter_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32_block(team, 0, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_sum_reducescatter_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_sum_reducescatter_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 0, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_bfloat16_prod_reduce(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reduce_bf16(team, 1, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_half_prod_reduce(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reduce_f16(team, 1, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_float_prod_reduce(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reduce_f32(team, 1, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_double_prod_reduce(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reduce_f64(team, 1, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_char_prod_reduce(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reduce_i8(team, 1, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_short_prod_reduce(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reduce_i16(team, 1, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_schar_prod_reduce(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reduce_i8(team, 1, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int_prod_reduce(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reduce_i32(team, 1, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_long_prod_reduce(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reduce_i64(team, 1, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_longlong_prod_reduce(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reduce_i64(team, 1, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uchar_prod_reduce(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8(team, 1, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ushort_prod_reduce(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16(team, 1, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint_prod_reduce(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32(team, 1, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulong_prod_reduce(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulonglong_prod_reduce(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int8_prod_reduce(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8(team, 1, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int16_prod_reduce(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16(team, 1, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int32_prod_reduce(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32(team, 1, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int64_prod_reduce(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64(team, 1, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint8_prod_reduce(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8(team, 1, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint16_prod_reduce(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16(team, 1, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint32_prod_reduce(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32(team, 1, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint64_prod_reduce(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_size_prod_reduce(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_bfloat16_prod_reduce_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reduce_bf16_warp(team, 1, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_half_prod_reduce_warp(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reduce_f16_warp(team, 1, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_float_prod_reduce_warp(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reduce_f32_warp(team, 1, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_double_prod_reduce_warp(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reduce_f64_warp(team, 1, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_char_prod_reduce_warp(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reduce_i8_warp(team, 1, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_short_prod_reduce_warp(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reduce_i16_warp(team, 1, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_schar_prod_reduce_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reduce_i8_warp(team, 1, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int_prod_reduce_warp(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reduce_i32_warp(team, 1, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_long_prod_reduce_warp(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reduce_i64_warp(team, 1, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_longlong_prod_reduce_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reduce_i64_warp(team, 1, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_prod_reduce_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8_warp(team, 1, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_prod_reduce_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16_warp(team, 1, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_prod_reduce_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32_warp(team, 1, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_prod_reduce_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_prod_reduce_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_prod_reduce_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8_warp(team, 1, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_prod_reduce_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16_warp(team, 1, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_prod_reduce_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32_warp(team, 1, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_prod_reduce_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64_warp(team, 1, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_prod_reduce_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8_warp(team, 1, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_prod_reduce_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16_warp(team, 1, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_prod_reduce_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32_warp(team, 1, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_prod_reduce_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_prod_reduce_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_bfloat16_prod_reduce_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reduce_bf16_block(team, 1, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_half_prod_reduce_block(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reduce_f16_block(team, 1, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_float_prod_reduce_block(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reduce_f32_block(team, 1, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_double_prod_reduce_block(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reduce_f64_block(team, 1, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_char_prod_reduce_block(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reduce_i8_block(team, 1, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_short_prod_reduce_block(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reduce_i16_block(team, 1, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_schar_prod_reduce_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reduce_i8_block(team, 1, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int_prod_reduce_block(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reduce_i32_block(team, 1, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_long_prod_reduce_block(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reduce_i64_block(team, 1, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_longlong_prod_reduce_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reduce_i64_block(team, 1, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_prod_reduce_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8_block(team, 1, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_prod_reduce_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16_block(team, 1, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_prod_reduce_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32_block(team, 1, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_prod_reduce_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_prod_reduce_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_prod_reduce_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8_block(team, 1, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_prod_reduce_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16_block(team, 1, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_prod_reduce_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32_block(team, 1, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_prod_reduce_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64_block(team, 1, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_prod_reduce_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8_block(team, 1, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_prod_reduce_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16_block(team, 1, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_prod_reduce_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32_block(team, 1, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_prod_reduce_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_prod_reduce_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_bfloat16_prod_reducescatter(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reducescatter_bf16(team, 1, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_half_prod_reducescatter(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reducescatter_f16(team, 1, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_float_prod_reducescatter(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reducescatter_f32(team, 1, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_double_prod_reducescatter(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reducescatter_f64(team, 1, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_char_prod_reducescatter(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reducescatter_i8(team, 1, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_short_prod_reducescatter(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reducescatter_i16(team, 1, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_schar_prod_reducescatter(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reducescatter_i8(team, 1, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int_prod_reducescatter(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reducescatter_i32(team, 1, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_long_prod_reducescatter(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reducescatter_i64(team, 1, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_longlong_prod_reducescatter(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reducescatter_i64(team, 1, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uchar_prod_reducescatter(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8(team, 1, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ushort_prod_reducescatter(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16(team, 1, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint_prod_reducescatter(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32(team, 1, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulong_prod_reducescatter(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulonglong_prod_reducescatter(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int8_prod_reducescatter(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8(team, 1, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int16_prod_reducescatter(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16(team, 1, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int32_prod_reducescatter(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32(team, 1, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int64_prod_reducescatter(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64(team, 1, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint8_prod_reducescatter(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8(team, 1, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint16_prod_reducescatter(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16(team, 1, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint32_prod_reducescatter(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32(team, 1, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint64_prod_reducescatter(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_size_prod_reducescatter(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_bfloat16_prod_reducescatter_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reducescatter_bf16_warp(team, 1, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_half_prod_reducescatter_warp(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reducescatter_f16_warp(team, 1, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_float_prod_reducescatter_warp(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reducescatter_f32_warp(team, 1, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_double_prod_reducescatter_warp(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reducescatter_f64_warp(team, 1, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_char_prod_reducescatter_warp(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reducescatter_i8_warp(team, 1, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_short_prod_reducescatter_warp(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reducescatter_i16_warp(team, 1, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_schar_prod_reducescatter_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reducescatter_i8_warp(team, 1, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int_prod_reducescatter_warp(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reducescatter_i32_warp(team, 1, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_long_prod_reducescatter_warp(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reducescatter_i64_warp(team, 1, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_longlong_prod_reducescatter_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reducescatter_i64_warp(team, 1, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_prod_reducescatter_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8_warp(team, 1, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_prod_reducescatter_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16_warp(team, 1, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_prod_reducescatter_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32_warp(team, 1, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_prod_reducescatter_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_prod_reducescatter_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_prod_reducescatter_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8_warp(team, 1, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_prod_reducescatter_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16_warp(team, 1, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_prod_reducescatter_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32_warp(team, 1, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_prod_reducescatter_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64_warp(team, 1, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_prod_reducescatter_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8_warp(team, 1, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_prod_reducescatter_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16_warp(team, 1, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_prod_reducescatter_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32_warp(team, 1, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_prod_reducescatter_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_prod_reducescatter_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_bfloat16_prod_reducescatter_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reducescatter_bf16_block(team, 1, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_half_prod_reducescatter_block(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reducescatter_f16_block(team, 1, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_float_prod_reducescatter_block(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reducescatter_f32_block(team, 1, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_double_prod_reducescatter_block(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reducescatter_f64_block(team, 1, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_char_prod_reducescatter_block(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reducescatter_i8_block(team, 1, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_short_prod_reducescatter_block(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reducescatter_i16_block(team, 1, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_schar_prod_reducescatter_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reducescatter_i8_block(team, 1, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int_prod_reducescatter_block(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reducescatter_i32_block(team, 1, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_long_prod_reducescatter_block(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reducescatter_i64_block(team, 1, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_longlong_prod_reducescatter_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reducescatter_i64_block(team, 1, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_prod_reducescatter_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8_block(team, 1, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_prod_reducescatter_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16_block(team, 1, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_prod_reducescatter_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32_block(team, 1, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_prod_reducescatter_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_prod_reducescatter_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_prod_reducescatter_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8_block(team, 1, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_prod_reducescatter_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16_block(team, 1, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_prod_reducescatter_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32_block(team, 1, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_prod_reducescatter_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64_block(team, 1, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_prod_reducescatter_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8_block(team, 1, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_prod_reducescatter_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16_block(team, 1, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_prod_reducescatter_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32_block(team, 1, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_prod_reducescatter_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_prod_reducescatter_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 1, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_bfloat16_min_reduce(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reduce_bf16(team, 2, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_half_min_reduce(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reduce_f16(team, 2, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_float_min_reduce(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reduce_f32(team, 2, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_double_min_reduce(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reduce_f64(team, 2, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_char_min_reduce(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reduce_i8(team, 2, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_short_min_reduce(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reduce_i16(team, 2, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_schar_min_reduce(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reduce_i8(team, 2, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int_min_reduce(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reduce_i32(team, 2, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_long_min_reduce(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reduce_i64(team, 2, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_longlong_min_reduce(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reduce_i64(team, 2, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uchar_min_reduce(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8(team, 2, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ushort_min_reduce(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16(team, 2, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint_min_reduce(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32(team, 2, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulong_min_reduce(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulonglong_min_reduce(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int8_min_reduce(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8(team, 2, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int16_min_reduce(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16(team, 2, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int32_min_reduce(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32(team, 2, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int64_min_reduce(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64(team, 2, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint8_min_reduce(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8(team, 2, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint16_min_reduce(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16(team, 2, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint32_min_reduce(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32(team, 2, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint64_min_reduce(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_size_min_reduce(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_bfloat16_min_reduce_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reduce_bf16_warp(team, 2, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_half_min_reduce_warp(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reduce_f16_warp(team, 2, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_float_min_reduce_warp(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reduce_f32_warp(team, 2, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_double_min_reduce_warp(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reduce_f64_warp(team, 2, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_char_min_reduce_warp(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reduce_i8_warp(team, 2, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_short_min_reduce_warp(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reduce_i16_warp(team, 2, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_schar_min_reduce_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reduce_i8_warp(team, 2, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int_min_reduce_warp(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reduce_i32_warp(team, 2, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_long_min_reduce_warp(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reduce_i64_warp(team, 2, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_longlong_min_reduce_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reduce_i64_warp(team, 2, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_min_reduce_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8_warp(team, 2, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_min_reduce_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16_warp(team, 2, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_min_reduce_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32_warp(team, 2, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_min_reduce_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_min_reduce_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_min_reduce_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8_warp(team, 2, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_min_reduce_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16_warp(team, 2, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_min_reduce_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32_warp(team, 2, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_min_reduce_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64_warp(team, 2, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_min_reduce_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8_warp(team, 2, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_min_reduce_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16_warp(team, 2, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_min_reduce_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32_warp(team, 2, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_min_reduce_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_min_reduce_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_bfloat16_min_reduce_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reduce_bf16_block(team, 2, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_half_min_reduce_block(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reduce_f16_block(team, 2, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_float_min_reduce_block(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reduce_f32_block(team, 2, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_double_min_reduce_block(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reduce_f64_block(team, 2, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_char_min_reduce_block(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reduce_i8_block(team, 2, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_short_min_reduce_block(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reduce_i16_block(team, 2, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_schar_min_reduce_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reduce_i8_block(team, 2, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int_min_reduce_block(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reduce_i32_block(team, 2, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_long_min_reduce_block(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reduce_i64_block(team, 2, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_longlong_min_reduce_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reduce_i64_block(team, 2, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_min_reduce_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8_block(team, 2, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_min_reduce_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16_block(team, 2, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_min_reduce_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32_block(team, 2, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_min_reduce_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_min_reduce_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_min_reduce_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8_block(team, 2, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_min_reduce_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16_block(team, 2, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_min_reduce_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32_block(team, 2, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_min_reduce_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64_block(team, 2, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_min_reduce_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8_block(team, 2, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_min_reduce_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16_block(team, 2, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_min_reduce_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32_block(team, 2, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_min_reduce_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_min_reduce_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_bfloat16_min_reducescatter(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reducescatter_bf16(team, 2, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_half_min_reducescatter(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reducescatter_f16(team, 2, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_float_min_reducescatter(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reducescatter_f32(team, 2, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_double_min_reducescatter(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reducescatter_f64(team, 2, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_char_min_reducescatter(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reducescatter_i8(team, 2, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_short_min_reducescatter(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reducescatter_i16(team, 2, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_schar_min_reducescatter(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reducescatter_i8(team, 2, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int_min_reducescatter(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reducescatter_i32(team, 2, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_long_min_reducescatter(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reducescatter_i64(team, 2, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_longlong_min_reducescatter(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reducescatter_i64(team, 2, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uchar_min_reducescatter(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8(team, 2, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ushort_min_reducescatter(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16(team, 2, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint_min_reducescatter(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32(team, 2, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulong_min_reducescatter(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulonglong_min_reducescatter(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int8_min_reducescatter(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8(team, 2, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int16_min_reducescatter(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16(team, 2, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int32_min_reducescatter(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32(team, 2, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int64_min_reducescatter(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64(team, 2, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint8_min_reducescatter(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8(team, 2, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint16_min_reducescatter(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16(team, 2, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint32_min_reducescatter(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32(team, 2, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint64_min_reducescatter(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_size_min_reducescatter(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_bfloat16_min_reducescatter_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reducescatter_bf16_warp(team, 2, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_half_min_reducescatter_warp(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reducescatter_f16_warp(team, 2, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_float_min_reducescatter_warp(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reducescatter_f32_warp(team, 2, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_double_min_reducescatter_warp(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reducescatter_f64_warp(team, 2, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_char_min_reducescatter_warp(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reducescatter_i8_warp(team, 2, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_short_min_reducescatter_warp(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reducescatter_i16_warp(team, 2, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_schar_min_reducescatter_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reducescatter_i8_warp(team, 2, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int_min_reducescatter_warp(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reducescatter_i32_warp(team, 2, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_long_min_reducescatter_warp(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reducescatter_i64_warp(team, 2, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_longlong_min_reducescatter_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reducescatter_i64_warp(team, 2, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_min_reducescatter_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8_warp(team, 2, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_min_reducescatter_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16_warp(team, 2, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_min_reducescatter_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32_warp(team, 2, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_min_reducescatter_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_min_reducescatter_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_min_reducescatter_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8_warp(team, 2, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_min_reducescatter_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16_warp(team, 2, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_min_reducescatter_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32_warp(team, 2, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_min_reducescatter_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64_warp(team, 2, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_min_reducescatter_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8_warp(team, 2, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_min_reducescatter_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16_warp(team, 2, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_min_reducescatter_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32_warp(team, 2, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_min_reducescatter_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_min_reducescatter_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_bfloat16_min_reducescatter_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reducescatter_bf16_block(team, 2, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_half_min_reducescatter_block(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reducescatter_f16_block(team, 2, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_float_min_reducescatter_block(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reducescatter_f32_block(team, 2, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_double_min_reducescatter_block(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reducescatter_f64_block(team, 2, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_char_min_reducescatter_block(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reducescatter_i8_block(team, 2, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_short_min_reducescatter_block(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reducescatter_i16_block(team, 2, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_schar_min_reducescatter_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reducescatter_i8_block(team, 2, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int_min_reducescatter_block(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reducescatter_i32_block(team, 2, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_long_min_reducescatter_block(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reducescatter_i64_block(team, 2, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_longlong_min_reducescatter_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reducescatter_i64_block(team, 2, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_min_reducescatter_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8_block(team, 2, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_min_reducescatter_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16_block(team, 2, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_min_reducescatter_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32_block(team, 2, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_min_reducescatter_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_min_reducescatter_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_min_reducescatter_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8_block(team, 2, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_min_reducescatter_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16_block(team, 2, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_min_reducescatter_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32_block(team, 2, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_min_reducescatter_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64_block(team, 2, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_min_reducescatter_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8_block(team, 2, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_min_reducescatter_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16_block(team, 2, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_min_reducescatter_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32_block(team, 2, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_min_reducescatter_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_min_reducescatter_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 2, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_bfloat16_max_reduce(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reduce_bf16(team, 3, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_half_max_reduce(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reduce_f16(team, 3, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_float_max_reduce(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reduce_f32(team, 3, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_double_max_reduce(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reduce_f64(team, 3, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_char_max_reduce(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reduce_i8(team, 3, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_short_max_reduce(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reduce_i16(team, 3, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_schar_max_reduce(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reduce_i8(team, 3, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int_max_reduce(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reduce_i32(team, 3, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_long_max_reduce(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reduce_i64(team, 3, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_longlong_max_reduce(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reduce_i64(team, 3, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uchar_max_reduce(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8(team, 3, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ushort_max_reduce(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16(team, 3, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint_max_reduce(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32(team, 3, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulong_max_reduce(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulonglong_max_reduce(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int8_max_reduce(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8(team, 3, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int16_max_reduce(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16(team, 3, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int32_max_reduce(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32(team, 3, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int64_max_reduce(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64(team, 3, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint8_max_reduce(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8(team, 3, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint16_max_reduce(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16(team, 3, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint32_max_reduce(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32(team, 3, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint64_max_reduce(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_size_max_reduce(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_bfloat16_max_reduce_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reduce_bf16_warp(team, 3, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_half_max_reduce_warp(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reduce_f16_warp(team, 3, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_float_max_reduce_warp(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reduce_f32_warp(team, 3, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_double_max_reduce_warp(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reduce_f64_warp(team, 3, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_char_max_reduce_warp(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reduce_i8_warp(team, 3, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_short_max_reduce_warp(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reduce_i16_warp(team, 3, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_schar_max_reduce_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reduce_i8_warp(team, 3, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int_max_reduce_warp(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reduce_i32_warp(team, 3, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_long_max_reduce_warp(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reduce_i64_warp(team, 3, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_longlong_max_reduce_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reduce_i64_warp(team, 3, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_max_reduce_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8_warp(team, 3, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_max_reduce_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16_warp(team, 3, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_max_reduce_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32_warp(team, 3, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_max_reduce_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_max_reduce_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_max_reduce_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8_warp(team, 3, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_max_reduce_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16_warp(team, 3, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_max_reduce_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32_warp(team, 3, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_max_reduce_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64_warp(team, 3, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_max_reduce_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8_warp(team, 3, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_max_reduce_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16_warp(team, 3, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_max_reduce_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32_warp(team, 3, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_max_reduce_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_max_reduce_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_bfloat16_max_reduce_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reduce_bf16_block(team, 3, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_half_max_reduce_block(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reduce_f16_block(team, 3, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_float_max_reduce_block(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reduce_f32_block(team, 3, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_double_max_reduce_block(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reduce_f64_block(team, 3, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_char_max_reduce_block(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reduce_i8_block(team, 3, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_short_max_reduce_block(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reduce_i16_block(team, 3, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_schar_max_reduce_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reduce_i8_block(team, 3, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int_max_reduce_block(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reduce_i32_block(team, 3, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_long_max_reduce_block(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reduce_i64_block(team, 3, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_longlong_max_reduce_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reduce_i64_block(team, 3, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_max_reduce_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8_block(team, 3, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_max_reduce_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16_block(team, 3, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_max_reduce_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32_block(team, 3, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_max_reduce_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_max_reduce_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_max_reduce_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8_block(team, 3, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_max_reduce_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16_block(team, 3, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_max_reduce_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32_block(team, 3, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_max_reduce_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64_block(team, 3, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_max_reduce_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8_block(team, 3, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_max_reduce_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16_block(team, 3, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_max_reduce_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32_block(team, 3, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_max_reduce_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_max_reduce_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_bfloat16_max_reducescatter(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reducescatter_bf16(team, 3, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_half_max_reducescatter(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reducescatter_f16(team, 3, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_float_max_reducescatter(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reducescatter_f32(team, 3, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_double_max_reducescatter(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reducescatter_f64(team, 3, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_char_max_reducescatter(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reducescatter_i8(team, 3, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_short_max_reducescatter(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reducescatter_i16(team, 3, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_schar_max_reducescatter(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reducescatter_i8(team, 3, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int_max_reducescatter(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reducescatter_i32(team, 3, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_long_max_reducescatter(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reducescatter_i64(team, 3, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_longlong_max_reducescatter(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reducescatter_i64(team, 3, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uchar_max_reducescatter(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8(team, 3, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ushort_max_reducescatter(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16(team, 3, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint_max_reducescatter(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32(team, 3, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulong_max_reducescatter(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulonglong_max_reducescatter(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int8_max_reducescatter(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8(team, 3, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int16_max_reducescatter(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16(team, 3, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int32_max_reducescatter(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32(team, 3, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int64_max_reducescatter(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64(team, 3, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint8_max_reducescatter(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8(team, 3, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint16_max_reducescatter(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16(team, 3, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint32_max_reducescatter(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32(team, 3, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint64_max_reducescatter(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_size_max_reducescatter(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_bfloat16_max_reducescatter_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reducescatter_bf16_warp(team, 3, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_half_max_reducescatter_warp(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reducescatter_f16_warp(team, 3, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_float_max_reducescatter_warp(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reducescatter_f32_warp(team, 3, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_double_max_reducescatter_warp(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reducescatter_f64_warp(team, 3, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_char_max_reducescatter_warp(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reducescatter_i8_warp(team, 3, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_short_max_reducescatter_warp(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reducescatter_i16_warp(team, 3, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_schar_max_reducescatter_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reducescatter_i8_warp(team, 3, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int_max_reducescatter_warp(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reducescatter_i32_warp(team, 3, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_long_max_reducescatter_warp(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reducescatter_i64_warp(team, 3, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_longlong_max_reducescatter_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reducescatter_i64_warp(team, 3, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_max_reducescatter_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8_warp(team, 3, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_max_reducescatter_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16_warp(team, 3, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_max_reducescatter_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32_warp(team, 3, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_max_reducescatter_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_max_reducescatter_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_max_reducescatter_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8_warp(team, 3, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_max_reducescatter_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16_warp(team, 3, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_max_reducescatter_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32_warp(team, 3, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_max_reducescatter_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64_warp(team, 3, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_max_reducescatter_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8_warp(team, 3, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_max_reducescatter_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16_warp(team, 3, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_max_reducescatter_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32_warp(team, 3, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_max_reducescatter_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_max_reducescatter_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_bfloat16_max_reducescatter_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce) { return oxshmem_reducescatter_bf16_block(team, 3, oxshmem_c::as<oxshmem_c::bf16>(dest), oxshmem_c::as<oxshmem_c::bf16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_half_max_reducescatter_block(nvshmem_team_t team, half *dest, const half *source, size_t nreduce) { return oxshmem_reducescatter_f16_block(team, 3, oxshmem_c::as<oxshmem_c::f16>(dest), oxshmem_c::as<oxshmem_c::f16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_float_max_reducescatter_block(nvshmem_team_t team, float *dest, const float *source, size_t nreduce) { return oxshmem_reducescatter_f32_block(team, 3, oxshmem_c::as<oxshmem_c::f32>(dest), oxshmem_c::as<oxshmem_c::f32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_double_max_reducescatter_block(nvshmem_team_t team, double *dest, const double *source, size_t nreduce) { return oxshmem_reducescatter_f64_block(team, 3, oxshmem_c::as<oxshmem_c::f64>(dest), oxshmem_c::as<oxshmem_c::f64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_char_max_reducescatter_block(nvshmem_team_t team, char *dest, const char *source, size_t nreduce) { return oxshmem_reducescatter_i8_block(team, 3, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_short_max_reducescatter_block(nvshmem_team_t team, short *dest, const short *source, size_t nreduce) { return oxshmem_reducescatter_i16_block(team, 3, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_schar_max_reducescatter_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce) { return oxshmem_reducescatter_i8_block(team, 3, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int_max_reducescatter_block(nvshmem_team_t team, int *dest, const int *source, size_t nreduce) { return oxshmem_reducescatter_i32_block(team, 3, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_long_max_reducescatter_block(nvshmem_team_t team, long *dest, const long *source, size_t nreduce) { return oxshmem_reducescatter_i64_block(team, 3, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_longlong_max_reducescatter_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce) { return oxshmem_reducescatter_i64_block(team, 3, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_max_reducescatter_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8_block(team, 3, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_max_reducescatter_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16_block(team, 3, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_max_reducescatter_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32_block(team, 3, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_max_reducescatter_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_max_reducescatter_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_max_reducescatter_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8_block(team, 3, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_max_reducescatter_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16_block(team, 3, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_max_reducescatter_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32_block(team, 3, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_max_reducescatter_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64_block(team, 3, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_max_reducescatter_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8_block(team, 3, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_max_reducescatter_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16_block(team, 3, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_max_reducescatter_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32_block(team, 3, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_max_reducescatter_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_max_reducescatter_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 3, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uchar_and_reduce(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8(team, 4, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ushort_and_reduce(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16(team, 4, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint_and_reduce(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32(team, 4, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulong_and_reduce(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulonglong_and_reduce(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int8_and_reduce(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8(team, 4, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int16_and_reduce(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16(team, 4, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int32_and_reduce(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32(team, 4, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int64_and_reduce(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64(team, 4, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint8_and_reduce(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8(team, 4, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint16_and_reduce(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16(team, 4, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint32_and_reduce(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32(team, 4, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint64_and_reduce(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_size_and_reduce(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_and_reduce_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8_warp(team, 4, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_and_reduce_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16_warp(team, 4, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_and_reduce_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32_warp(team, 4, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_and_reduce_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_and_reduce_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_and_reduce_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8_warp(team, 4, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_and_reduce_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16_warp(team, 4, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_and_reduce_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32_warp(team, 4, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_and_reduce_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64_warp(team, 4, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_and_reduce_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8_warp(team, 4, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_and_reduce_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16_warp(team, 4, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_and_reduce_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32_warp(team, 4, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_and_reduce_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_and_reduce_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_and_reduce_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8_block(team, 4, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_and_reduce_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16_block(team, 4, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_and_reduce_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32_block(team, 4, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_and_reduce_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_and_reduce_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_and_reduce_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8_block(team, 4, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_and_reduce_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16_block(team, 4, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_and_reduce_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32_block(team, 4, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_and_reduce_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64_block(team, 4, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_and_reduce_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8_block(team, 4, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_and_reduce_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16_block(team, 4, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_and_reduce_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32_block(team, 4, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_and_reduce_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_and_reduce_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uchar_and_reducescatter(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8(team, 4, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ushort_and_reducescatter(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16(team, 4, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint_and_reducescatter(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32(team, 4, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulong_and_reducescatter(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulonglong_and_reducescatter(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int8_and_reducescatter(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8(team, 4, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int16_and_reducescatter(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16(team, 4, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int32_and_reducescatter(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32(team, 4, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int64_and_reducescatter(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64(team, 4, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint8_and_reducescatter(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8(team, 4, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint16_and_reducescatter(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16(team, 4, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint32_and_reducescatter(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32(team, 4, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint64_and_reducescatter(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_size_and_reducescatter(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_and_reducescatter_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8_warp(team, 4, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_and_reducescatter_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16_warp(team, 4, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_and_reducescatter_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32_warp(team, 4, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_and_reducescatter_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_and_reducescatter_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_and_reducescatter_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8_warp(team, 4, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_and_reducescatter_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16_warp(team, 4, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_and_reducescatter_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32_warp(team, 4, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_and_reducescatter_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64_warp(team, 4, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_and_reducescatter_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8_warp(team, 4, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_and_reducescatter_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16_warp(team, 4, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_and_reducescatter_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32_warp(team, 4, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_and_reducescatter_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_and_reducescatter_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_and_reducescatter_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8_block(team, 4, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_and_reducescatter_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16_block(team, 4, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_and_reducescatter_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32_block(team, 4, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_and_reducescatter_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_and_reducescatter_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_and_reducescatter_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8_block(team, 4, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_and_reducescatter_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16_block(team, 4, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_and_reducescatter_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32_block(team, 4, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_and_reducescatter_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64_block(team, 4, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_and_reducescatter_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8_block(team, 4, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_and_reducescatter_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16_block(team, 4, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_and_reducescatter_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32_block(team, 4, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_and_reducescatter_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_and_reducescatter_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 4, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uchar_or_reduce(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8(team, 5, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ushort_or_reduce(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16(team, 5, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint_or_reduce(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32(team, 5, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulong_or_reduce(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulonglong_or_reduce(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int8_or_reduce(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8(team, 5, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int16_or_reduce(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16(team, 5, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int32_or_reduce(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32(team, 5, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int64_or_reduce(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64(team, 5, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint8_or_reduce(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8(team, 5, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint16_or_reduce(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16(team, 5, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint32_or_reduce(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32(team, 5, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint64_or_reduce(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_size_or_reduce(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_or_reduce_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8_warp(team, 5, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_or_reduce_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16_warp(team, 5, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_or_reduce_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32_warp(team, 5, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_or_reduce_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_or_reduce_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_or_reduce_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8_warp(team, 5, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_or_reduce_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16_warp(team, 5, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_or_reduce_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32_warp(team, 5, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_or_reduce_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64_warp(team, 5, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_or_reduce_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8_warp(team, 5, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_or_reduce_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16_warp(team, 5, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_or_reduce_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32_warp(team, 5, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_or_reduce_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_or_reduce_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_or_reduce_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8_block(team, 5, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_or_reduce_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16_block(team, 5, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_or_reduce_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32_block(team, 5, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_or_reduce_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_or_reduce_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_or_reduce_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8_block(team, 5, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_or_reduce_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16_block(team, 5, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_or_reduce_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32_block(team, 5, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_or_reduce_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64_block(team, 5, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_or_reduce_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8_block(team, 5, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_or_reduce_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16_block(team, 5, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_or_reduce_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32_block(team, 5, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_or_reduce_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_or_reduce_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uchar_or_reducescatter(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8(team, 5, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ushort_or_reducescatter(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16(team, 5, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint_or_reducescatter(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32(team, 5, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulong_or_reducescatter(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulonglong_or_reducescatter(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int8_or_reducescatter(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8(team, 5, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int16_or_reducescatter(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16(team, 5, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int32_or_reducescatter(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32(team, 5, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int64_or_reducescatter(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64(team, 5, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint8_or_reducescatter(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8(team, 5, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint16_or_reducescatter(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16(team, 5, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint32_or_reducescatter(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32(team, 5, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint64_or_reducescatter(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_size_or_reducescatter(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_or_reducescatter_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8_warp(team, 5, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_or_reducescatter_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16_warp(team, 5, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_or_reducescatter_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32_warp(team, 5, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_or_reducescatter_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_or_reducescatter_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_or_reducescatter_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8_warp(team, 5, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_or_reducescatter_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16_warp(team, 5, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_or_reducescatter_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32_warp(team, 5, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_or_reducescatter_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64_warp(team, 5, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_or_reducescatter_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8_warp(team, 5, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_or_reducescatter_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16_warp(team, 5, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_or_reducescatter_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32_warp(team, 5, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_or_reducescatter_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_or_reducescatter_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_or_reducescatter_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8_block(team, 5, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_or_reducescatter_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16_block(team, 5, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_or_reducescatter_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32_block(team, 5, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_or_reducescatter_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_or_reducescatter_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_or_reducescatter_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8_block(team, 5, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_or_reducescatter_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16_block(team, 5, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_or_reducescatter_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32_block(team, 5, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_or_reducescatter_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64_block(team, 5, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_or_reducescatter_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8_block(team, 5, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_or_reducescatter_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16_block(team, 5, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_or_reducescatter_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32_block(team, 5, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_or_reducescatter_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_or_reducescatter_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 5, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uchar_xor_reduce(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8(team, 6, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ushort_xor_reduce(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16(team, 6, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint_xor_reduce(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32(team, 6, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulong_xor_reduce(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulonglong_xor_reduce(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int8_xor_reduce(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8(team, 6, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int16_xor_reduce(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16(team, 6, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int32_xor_reduce(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32(team, 6, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int64_xor_reduce(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64(team, 6, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint8_xor_reduce(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8(team, 6, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint16_xor_reduce(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16(team, 6, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint32_xor_reduce(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32(team, 6, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint64_xor_reduce(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_size_xor_reduce(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_xor_reduce_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8_warp(team, 6, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_xor_reduce_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16_warp(team, 6, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_xor_reduce_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32_warp(team, 6, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_xor_reduce_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_xor_reduce_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_xor_reduce_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8_warp(team, 6, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_xor_reduce_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16_warp(team, 6, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_xor_reduce_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32_warp(team, 6, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_xor_reduce_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64_warp(team, 6, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_xor_reduce_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8_warp(team, 6, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_xor_reduce_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16_warp(team, 6, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_xor_reduce_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32_warp(team, 6, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_xor_reduce_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_xor_reduce_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64_warp(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_xor_reduce_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reduce_u8_block(team, 6, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_xor_reduce_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reduce_u16_block(team, 6, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_xor_reduce_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reduce_u32_block(team, 6, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_xor_reduce_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_xor_reduce_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_xor_reduce_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reduce_i8_block(team, 6, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_xor_reduce_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reduce_i16_block(team, 6, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_xor_reduce_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reduce_i32_block(team, 6, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_xor_reduce_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reduce_i64_block(team, 6, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_xor_reduce_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reduce_u8_block(team, 6, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_xor_reduce_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reduce_u16_block(team, 6, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_xor_reduce_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reduce_u32_block(team, 6, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_xor_reduce_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_xor_reduce_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reduce_u64_block(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uchar_xor_reducescatter(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8(team, 6, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ushort_xor_reducescatter(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16(team, 6, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint_xor_reducescatter(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32(team, 6, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulong_xor_reducescatter(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_ulonglong_xor_reducescatter(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int8_xor_reducescatter(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8(team, 6, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int16_xor_reducescatter(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16(team, 6, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int32_xor_reducescatter(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32(team, 6, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_int64_xor_reducescatter(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64(team, 6, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint8_xor_reducescatter(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8(team, 6, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint16_xor_reducescatter(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16(team, 6, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint32_xor_reducescatter(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32(team, 6, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_uint64_xor_reducescatter(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static OXSHMEM_BOTH __forceinline__ int nvshmem_size_xor_reducescatter(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_xor_reducescatter_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8_warp(team, 6, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_xor_reducescatter_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16_warp(team, 6, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_xor_reducescatter_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32_warp(team, 6, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_xor_reducescatter_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_xor_reducescatter_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_xor_reducescatter_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8_warp(team, 6, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_xor_reducescatter_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16_warp(team, 6, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_xor_reducescatter_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32_warp(team, 6, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_xor_reducescatter_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64_warp(team, 6, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_xor_reducescatter_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8_warp(team, 6, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_xor_reducescatter_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16_warp(team, 6, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_xor_reducescatter_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32_warp(team, 6, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_xor_reducescatter_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_xor_reducescatter_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_warp(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uchar_xor_reducescatter_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce) { return oxshmem_reducescatter_u8_block(team, 6, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ushort_xor_reducescatter_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce) { return oxshmem_reducescatter_u16_block(team, 6, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint_xor_reducescatter_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce) { return oxshmem_reducescatter_u32_block(team, 6, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulong_xor_reducescatter_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_ulonglong_xor_reducescatter_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int8_xor_reducescatter_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce) { return oxshmem_reducescatter_i8_block(team, 6, oxshmem_c::as<oxshmem_c::i8>(dest), oxshmem_c::as<oxshmem_c::i8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int16_xor_reducescatter_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce) { return oxshmem_reducescatter_i16_block(team, 6, oxshmem_c::as<oxshmem_c::i16>(dest), oxshmem_c::as<oxshmem_c::i16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int32_xor_reducescatter_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce) { return oxshmem_reducescatter_i32_block(team, 6, oxshmem_c::as<oxshmem_c::i32>(dest), oxshmem_c::as<oxshmem_c::i32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_int64_xor_reducescatter_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce) { return oxshmem_reducescatter_i64_block(team, 6, oxshmem_c::as<oxshmem_c::i64>(dest), oxshmem_c::as<oxshmem_c::i64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint8_xor_reducescatter_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce) { return oxshmem_reducescatter_u8_block(team, 6, oxshmem_c::as<oxshmem_c::u8>(dest), oxshmem_c::as<oxshmem_c::u8>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint16_xor_reducescatter_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce) { return oxshmem_reducescatter_u16_block(team, 6, oxshmem_c::as<oxshmem_c::u16>(dest), oxshmem_c::as<oxshmem_c::u16>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint32_xor_reducescatter_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce) { return oxshmem_reducescatter_u32_block(team, 6, oxshmem_c::as<oxshmem_c::u32>(dest), oxshmem_c::as<oxshmem_c::u32>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_uint64_xor_reducescatter_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_size_xor_reducescatter_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce) { return oxshmem_reducescatter_u64_block(team, 6, oxshmem_c::as<oxshmem_c::u64>(dest), oxshmem_c::as<oxshmem_c::u64>(source), nreduce); }
static __device__ __forceinline__ int nvshmemx_double2_maxloc_reduce_block(nvshmem_team_t team, double2 *dest, const double2 *source, size_t nreduce) { return oxshmem_maxloc_f64_block(team, &dest->x, &source->x, nreduce); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_p(__nv_bfloat16 *dest, const __nv_bfloat16 value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_half_p(half *dest, const half value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_float_p(float *dest, const float value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_double_p(double *dest, const double value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_char_p(char *dest, const char value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_short_p(short *dest, const short value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_schar_p(signed char *dest, const signed char value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_int_p(int *dest, const int value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_long_p(long *dest, const long value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_p(long long *dest, const long long value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_p(unsigned char *dest, const unsigned char value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_p(unsigned short *dest, const unsigned short value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_uint_p(unsigned int *dest, const unsigned int value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_p(unsigned long *dest, const unsigned long value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_p(unsigned long long *dest, const unsigned long long value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_int8_p(int8_t *dest, const int8_t value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_int16_p(int16_t *dest, const int16_t value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_int32_p(int32_t *dest, const int32_t value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_int64_p(int64_t *dest, const int64_t value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_p(uint8_t *dest, const uint8_t value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_p(uint16_t *dest, const uint16_t value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_p(uint32_t *dest, const uint32_t value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_p(uint64_t *dest, const uint64_t value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_size_p(size_t *dest, const size_t value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_p(ptrdiff_t *dest, const ptrdiff_t value, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::p(dest, value, pe, qp_index); }
static __device__ __forceinline__ __nv_bfloat16 nvshmemx_qp_bfloat16_g(const __nv_bfloat16 *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ half nvshmemx_qp_half_g(const half *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ float nvshmemx_qp_float_g(const float *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ double nvshmemx_qp_double_g(const double *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ char nvshmemx_qp_char_g(const char *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ short nvshmemx_qp_short_g(const short *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ signed char nvshmemx_qp_schar_g(const signed char *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ int nvshmemx_qp_int_g(const int *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ long nvshmemx_qp_long_g(const long *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ long long nvshmemx_qp_longlong_g(const long long *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ unsigned char nvshmemx_qp_uchar_g(const unsigned char *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ unsigned short nvshmemx_qp_ushort_g(const unsigned short *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ unsigned int nvshmemx_qp_uint_g(const unsigned int *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ unsigned long nvshmemx_qp_ulong_g(const unsigned long *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ unsigned long long nvshmemx_qp_ulonglong_g(const unsigned long long *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ int8_t nvshmemx_qp_int8_g(const int8_t *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ int16_t nvshmemx_qp_int16_g(const int16_t *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ int32_t nvshmemx_qp_int32_g(const int32_t *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ int64_t nvshmemx_qp_int64_g(const int64_t *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ uint8_t nvshmemx_qp_uint8_g(const uint8_t *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ uint16_t nvshmemx_qp_uint16_g(const uint16_t *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ uint32_t nvshmemx_qp_uint32_g(const uint32_t *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ uint64_t nvshmemx_qp_uint64_g(const uint64_t *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ size_t nvshmemx_qp_size_g(const size_t *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ ptrdiff_t nvshmemx_qp_ptrdiff_g(const ptrdiff_t *source, int pe, nvshmemx_qp_handle_t qp_index) { return oxshmem_c::g(source, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_put(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_half_put(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_float_put(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_double_put(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_char_put(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_short_put(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_schar_put(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int_put(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_long_put(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_put(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_put(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_put(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint_put(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_put(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_put(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int8_put(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int16_put(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int32_put(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int64_put(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_put(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_put(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_put(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_put(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_size_put(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_put(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_put_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_half_put_warp(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_float_put_warp(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_double_put_warp(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_char_put_warp(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_short_put_warp(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_schar_put_warp(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int_put_warp(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_long_put_warp(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_put_warp(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_put_warp(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_put_warp(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint_put_warp(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_put_warp(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_put_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int8_put_warp(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int16_put_warp(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int32_put_warp(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int64_put_warp(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_put_warp(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_put_warp(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_put_warp(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_put_warp(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_size_put_warp(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_put_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_put_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_half_put_block(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_float_put_block(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_double_put_block(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_char_put_block(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_short_put_block(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_schar_put_block(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int_put_block(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_long_put_block(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_put_block(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_put_block(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_put_block(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint_put_block(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_put_block(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_put_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int8_put_block(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int16_put_block(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int32_put_block(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int64_put_block(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_put_block(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_put_block(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_put_block(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_put_block(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_size_put_block(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_put_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_get(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_half_get(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_float_get(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_double_get(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_char_get(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_short_get(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_schar_get(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int_get(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_long_get(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_get(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_get(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_get(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint_get(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_get(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_get(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int8_get(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int16_get(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int32_get(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int64_get(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_get(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_get(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_get(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_get(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_size_get(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_get(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_get_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_half_get_warp(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_float_get_warp(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_double_get_warp(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_char_get_warp(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_short_get_warp(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_schar_get_warp(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int_get_warp(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_long_get_warp(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_get_warp(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_get_warp(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_get_warp(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint_get_warp(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_get_warp(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_get_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int8_get_warp(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int16_get_warp(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int32_get_warp(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int64_get_warp(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_get_warp(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_get_warp(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_get_warp(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_get_warp(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_size_get_warp(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_get_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_get_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_half_get_block(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_float_get_block(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_double_get_block(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_char_get_block(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_short_get_block(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_schar_get_block(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int_get_block(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_long_get_block(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_get_block(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_get_block(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_get_block(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint_get_block(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_get_block(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_get_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int8_get_block(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int16_get_block(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int32_get_block(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int64_get_block(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_get_block(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 1, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_get_block(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 2, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_get_block(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 4, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_get_block(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_size_get_block(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_get_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 8, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_put_signal(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_half_put_signal(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_float_put_signal(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_double_put_signal(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_char_put_signal(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_short_put_signal(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_schar_put_signal(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int_put_signal(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_long_put_signal(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_put_signal(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_put_signal(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_put_signal(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint_put_signal(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_put_signal(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_put_signal(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int8_put_signal(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int16_put_signal(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int32_put_signal(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int64_put_signal(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_put_signal(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_put_signal(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_put_signal(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_put_signal(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_size_put_signal(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_put_signal(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_put_signal_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_half_put_signal_warp(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_float_put_signal_warp(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_double_put_signal_warp(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_char_put_signal_warp(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_short_put_signal_warp(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_schar_put_signal_warp(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int_put_signal_warp(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_long_put_signal_warp(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_put_signal_warp(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_put_signal_warp(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_put_signal_warp(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint_put_signal_warp(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_put_signal_warp(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_put_signal_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int8_put_signal_warp(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int16_put_signal_warp(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int32_put_signal_warp(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int64_put_signal_warp(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_put_signal_warp(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_put_signal_warp(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_put_signal_warp(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_put_signal_warp(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_size_put_signal_warp(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_put_signal_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_put_signal_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_half_put_signal_block(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_float_put_signal_block(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_double_put_signal_block(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_char_put_signal_block(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_short_put_signal_block(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_schar_put_signal_block(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int_put_signal_block(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_long_put_signal_block(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_put_signal_block(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_put_signal_block(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_put_signal_block(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint_put_signal_block(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_put_signal_block(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_put_signal_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int8_put_signal_block(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int16_put_signal_block(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int32_put_signal_block(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_int64_put_signal_block(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_put_signal_block(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_put_signal_block(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_put_signal_block(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_put_signal_block(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_size_put_signal_block(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_put_signal_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 0); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_put_nbi(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_half_put_nbi(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_float_put_nbi(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_double_put_nbi(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_char_put_nbi(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_short_put_nbi(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_schar_put_nbi(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int_put_nbi(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_long_put_nbi(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_put_nbi(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_put_nbi(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_put_nbi(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint_put_nbi(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_put_nbi(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_put_nbi(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int8_put_nbi(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int16_put_nbi(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int32_put_nbi(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int64_put_nbi(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_put_nbi(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_put_nbi(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_put_nbi(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_put_nbi(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_size_put_nbi(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_put_nbi(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_put_nbi_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_half_put_nbi_warp(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_float_put_nbi_warp(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_double_put_nbi_warp(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_char_put_nbi_warp(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_short_put_nbi_warp(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_schar_put_nbi_warp(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int_put_nbi_warp(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_long_put_nbi_warp(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_put_nbi_warp(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_put_nbi_warp(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_put_nbi_warp(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint_put_nbi_warp(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_put_nbi_warp(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_put_nbi_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int8_put_nbi_warp(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int16_put_nbi_warp(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int32_put_nbi_warp(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int64_put_nbi_warp(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_put_nbi_warp(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_put_nbi_warp(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_put_nbi_warp(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_put_nbi_warp(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_size_put_nbi_warp(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_put_nbi_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_warp(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_put_nbi_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_half_put_nbi_block(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_float_put_nbi_block(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_double_put_nbi_block(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_char_put_nbi_block(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_short_put_nbi_block(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_schar_put_nbi_block(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int_put_nbi_block(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_long_put_nbi_block(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_put_nbi_block(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_put_nbi_block(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_put_nbi_block(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint_put_nbi_block(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_put_nbi_block(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_put_nbi_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int8_put_nbi_block(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int16_put_nbi_block(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int32_put_nbi_block(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int64_put_nbi_block(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_put_nbi_block(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_put_nbi_block(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_put_nbi_block(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_put_nbi_block(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_size_put_nbi_block(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_put_nbi_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_block(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_get_nbi(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_half_get_nbi(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_float_get_nbi(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_double_get_nbi(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_char_get_nbi(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_short_get_nbi(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_schar_get_nbi(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int_get_nbi(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_long_get_nbi(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_get_nbi(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_get_nbi(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_get_nbi(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint_get_nbi(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_get_nbi(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_get_nbi(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int8_get_nbi(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int16_get_nbi(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int32_get_nbi(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int64_get_nbi(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_get_nbi(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_get_nbi(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_get_nbi(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_get_nbi(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_size_get_nbi(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_get_nbi(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_get_nbi_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_half_get_nbi_warp(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_float_get_nbi_warp(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_double_get_nbi_warp(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_char_get_nbi_warp(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_short_get_nbi_warp(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_schar_get_nbi_warp(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int_get_nbi_warp(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_long_get_nbi_warp(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_get_nbi_warp(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_get_nbi_warp(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_get_nbi_warp(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint_get_nbi_warp(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_get_nbi_warp(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_get_nbi_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int8_get_nbi_warp(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int16_get_nbi_warp(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int32_get_nbi_warp(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int64_get_nbi_warp(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_get_nbi_warp(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_get_nbi_warp(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_get_nbi_warp(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_get_nbi_warp(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_size_get_nbi_warp(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_get_nbi_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_warp(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_get_nbi_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_half_get_nbi_block(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_float_get_nbi_block(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_double_get_nbi_block(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_char_get_nbi_block(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_short_get_nbi_block(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_schar_get_nbi_block(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int_get_nbi_block(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_long_get_nbi_block(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_get_nbi_block(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_get_nbi_block(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_get_nbi_block(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint_get_nbi_block(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_get_nbi_block(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_get_nbi_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int8_get_nbi_block(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int16_get_nbi_block(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int32_get_nbi_block(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int64_get_nbi_block(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_get_nbi_block(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 1, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_get_nbi_block(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 2, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_get_nbi_block(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 4, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_get_nbi_block(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_size_get_nbi_block(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_get_nbi_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::get_block(dest, source, nelems * 8, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_put_signal_nbi(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_half_put_signal_nbi(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_float_put_signal_nbi(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_double_put_signal_nbi(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_char_put_signal_nbi(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_short_put_signal_nbi(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_schar_put_signal_nbi(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int_put_signal_nbi(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_long_put_signal_nbi(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_put_signal_nbi(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_put_signal_nbi(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_put_signal_nbi(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint_put_signal_nbi(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_put_signal_nbi(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_put_signal_nbi(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int8_put_signal_nbi(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int16_put_signal_nbi(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int32_put_signal_nbi(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int64_put_signal_nbi(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_put_signal_nbi(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_put_signal_nbi(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_put_signal_nbi(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_put_signal_nbi(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_size_put_signal_nbi(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_put_signal_nbi(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_put_signal_nbi_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_half_put_signal_nbi_warp(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_float_put_signal_nbi_warp(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_double_put_signal_nbi_warp(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_char_put_signal_nbi_warp(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_short_put_signal_nbi_warp(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_schar_put_signal_nbi_warp(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int_put_signal_nbi_warp(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_long_put_signal_nbi_warp(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_put_signal_nbi_warp(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_put_signal_nbi_warp(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_put_signal_nbi_warp(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint_put_signal_nbi_warp(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_put_signal_nbi_warp(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_put_signal_nbi_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int8_put_signal_nbi_warp(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int16_put_signal_nbi_warp(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int32_put_signal_nbi_warp(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int64_put_signal_nbi_warp(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_put_signal_nbi_warp(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_put_signal_nbi_warp(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_put_signal_nbi_warp(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_put_signal_nbi_warp(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_size_put_signal_nbi_warp(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_put_signal_nbi_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_warp(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_bfloat16_put_signal_nbi_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_half_put_signal_nbi_block(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_float_put_signal_nbi_block(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_double_put_signal_nbi_block(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_char_put_signal_nbi_block(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_short_put_signal_nbi_block(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_schar_put_signal_nbi_block(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int_put_signal_nbi_block(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_long_put_signal_nbi_block(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_longlong_put_signal_nbi_block(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uchar_put_signal_nbi_block(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ushort_put_signal_nbi_block(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint_put_signal_nbi_block(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ulong_put_signal_nbi_block(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ulonglong_put_signal_nbi_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int8_put_signal_nbi_block(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int16_put_signal_nbi_block(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int32_put_signal_nbi_block(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_int64_put_signal_nbi_block(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint8_put_signal_nbi_block(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 1, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint16_put_signal_nbi_block(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 2, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint32_put_signal_nbi_block(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 4, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_uint64_put_signal_nbi_block(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_size_put_signal_nbi_block(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_ptrdiff_put_signal_nbi_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::put_signal_block(dest, source, nelems * 8, sig_addr, signal, sig_op, pe, qp_index, 1); }
static __device__ __forceinline__ void nvshmemx_qp_signal_op(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index) { oxshmem_c::signal(sig_addr, signal, sig_op, pe, qp_index); }
static __device__ __forceinline__ void nvshmemx_qp_fence(int pe, nvshmemx_qp_handle_t *qp_handle, int num_qps) { oxshmem_c::fence(pe, qp_handle, num_qps); }
static __device__ __forceinline__ void nvshmemx_qp_fence_warp(int pe, nvshmemx_qp_handle_t *qp_handle, int num_qps) { oxshmem_c::fence_warp(pe, qp_handle, num_qps); }
static __device__ __forceinline__ void nvshmemx_qp_fence_block(int pe, nvshmemx_qp_handle_t *qp_handle, int num_qps) { oxshmem_c::fence_block(pe, qp_handle, num_qps); }
static __device__ __forceinline__ void nvshmemx_qp_quiet(int pe, nvshmemx_qp_handle_t *qp_handle, int num_qps) { oxshmem_c::quiet(pe, qp_handle, num_qps); }
static __device__ __forceinline__ void nvshmemx_qp_quiet_warp(int pe, nvshmemx_qp_handle_t *qp_handle, int num_qps) { oxshmem_c::quiet_warp(pe, qp_handle, num_qps); }
static __device__ __forceinline__ void nvshmemx_qp_quiet_block(int pe, nvshmemx_qp_handle_t *qp_handle, int num_qps) { oxshmem_c::quiet_block(pe, qp_handle, num_qps); }
#else
__device__ int nvshmemx_region_start_block(nvshmemx_region_handle_t *handle, const nvshmemx_region_attrs_t *attrs);
__device__ int nvshmemx_region_stop_block(nvshmemx_region_handle_t handle);
__device__ void nvshmemx_give_smem(void *smem, size_t size);
__device__ void nvshmemx_release_smem(void);
__device__ void nvshmemx_bfloat16_put_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe);
__device__ void nvshmemx_half_put_warp(half *dest, const half *source, size_t nelems, int pe);
__device__ void nvshmemx_float_put_warp(float *dest, const float *source, size_t nelems, int pe);
__device__ void nvshmemx_double_put_warp(double *dest, const double *source, size_t nelems, int pe);
__device__ void nvshmemx_char_put_warp(char *dest, const char *source, size_t nelems, int pe);
__device__ void nvshmemx_short_put_warp(short *dest, const short *source, size_t nelems, int pe);
__device__ void nvshmemx_schar_put_warp(signed char *dest, const signed char *source, size_t nelems, int pe);
__device__ void nvshmemx_int_put_warp(int *dest, const int *source, size_t nelems, int pe);
__device__ void nvshmemx_long_put_warp(long *dest, const long *source, size_t nelems, int pe);
__device__ void nvshmemx_longlong_put_warp(long long *dest, const long long *source, size_t nelems, int pe);
__device__ void nvshmemx_uchar_put_warp(unsigned char *dest, const unsigned char *source, size_t nelems, int pe);
__device__ void nvshmemx_ushort_put_warp(unsigned short *dest, const unsigned short *source, size_t nelems, int pe);
__device__ void nvshmemx_uint_put_warp(unsigned int *dest, const unsigned int *source, size_t nelems, int pe);
__device__ void nvshmemx_ulong_put_warp(unsigned long *dest, const unsigned long *source, size_t nelems, int pe);
__device__ void nvshmemx_ulonglong_put_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe);
__device__ void nvshmemx_int8_put_warp(int8_t *dest, const int8_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int16_put_warp(int16_t *dest, const int16_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int32_put_warp(int32_t *dest, const int32_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int64_put_warp(int64_t *dest, const int64_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint8_put_warp(uint8_t *dest, const uint8_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint16_put_warp(uint16_t *dest, const uint16_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint32_put_warp(uint32_t *dest, const uint32_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint64_put_warp(uint64_t *dest, const uint64_t *source, size_t nelems, int pe);
__device__ void nvshmemx_size_put_warp(size_t *dest, const size_t *source, size_t nelems, int pe);
__device__ void nvshmemx_ptrdiff_put_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe);
__device__ void nvshmemx_bfloat16_put_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe);
__device__ void nvshmemx_half_put_block(half *dest, const half *source, size_t nelems, int pe);
__device__ void nvshmemx_float_put_block(float *dest, const float *source, size_t nelems, int pe);
__device__ void nvshmemx_double_put_block(double *dest, const double *source, size_t nelems, int pe);
__device__ void nvshmemx_char_put_block(char *dest, const char *source, size_t nelems, int pe);
__device__ void nvshmemx_short_put_block(short *dest, const short *source, size_t nelems, int pe);
__device__ void nvshmemx_schar_put_block(signed char *dest, const signed char *source, size_t nelems, int pe);
__device__ void nvshmemx_int_put_block(int *dest, const int *source, size_t nelems, int pe);
__device__ void nvshmemx_long_put_block(long *dest, const long *source, size_t nelems, int pe);
__device__ void nvshmemx_longlong_put_block(long long *dest, const long long *source, size_t nelems, int pe);
__device__ void nvshmemx_uchar_put_block(unsigned char *dest, const unsigned char *source, size_t nelems, int pe);
__device__ void nvshmemx_ushort_put_block(unsigned short *dest, const unsigned short *source, size_t nelems, int pe);
__device__ void nvshmemx_uint_put_block(unsigned int *dest, const unsigned int *source, size_t nelems, int pe);
__device__ void nvshmemx_ulong_put_block(unsigned long *dest, const unsigned long *source, size_t nelems, int pe);
__device__ void nvshmemx_ulonglong_put_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe);
__device__ void nvshmemx_int8_put_block(int8_t *dest, const int8_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int16_put_block(int16_t *dest, const int16_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int32_put_block(int32_t *dest, const int32_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int64_put_block(int64_t *dest, const int64_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint8_put_block(uint8_t *dest, const uint8_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint16_put_block(uint16_t *dest, const uint16_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint32_put_block(uint32_t *dest, const uint32_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint64_put_block(uint64_t *dest, const uint64_t *source, size_t nelems, int pe);
__device__ void nvshmemx_size_put_block(size_t *dest, const size_t *source, size_t nelems, int pe);
__device__ void nvshmemx_ptrdiff_put_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe);
__device__ void nvshmemx_put8_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_put16_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_put32_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_put64_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_put128_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_put8_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_put16_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_put32_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_put64_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_put128_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_putmem_warp(void *dest, const void *source, size_t bytes, int pe);
__device__ void nvshmemx_putmem_block(void *dest, const void *source, size_t bytes, int pe);
__device__ void nvshmemx_bfloat16_put_nbi_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe);
__device__ void nvshmemx_half_put_nbi_warp(half *dest, const half *source, size_t nelems, int pe);
__device__ void nvshmemx_float_put_nbi_warp(float *dest, const float *source, size_t nelems, int pe);
__device__ void nvshmemx_double_put_nbi_warp(double *dest, const double *source, size_t nelems, int pe);
__device__ void nvshmemx_char_put_nbi_warp(char *dest, const char *source, size_t nelems, int pe);
__device__ void nvshmemx_short_put_nbi_warp(short *dest, const short *source, size_t nelems, int pe);
__device__ void nvshmemx_schar_put_nbi_warp(signed char *dest, const signed char *source, size_t nelems, int pe);
__device__ void nvshmemx_int_put_nbi_warp(int *dest, const int *source, size_t nelems, int pe);
__device__ void nvshmemx_long_put_nbi_warp(long *dest, const long *source, size_t nelems, int pe);
__device__ void nvshmemx_longlong_put_nbi_warp(long long *dest, const long long *source, size_t nelems, int pe);
__device__ void nvshmemx_uchar_put_nbi_warp(unsigned char *dest, const unsigned char *source, size_t nelems, int pe);
__device__ void nvshmemx_ushort_put_nbi_warp(unsigned short *dest, const unsigned short *source, size_t nelems, int pe);
__device__ void nvshmemx_uint_put_nbi_warp(unsigned int *dest, const unsigned int *source, size_t nelems, int pe);
__device__ void nvshmemx_ulong_put_nbi_warp(unsigned long *dest, const unsigned long *source, size_t nelems, int pe);
__device__ void nvshmemx_ulonglong_put_nbi_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe);
__device__ void nvshmemx_int8_put_nbi_warp(int8_t *dest, const int8_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int16_put_nbi_warp(int16_t *dest, const int16_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int32_put_nbi_warp(int32_t *dest, const int32_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int64_put_nbi_warp(int64_t *dest, const int64_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint8_put_nbi_warp(uint8_t *dest, const uint8_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint16_put_nbi_warp(uint16_t *dest, const uint16_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint32_put_nbi_warp(uint32_t *dest, const uint32_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint64_put_nbi_warp(uint64_t *dest, const uint64_t *source, size_t nelems, int pe);
__device__ void nvshmemx_size_put_nbi_warp(size_t *dest, const size_t *source, size_t nelems, int pe);
__device__ void nvshmemx_ptrdiff_put_nbi_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe);
__device__ void nvshmemx_bfloat16_put_nbi_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe);
__device__ void nvshmemx_half_put_nbi_block(half *dest, const half *source, size_t nelems, int pe);
__device__ void nvshmemx_float_put_nbi_block(float *dest, const float *source, size_t nelems, int pe);
__device__ void nvshmemx_double_put_nbi_block(double *dest, const double *source, size_t nelems, int pe);
__device__ void nvshmemx_char_put_nbi_block(char *dest, const char *source, size_t nelems, int pe);
__device__ void nvshmemx_short_put_nbi_block(short *dest, const short *source, size_t nelems, int pe);
__device__ void nvshmemx_schar_put_nbi_block(signed char *dest, const signed char *source, size_t nelems, int pe);
__device__ void nvshmemx_int_put_nbi_block(int *dest, const int *source, size_t nelems, int pe);
__device__ void nvshmemx_long_put_nbi_block(long *dest, const long *source, size_t nelems, int pe);
__device__ void nvshmemx_longlong_put_nbi_block(long long *dest, const long long *source, size_t nelems, int pe);
__device__ void nvshmemx_uchar_put_nbi_block(unsigned char *dest, const unsigned char *source, size_t nelems, int pe);
__device__ void nvshmemx_ushort_put_nbi_block(unsigned short *dest, const unsigned short *source, size_t nelems, int pe);
__device__ void nvshmemx_uint_put_nbi_block(unsigned int *dest, const unsigned int *source, size_t nelems, int pe);
__device__ void nvshmemx_ulong_put_nbi_block(unsigned long *dest, const unsigned long *source, size_t nelems, int pe);
__device__ void nvshmemx_ulonglong_put_nbi_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe);
__device__ void nvshmemx_int8_put_nbi_block(int8_t *dest, const int8_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int16_put_nbi_block(int16_t *dest, const int16_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int32_put_nbi_block(int32_t *dest, const int32_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int64_put_nbi_block(int64_t *dest, const int64_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint8_put_nbi_block(uint8_t *dest, const uint8_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint16_put_nbi_block(uint16_t *dest, const uint16_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint32_put_nbi_block(uint32_t *dest, const uint32_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint64_put_nbi_block(uint64_t *dest, const uint64_t *source, size_t nelems, int pe);
__device__ void nvshmemx_size_put_nbi_block(size_t *dest, const size_t *source, size_t nelems, int pe);
__device__ void nvshmemx_ptrdiff_put_nbi_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe);
__device__ void nvshmemx_put8_nbi_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_put16_nbi_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_put32_nbi_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_put64_nbi_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_put128_nbi_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_put8_nbi_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_put16_nbi_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_put32_nbi_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_put64_nbi_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_put128_nbi_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_putmem_nbi_warp(void *dest, const void *source, size_t bytes, int pe);
__device__ void nvshmemx_putmem_nbi_block(void *dest, const void *source, size_t bytes, int pe);
__device__ void nvshmemx_bfloat16_get_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe);
__device__ void nvshmemx_half_get_warp(half *dest, const half *source, size_t nelems, int pe);
__device__ void nvshmemx_float_get_warp(float *dest, const float *source, size_t nelems, int pe);
__device__ void nvshmemx_double_get_warp(double *dest, const double *source, size_t nelems, int pe);
__device__ void nvshmemx_char_get_warp(char *dest, const char *source, size_t nelems, int pe);
__device__ void nvshmemx_short_get_warp(short *dest, const short *source, size_t nelems, int pe);
__device__ void nvshmemx_schar_get_warp(signed char *dest, const signed char *source, size_t nelems, int pe);
__device__ void nvshmemx_int_get_warp(int *dest, const int *source, size_t nelems, int pe);
__device__ void nvshmemx_long_get_warp(long *dest, const long *source, size_t nelems, int pe);
__device__ void nvshmemx_longlong_get_warp(long long *dest, const long long *source, size_t nelems, int pe);
__device__ void nvshmemx_uchar_get_warp(unsigned char *dest, const unsigned char *source, size_t nelems, int pe);
__device__ void nvshmemx_ushort_get_warp(unsigned short *dest, const unsigned short *source, size_t nelems, int pe);
__device__ void nvshmemx_uint_get_warp(unsigned int *dest, const unsigned int *source, size_t nelems, int pe);
__device__ void nvshmemx_ulong_get_warp(unsigned long *dest, const unsigned long *source, size_t nelems, int pe);
__device__ void nvshmemx_ulonglong_get_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe);
__device__ void nvshmemx_int8_get_warp(int8_t *dest, const int8_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int16_get_warp(int16_t *dest, const int16_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int32_get_warp(int32_t *dest, const int32_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int64_get_warp(int64_t *dest, const int64_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint8_get_warp(uint8_t *dest, const uint8_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint16_get_warp(uint16_t *dest, const uint16_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint32_get_warp(uint32_t *dest, const uint32_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint64_get_warp(uint64_t *dest, const uint64_t *source, size_t nelems, int pe);
__device__ void nvshmemx_size_get_warp(size_t *dest, const size_t *source, size_t nelems, int pe);
__device__ void nvshmemx_ptrdiff_get_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe);
__device__ void nvshmemx_bfloat16_get_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe);
__device__ void nvshmemx_half_get_block(half *dest, const half *source, size_t nelems, int pe);
__device__ void nvshmemx_float_get_block(float *dest, const float *source, size_t nelems, int pe);
__device__ void nvshmemx_double_get_block(double *dest, const double *source, size_t nelems, int pe);
__device__ void nvshmemx_char_get_block(char *dest, const char *source, size_t nelems, int pe);
__device__ void nvshmemx_short_get_block(short *dest, const short *source, size_t nelems, int pe);
__device__ void nvshmemx_schar_get_block(signed char *dest, const signed char *source, size_t nelems, int pe);
__device__ void nvshmemx_int_get_block(int *dest, const int *source, size_t nelems, int pe);
__device__ void nvshmemx_long_get_block(long *dest, const long *source, size_t nelems, int pe);
__device__ void nvshmemx_longlong_get_block(long long *dest, const long long *source, size_t nelems, int pe);
__device__ void nvshmemx_uchar_get_block(unsigned char *dest, const unsigned char *source, size_t nelems, int pe);
__device__ void nvshmemx_ushort_get_block(unsigned short *dest, const unsigned short *source, size_t nelems, int pe);
__device__ void nvshmemx_uint_get_block(unsigned int *dest, const unsigned int *source, size_t nelems, int pe);
__device__ void nvshmemx_ulong_get_block(unsigned long *dest, const unsigned long *source, size_t nelems, int pe);
__device__ void nvshmemx_ulonglong_get_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe);
__device__ void nvshmemx_int8_get_block(int8_t *dest, const int8_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int16_get_block(int16_t *dest, const int16_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int32_get_block(int32_t *dest, const int32_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int64_get_block(int64_t *dest, const int64_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint8_get_block(uint8_t *dest, const uint8_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint16_get_block(uint16_t *dest, const uint16_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint32_get_block(uint32_t *dest, const uint32_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint64_get_block(uint64_t *dest, const uint64_t *source, size_t nelems, int pe);
__device__ void nvshmemx_size_get_block(size_t *dest, const size_t *source, size_t nelems, int pe);
__device__ void nvshmemx_ptrdiff_get_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe);
__device__ void nvshmemx_get8_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_get16_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_get32_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_get64_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_get128_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_get8_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_get16_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_get32_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_get64_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_get128_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_getmem_warp(void *dest, const void *source, size_t bytes, int pe);
__device__ void nvshmemx_getmem_block(void *dest, const void *source, size_t bytes, int pe);
__device__ void nvshmemx_bfloat16_get_nbi_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe);
__device__ void nvshmemx_half_get_nbi_warp(half *dest, const half *source, size_t nelems, int pe);
__device__ void nvshmemx_float_get_nbi_warp(float *dest, const float *source, size_t nelems, int pe);
__device__ void nvshmemx_double_get_nbi_warp(double *dest, const double *source, size_t nelems, int pe);
__device__ void nvshmemx_char_get_nbi_warp(char *dest, const char *source, size_t nelems, int pe);
__device__ void nvshmemx_short_get_nbi_warp(short *dest, const short *source, size_t nelems, int pe);
__device__ void nvshmemx_schar_get_nbi_warp(signed char *dest, const signed char *source, size_t nelems, int pe);
__device__ void nvshmemx_int_get_nbi_warp(int *dest, const int *source, size_t nelems, int pe);
__device__ void nvshmemx_long_get_nbi_warp(long *dest, const long *source, size_t nelems, int pe);
__device__ void nvshmemx_longlong_get_nbi_warp(long long *dest, const long long *source, size_t nelems, int pe);
__device__ void nvshmemx_uchar_get_nbi_warp(unsigned char *dest, const unsigned char *source, size_t nelems, int pe);
__device__ void nvshmemx_ushort_get_nbi_warp(unsigned short *dest, const unsigned short *source, size_t nelems, int pe);
__device__ void nvshmemx_uint_get_nbi_warp(unsigned int *dest, const unsigned int *source, size_t nelems, int pe);
__device__ void nvshmemx_ulong_get_nbi_warp(unsigned long *dest, const unsigned long *source, size_t nelems, int pe);
__device__ void nvshmemx_ulonglong_get_nbi_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe);
__device__ void nvshmemx_int8_get_nbi_warp(int8_t *dest, const int8_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int16_get_nbi_warp(int16_t *dest, const int16_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int32_get_nbi_warp(int32_t *dest, const int32_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int64_get_nbi_warp(int64_t *dest, const int64_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint8_get_nbi_warp(uint8_t *dest, const uint8_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint16_get_nbi_warp(uint16_t *dest, const uint16_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint32_get_nbi_warp(uint32_t *dest, const uint32_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint64_get_nbi_warp(uint64_t *dest, const uint64_t *source, size_t nelems, int pe);
__device__ void nvshmemx_size_get_nbi_warp(size_t *dest, const size_t *source, size_t nelems, int pe);
__device__ void nvshmemx_ptrdiff_get_nbi_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe);
__device__ void nvshmemx_bfloat16_get_nbi_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe);
__device__ void nvshmemx_half_get_nbi_block(half *dest, const half *source, size_t nelems, int pe);
__device__ void nvshmemx_float_get_nbi_block(float *dest, const float *source, size_t nelems, int pe);
__device__ void nvshmemx_double_get_nbi_block(double *dest, const double *source, size_t nelems, int pe);
__device__ void nvshmemx_char_get_nbi_block(char *dest, const char *source, size_t nelems, int pe);
__device__ void nvshmemx_short_get_nbi_block(short *dest, const short *source, size_t nelems, int pe);
__device__ void nvshmemx_schar_get_nbi_block(signed char *dest, const signed char *source, size_t nelems, int pe);
__device__ void nvshmemx_int_get_nbi_block(int *dest, const int *source, size_t nelems, int pe);
__device__ void nvshmemx_long_get_nbi_block(long *dest, const long *source, size_t nelems, int pe);
__device__ void nvshmemx_longlong_get_nbi_block(long long *dest, const long long *source, size_t nelems, int pe);
__device__ void nvshmemx_uchar_get_nbi_block(unsigned char *dest, const unsigned char *source, size_t nelems, int pe);
__device__ void nvshmemx_ushort_get_nbi_block(unsigned short *dest, const unsigned short *source, size_t nelems, int pe);
__device__ void nvshmemx_uint_get_nbi_block(unsigned int *dest, const unsigned int *source, size_t nelems, int pe);
__device__ void nvshmemx_ulong_get_nbi_block(unsigned long *dest, const unsigned long *source, size_t nelems, int pe);
__device__ void nvshmemx_ulonglong_get_nbi_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe);
__device__ void nvshmemx_int8_get_nbi_block(int8_t *dest, const int8_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int16_get_nbi_block(int16_t *dest, const int16_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int32_get_nbi_block(int32_t *dest, const int32_t *source, size_t nelems, int pe);
__device__ void nvshmemx_int64_get_nbi_block(int64_t *dest, const int64_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint8_get_nbi_block(uint8_t *dest, const uint8_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint16_get_nbi_block(uint16_t *dest, const uint16_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint32_get_nbi_block(uint32_t *dest, const uint32_t *source, size_t nelems, int pe);
__device__ void nvshmemx_uint64_get_nbi_block(uint64_t *dest, const uint64_t *source, size_t nelems, int pe);
__device__ void nvshmemx_size_get_nbi_block(size_t *dest, const size_t *source, size_t nelems, int pe);
__device__ void nvshmemx_ptrdiff_get_nbi_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe);
__device__ void nvshmemx_get8_nbi_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_get16_nbi_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_get32_nbi_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_get64_nbi_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_get128_nbi_warp(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_get8_nbi_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_get16_nbi_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_get32_nbi_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_get64_nbi_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_get128_nbi_block(void *dest, const void *source, size_t nelems, int pe);
__device__ void nvshmemx_getmem_nbi_warp(void *dest, const void *source, size_t bytes, int pe);
__device__ void nvshmemx_getmem_nbi_block(void *dest, const void *source, size_t bytes, int pe);
__device__ void nvshmemx_bfloat16_iput_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_half_iput_warp(half *dest, const half *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_float_iput_warp(float *dest, const float *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_double_iput_warp(double *dest, const double *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_char_iput_warp(char *dest, const char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_short_iput_warp(short *dest, const short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_schar_iput_warp(signed char *dest, const signed char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int_iput_warp(int *dest, const int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_long_iput_warp(long *dest, const long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_longlong_iput_warp(long long *dest, const long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uchar_iput_warp(unsigned char *dest, const unsigned char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_ushort_iput_warp(unsigned short *dest, const unsigned short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint_iput_warp(unsigned int *dest, const unsigned int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_ulong_iput_warp(unsigned long *dest, const unsigned long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_ulonglong_iput_warp(unsigned long long *dest, const unsigned long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int8_iput_warp(int8_t *dest, const int8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int16_iput_warp(int16_t *dest, const int16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int32_iput_warp(int32_t *dest, const int32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int64_iput_warp(int64_t *dest, const int64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint8_iput_warp(uint8_t *dest, const uint8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint16_iput_warp(uint16_t *dest, const uint16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint32_iput_warp(uint32_t *dest, const uint32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint64_iput_warp(uint64_t *dest, const uint64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_size_iput_warp(size_t *dest, const size_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_ptrdiff_iput_warp(ptrdiff_t *dest, const ptrdiff_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_bfloat16_iput_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_half_iput_block(half *dest, const half *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_float_iput_block(float *dest, const float *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_double_iput_block(double *dest, const double *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_char_iput_block(char *dest, const char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_short_iput_block(short *dest, const short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_schar_iput_block(signed char *dest, const signed char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int_iput_block(int *dest, const int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_long_iput_block(long *dest, const long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_longlong_iput_block(long long *dest, const long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uchar_iput_block(unsigned char *dest, const unsigned char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_ushort_iput_block(unsigned short *dest, const unsigned short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint_iput_block(unsigned int *dest, const unsigned int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_ulong_iput_block(unsigned long *dest, const unsigned long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_ulonglong_iput_block(unsigned long long *dest, const unsigned long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int8_iput_block(int8_t *dest, const int8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int16_iput_block(int16_t *dest, const int16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int32_iput_block(int32_t *dest, const int32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int64_iput_block(int64_t *dest, const int64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint8_iput_block(uint8_t *dest, const uint8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint16_iput_block(uint16_t *dest, const uint16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint32_iput_block(uint32_t *dest, const uint32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint64_iput_block(uint64_t *dest, const uint64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_size_iput_block(size_t *dest, const size_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_ptrdiff_iput_block(ptrdiff_t *dest, const ptrdiff_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iput8_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iput16_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iput32_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iput64_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iput128_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iput8_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iput16_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iput32_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iput64_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iput128_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_bfloat16_iget_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_half_iget_warp(half *dest, const half *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_float_iget_warp(float *dest, const float *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_double_iget_warp(double *dest, const double *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_char_iget_warp(char *dest, const char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_short_iget_warp(short *dest, const short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_schar_iget_warp(signed char *dest, const signed char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int_iget_warp(int *dest, const int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_long_iget_warp(long *dest, const long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_longlong_iget_warp(long long *dest, const long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uchar_iget_warp(unsigned char *dest, const unsigned char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_ushort_iget_warp(unsigned short *dest, const unsigned short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint_iget_warp(unsigned int *dest, const unsigned int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_ulong_iget_warp(unsigned long *dest, const unsigned long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_ulonglong_iget_warp(unsigned long long *dest, const unsigned long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int8_iget_warp(int8_t *dest, const int8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int16_iget_warp(int16_t *dest, const int16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int32_iget_warp(int32_t *dest, const int32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int64_iget_warp(int64_t *dest, const int64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint8_iget_warp(uint8_t *dest, const uint8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint16_iget_warp(uint16_t *dest, const uint16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint32_iget_warp(uint32_t *dest, const uint32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint64_iget_warp(uint64_t *dest, const uint64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_size_iget_warp(size_t *dest, const size_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_ptrdiff_iget_warp(ptrdiff_t *dest, const ptrdiff_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_bfloat16_iget_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_half_iget_block(half *dest, const half *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_float_iget_block(float *dest, const float *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_double_iget_block(double *dest, const double *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_char_iget_block(char *dest, const char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_short_iget_block(short *dest, const short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_schar_iget_block(signed char *dest, const signed char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int_iget_block(int *dest, const int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_long_iget_block(long *dest, const long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_longlong_iget_block(long long *dest, const long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uchar_iget_block(unsigned char *dest, const unsigned char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_ushort_iget_block(unsigned short *dest, const unsigned short *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint_iget_block(unsigned int *dest, const unsigned int *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_ulong_iget_block(unsigned long *dest, const unsigned long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_ulonglong_iget_block(unsigned long long *dest, const unsigned long long *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int8_iget_block(int8_t *dest, const int8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int16_iget_block(int16_t *dest, const int16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int32_iget_block(int32_t *dest, const int32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_int64_iget_block(int64_t *dest, const int64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint8_iget_block(uint8_t *dest, const uint8_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint16_iget_block(uint16_t *dest, const uint16_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint32_iget_block(uint32_t *dest, const uint32_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_uint64_iget_block(uint64_t *dest, const uint64_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_size_iget_block(size_t *dest, const size_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_ptrdiff_iget_block(ptrdiff_t *dest, const ptrdiff_t *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iget8_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iget16_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iget32_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iget64_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iget128_warp(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iget8_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iget16_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iget32_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iget64_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmemx_iget128_block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
__device__ void nvshmem_bfloat16_put_signal(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_half_put_signal(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_float_put_signal(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_double_put_signal(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_char_put_signal(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_short_put_signal(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_schar_put_signal(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_int_put_signal(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_long_put_signal(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_longlong_put_signal(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_uchar_put_signal(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_ushort_put_signal(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_uint_put_signal(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_ulong_put_signal(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_ulonglong_put_signal(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_int8_put_signal(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_int16_put_signal(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_int32_put_signal(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_int64_put_signal(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_uint8_put_signal(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_uint16_put_signal(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_uint32_put_signal(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_uint64_put_signal(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_size_put_signal(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_ptrdiff_put_signal(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_bfloat16_put_signal_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_half_put_signal_warp(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_float_put_signal_warp(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_double_put_signal_warp(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_char_put_signal_warp(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_short_put_signal_warp(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_schar_put_signal_warp(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int_put_signal_warp(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_long_put_signal_warp(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_longlong_put_signal_warp(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uchar_put_signal_warp(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_ushort_put_signal_warp(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint_put_signal_warp(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_ulong_put_signal_warp(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_ulonglong_put_signal_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int8_put_signal_warp(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int16_put_signal_warp(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int32_put_signal_warp(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int64_put_signal_warp(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint8_put_signal_warp(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint16_put_signal_warp(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint32_put_signal_warp(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint64_put_signal_warp(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_size_put_signal_warp(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_ptrdiff_put_signal_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_bfloat16_put_signal_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_half_put_signal_block(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_float_put_signal_block(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_double_put_signal_block(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_char_put_signal_block(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_short_put_signal_block(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_schar_put_signal_block(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int_put_signal_block(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_long_put_signal_block(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_longlong_put_signal_block(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uchar_put_signal_block(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_ushort_put_signal_block(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint_put_signal_block(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_ulong_put_signal_block(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_ulonglong_put_signal_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int8_put_signal_block(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int16_put_signal_block(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int32_put_signal_block(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int64_put_signal_block(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint8_put_signal_block(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint16_put_signal_block(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint32_put_signal_block(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint64_put_signal_block(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_size_put_signal_block(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_ptrdiff_put_signal_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_put8_signal(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_put16_signal(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_put32_signal(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_put64_signal(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_put128_signal(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put8_signal_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put16_signal_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put32_signal_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put64_signal_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put128_signal_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put8_signal_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put16_signal_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put32_signal_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put64_signal_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put128_signal_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_putmem_signal(void *dest, const void *source, size_t bytes, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_putmem_signal_warp(void *dest, const void *source, size_t bytes, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_putmem_signal_block(void *dest, const void *source, size_t bytes, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_bfloat16_put_signal_nbi(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_half_put_signal_nbi(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_float_put_signal_nbi(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_double_put_signal_nbi(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_char_put_signal_nbi(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_short_put_signal_nbi(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_schar_put_signal_nbi(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_int_put_signal_nbi(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_long_put_signal_nbi(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_longlong_put_signal_nbi(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_uchar_put_signal_nbi(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_ushort_put_signal_nbi(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_uint_put_signal_nbi(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_ulong_put_signal_nbi(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_ulonglong_put_signal_nbi(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_int8_put_signal_nbi(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_int16_put_signal_nbi(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_int32_put_signal_nbi(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_int64_put_signal_nbi(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_uint8_put_signal_nbi(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_uint16_put_signal_nbi(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_uint32_put_signal_nbi(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_uint64_put_signal_nbi(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_size_put_signal_nbi(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_ptrdiff_put_signal_nbi(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_bfloat16_put_signal_nbi_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_half_put_signal_nbi_warp(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_float_put_signal_nbi_warp(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_double_put_signal_nbi_warp(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_char_put_signal_nbi_warp(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_short_put_signal_nbi_warp(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_schar_put_signal_nbi_warp(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int_put_signal_nbi_warp(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_long_put_signal_nbi_warp(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_longlong_put_signal_nbi_warp(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uchar_put_signal_nbi_warp(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_ushort_put_signal_nbi_warp(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint_put_signal_nbi_warp(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_ulong_put_signal_nbi_warp(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_ulonglong_put_signal_nbi_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int8_put_signal_nbi_warp(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int16_put_signal_nbi_warp(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int32_put_signal_nbi_warp(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int64_put_signal_nbi_warp(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint8_put_signal_nbi_warp(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint16_put_signal_nbi_warp(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint32_put_signal_nbi_warp(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint64_put_signal_nbi_warp(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_size_put_signal_nbi_warp(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_ptrdiff_put_signal_nbi_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_bfloat16_put_signal_nbi_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_half_put_signal_nbi_block(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_float_put_signal_nbi_block(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_double_put_signal_nbi_block(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_char_put_signal_nbi_block(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_short_put_signal_nbi_block(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_schar_put_signal_nbi_block(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int_put_signal_nbi_block(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_long_put_signal_nbi_block(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_longlong_put_signal_nbi_block(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uchar_put_signal_nbi_block(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_ushort_put_signal_nbi_block(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint_put_signal_nbi_block(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_ulong_put_signal_nbi_block(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_ulonglong_put_signal_nbi_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int8_put_signal_nbi_block(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int16_put_signal_nbi_block(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int32_put_signal_nbi_block(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_int64_put_signal_nbi_block(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint8_put_signal_nbi_block(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint16_put_signal_nbi_block(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint32_put_signal_nbi_block(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_uint64_put_signal_nbi_block(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_size_put_signal_nbi_block(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_ptrdiff_put_signal_nbi_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_put8_signal_nbi(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_put16_signal_nbi(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_put32_signal_nbi(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_put64_signal_nbi(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_put128_signal_nbi(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put8_signal_nbi_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put16_signal_nbi_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put32_signal_nbi_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put64_signal_nbi_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put128_signal_nbi_warp(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put8_signal_nbi_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put16_signal_nbi_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put32_signal_nbi_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put64_signal_nbi_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_put128_signal_nbi_block(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmem_putmem_signal_nbi(void *dest, const void *source, size_t bytes, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_putmem_signal_nbi_warp(void *dest, const void *source, size_t bytes, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ void nvshmemx_putmem_signal_nbi_block(void *dest, const void *source, size_t bytes, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
__device__ uint64_t nvshmem_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t cmp_value);
__device__ void nvshmem_short_wait_until(short *ivar, int cmp, short cmp_value);
__device__ void nvshmem_int_wait_until(int *ivar, int cmp, int cmp_value);
__device__ void nvshmem_long_wait_until(long *ivar, int cmp, long cmp_value);
__device__ void nvshmem_longlong_wait_until(long long *ivar, int cmp, long long cmp_value);
__device__ void nvshmem_ushort_wait_until(unsigned short *ivar, int cmp, unsigned short cmp_value);
__device__ void nvshmem_uint_wait_until(unsigned int *ivar, int cmp, unsigned int cmp_value);
__device__ void nvshmem_ulong_wait_until(unsigned long *ivar, int cmp, unsigned long cmp_value);
__device__ void nvshmem_ulonglong_wait_until(unsigned long long *ivar, int cmp, unsigned long long cmp_value);
__device__ void nvshmem_int32_wait_until(int32_t *ivar, int cmp, int32_t cmp_value);
__device__ void nvshmem_int64_wait_until(int64_t *ivar, int cmp, int64_t cmp_value);
__device__ void nvshmem_uint32_wait_until(uint32_t *ivar, int cmp, uint32_t cmp_value);
__device__ void nvshmem_uint64_wait_until(uint64_t *ivar, int cmp, uint64_t cmp_value);
__device__ void nvshmem_size_wait_until(size_t *ivar, int cmp, size_t cmp_value);
__device__ void nvshmem_ptrdiff_wait_until(ptrdiff_t *ivar, int cmp, ptrdiff_t cmp_value);
__device__ int nvshmem_short_test(short *ivar, int cmp, short cmp_value);
__device__ int nvshmem_int_test(int *ivar, int cmp, int cmp_value);
__device__ int nvshmem_long_test(long *ivar, int cmp, long cmp_value);
__device__ int nvshmem_longlong_test(long long *ivar, int cmp, long long cmp_value);
__device__ int nvshmem_ushort_test(unsigned short *ivar, int cmp, unsigned short cmp_value);
__device__ int nvshmem_uint_test(unsigned int *ivar, int cmp, unsigned int cmp_value);
__device__ int nvshmem_ulong_test(unsigned long *ivar, int cmp, unsigned long cmp_value);
__device__ int nvshmem_ulonglong_test(unsigned long long *ivar, int cmp, unsigned long long cmp_value);
__device__ int nvshmem_int32_test(int32_t *ivar, int cmp, int32_t cmp_value);
__device__ int nvshmem_int64_test(int64_t *ivar, int cmp, int64_t cmp_value);
__device__ int nvshmem_uint32_test(uint32_t *ivar, int cmp, uint32_t cmp_value);
__device__ int nvshmem_uint64_test(uint64_t *ivar, int cmp, uint64_t cmp_value);
__device__ int nvshmem_size_test(size_t *ivar, int cmp, size_t cmp_value);
__device__ int nvshmem_ptrdiff_test(ptrdiff_t *ivar, int cmp, ptrdiff_t cmp_value);
__device__ void nvshmem_short_wait_until_all(short *ivars, size_t nelems, const int *status, int cmp, short cmp_value);
__device__ void nvshmem_int_wait_until_all(int *ivars, size_t nelems, const int *status, int cmp, int cmp_value);
__device__ void nvshmem_long_wait_until_all(long *ivars, size_t nelems, const int *status, int cmp, long cmp_value);
__device__ void nvshmem_longlong_wait_until_all(long long *ivars, size_t nelems, const int *status, int cmp, long long cmp_value);
__device__ void nvshmem_ushort_wait_until_all(unsigned short *ivars, size_t nelems, const int *status, int cmp, unsigned short cmp_value);
__device__ void nvshmem_uint_wait_until_all(unsigned int *ivars, size_t nelems, const int *status, int cmp, unsigned int cmp_value);
__device__ void nvshmem_ulong_wait_until_all(unsigned long *ivars, size_t nelems, const int *status, int cmp, unsigned long cmp_value);
__device__ void nvshmem_ulonglong_wait_until_all(unsigned long long *ivars, size_t nelems, const int *status, int cmp, unsigned long long cmp_value);
__device__ void nvshmem_int32_wait_until_all(int32_t *ivars, size_t nelems, const int *status, int cmp, int32_t cmp_value);
__device__ void nvshmem_int64_wait_until_all(int64_t *ivars, size_t nelems, const int *status, int cmp, int64_t cmp_value);
__device__ void nvshmem_uint32_wait_until_all(uint32_t *ivars, size_t nelems, const int *status, int cmp, uint32_t cmp_value);
__device__ void nvshmem_uint64_wait_until_all(uint64_t *ivars, size_t nelems, const int *status, int cmp, uint64_t cmp_value);
__device__ void nvshmem_size_wait_until_all(size_t *ivars, size_t nelems, const int *status, int cmp, size_t cmp_value);
__device__ void nvshmem_ptrdiff_wait_until_all(ptrdiff_t *ivars, size_t nelems, const int *status, int cmp, ptrdiff_t cmp_value);
__device__ void nvshmem_short_wait_until_all_vector(short *ivars, size_t nelems, const int *status, int cmp, short *cmp_values);
__device__ void nvshmem_int_wait_until_all_vector(int *ivars, size_t nelems, const int *status, int cmp, int *cmp_values);
__device__ void nvshmem_long_wait_until_all_vector(long *ivars, size_t nelems, const int *status, int cmp, long *cmp_values);
__device__ void nvshmem_longlong_wait_until_all_vector(long long *ivars, size_t nelems, const int *status, int cmp, long long *cmp_values);
__device__ void nvshmem_ushort_wait_until_all_vector(unsigned short *ivars, size_t nelems, const int *status, int cmp, unsigned short *cmp_values);
__device__ void nvshmem_uint_wait_until_all_vector(unsigned int *ivars, size_t nelems, const int *status, int cmp, unsigned int *cmp_values);
__device__ void nvshmem_ulong_wait_until_all_vector(unsigned long *ivars, size_t nelems, const int *status, int cmp, unsigned long *cmp_values);
__device__ void nvshmem_ulonglong_wait_until_all_vector(unsigned long long *ivars, size_t nelems, const int *status, int cmp, unsigned long long *cmp_values);
__device__ void nvshmem_int32_wait_until_all_vector(int32_t *ivars, size_t nelems, const int *status, int cmp, int32_t *cmp_values);
__device__ void nvshmem_int64_wait_until_all_vector(int64_t *ivars, size_t nelems, const int *status, int cmp, int64_t *cmp_values);
__device__ void nvshmem_uint32_wait_until_all_vector(uint32_t *ivars, size_t nelems, const int *status, int cmp, uint32_t *cmp_values);
__device__ void nvshmem_uint64_wait_until_all_vector(uint64_t *ivars, size_t nelems, const int *status, int cmp, uint64_t *cmp_values);
__device__ void nvshmem_size_wait_until_all_vector(size_t *ivars, size_t nelems, const int *status, int cmp, size_t *cmp_values);
__device__ void nvshmem_ptrdiff_wait_until_all_vector(ptrdiff_t *ivars, size_t nelems, const int *status, int cmp, ptrdiff_t *cmp_values);
__device__ size_t nvshmem_short_wait_until_any(short *ivars, size_t nelems, const int *status, int cmp, short cmp_value);
__device__ size_t nvshmem_int_wait_until_any(int *ivars, size_t nelems, const int *status, int cmp, int cmp_value);
__device__ size_t nvshmem_long_wait_until_any(long *ivars, size_t nelems, const int *status, int cmp, long cmp_value);
__device__ size_t nvshmem_longlong_wait_until_any(long long *ivars, size_t nelems, const int *status, int cmp, long long cmp_value);
__device__ size_t nvshmem_ushort_wait_until_any(unsigned short *ivars, size_t nelems, const int *status, int cmp, unsigned short cmp_value);
__device__ size_t nvshmem_uint_wait_until_any(unsigned int *ivars, size_t nelems, const int *status, int cmp, unsigned int cmp_value);
__device__ size_t nvshmem_ulong_wait_until_any(unsigned long *ivars, size_t nelems, const int *status, int cmp, unsigned long cmp_value);
__device__ size_t nvshmem_ulonglong_wait_until_any(unsigned long long *ivars, size_t nelems, const int *status, int cmp, unsigned long long cmp_value);
__device__ size_t nvshmem_int32_wait_until_any(int32_t *ivars, size_t nelems, const int *status, int cmp, int32_t cmp_value);
__device__ size_t nvshmem_int64_wait_until_any(int64_t *ivars, size_t nelems, const int *status, int cmp, int64_t cmp_value);
__device__ size_t nvshmem_uint32_wait_until_any(uint32_t *ivars, size_t nelems, const int *status, int cmp, uint32_t cmp_value);
__device__ size_t nvshmem_uint64_wait_until_any(uint64_t *ivars, size_t nelems, const int *status, int cmp, uint64_t cmp_value);
__device__ size_t nvshmem_size_wait_until_any(size_t *ivars, size_t nelems, const int *status, int cmp, size_t cmp_value);
__device__ size_t nvshmem_ptrdiff_wait_until_any(ptrdiff_t *ivars, size_t nelems, const int *status, int cmp, ptrdiff_t cmp_value);
__device__ size_t nvshmem_short_wait_until_any_vector(short *ivars, size_t nelems, const int *status, int cmp, short *cmp_values);
__device__ size_t nvshmem_int_wait_until_any_vector(int *ivars, size_t nelems, const int *status, int cmp, int *cmp_values);
__device__ size_t nvshmem_long_wait_until_any_vector(long *ivars, size_t nelems, const int *status, int cmp, long *cmp_values);
__device__ size_t nvshmem_longlong_wait_until_any_vector(long long *ivars, size_t nelems, const int *status, int cmp, long long *cmp_values);
__device__ size_t nvshmem_ushort_wait_until_any_vector(unsigned short *ivars, size_t nelems, const int *status, int cmp, unsigned short *cmp_values);
__device__ size_t nvshmem_uint_wait_until_any_vector(unsigned int *ivars, size_t nelems, const int *status, int cmp, unsigned int *cmp_values);
__device__ size_t nvshmem_ulong_wait_until_any_vector(unsigned long *ivars, size_t nelems, const int *status, int cmp, unsigned long *cmp_values);
__device__ size_t nvshmem_ulonglong_wait_until_any_vector(unsigned long long *ivars, size_t nelems, const int *status, int cmp, unsigned long long *cmp_values);
__device__ size_t nvshmem_int32_wait_until_any_vector(int32_t *ivars, size_t nelems, const int *status, int cmp, int32_t *cmp_values);
__device__ size_t nvshmem_int64_wait_until_any_vector(int64_t *ivars, size_t nelems, const int *status, int cmp, int64_t *cmp_values);
__device__ size_t nvshmem_uint32_wait_until_any_vector(uint32_t *ivars, size_t nelems, const int *status, int cmp, uint32_t *cmp_values);
__device__ size_t nvshmem_uint64_wait_until_any_vector(uint64_t *ivars, size_t nelems, const int *status, int cmp, uint64_t *cmp_values);
__device__ size_t nvshmem_size_wait_until_any_vector(size_t *ivars, size_t nelems, const int *status, int cmp, size_t *cmp_values);
__device__ size_t nvshmem_ptrdiff_wait_until_any_vector(ptrdiff_t *ivars, size_t nelems, const int *status, int cmp, ptrdiff_t *cmp_values);
__device__ size_t nvshmem_short_wait_until_some(short *ivars, size_t nelems, size_t *indices, const int *status, int cmp, short cmp_value);
__device__ size_t nvshmem_int_wait_until_some(int *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int cmp_value);
__device__ size_t nvshmem_long_wait_until_some(long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, long cmp_value);
__device__ size_t nvshmem_longlong_wait_until_some(long long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, long long cmp_value);
__device__ size_t nvshmem_ushort_wait_until_some(unsigned short *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned short cmp_value);
__device__ size_t nvshmem_uint_wait_until_some(unsigned int *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned int cmp_value);
__device__ size_t nvshmem_ulong_wait_until_some(unsigned long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned long cmp_value);
__device__ size_t nvshmem_ulonglong_wait_until_some(unsigned long long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned long long cmp_value);
__device__ size_t nvshmem_int32_wait_until_some(int32_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int32_t cmp_value);
__device__ size_t nvshmem_int64_wait_until_some(int64_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int64_t cmp_value);
__device__ size_t nvshmem_uint32_wait_until_some(uint32_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, uint32_t cmp_value);
__device__ size_t nvshmem_uint64_wait_until_some(uint64_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, uint64_t cmp_value);
__device__ size_t nvshmem_size_wait_until_some(size_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, size_t cmp_value);
__device__ size_t nvshmem_ptrdiff_wait_until_some(ptrdiff_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, ptrdiff_t cmp_value);
__device__ size_t nvshmem_short_wait_until_some_vector(short *ivars, size_t nelems, size_t *indices, const int *status, int cmp, short *cmp_values);
__device__ size_t nvshmem_int_wait_until_some_vector(int *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int *cmp_values);
__device__ size_t nvshmem_long_wait_until_some_vector(long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, long *cmp_values);
__device__ size_t nvshmem_longlong_wait_until_some_vector(long long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, long long *cmp_values);
__device__ size_t nvshmem_ushort_wait_until_some_vector(unsigned short *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned short *cmp_values);
__device__ size_t nvshmem_uint_wait_until_some_vector(unsigned int *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned int *cmp_values);
__device__ size_t nvshmem_ulong_wait_until_some_vector(unsigned long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned long *cmp_values);
__device__ size_t nvshmem_ulonglong_wait_until_some_vector(unsigned long long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned long long *cmp_values);
__device__ size_t nvshmem_int32_wait_until_some_vector(int32_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int32_t *cmp_values);
__device__ size_t nvshmem_int64_wait_until_some_vector(int64_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int64_t *cmp_values);
__device__ size_t nvshmem_uint32_wait_until_some_vector(uint32_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, uint32_t *cmp_values);
__device__ size_t nvshmem_uint64_wait_until_some_vector(uint64_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, uint64_t *cmp_values);
__device__ size_t nvshmem_size_wait_until_some_vector(size_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, size_t *cmp_values);
__device__ size_t nvshmem_ptrdiff_wait_until_some_vector(ptrdiff_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, ptrdiff_t *cmp_values);
__device__ int nvshmem_short_test_all(short *ivars, size_t nelems, const int *status, int cmp, short cmp_value);
__device__ int nvshmem_int_test_all(int *ivars, size_t nelems, const int *status, int cmp, int cmp_value);
__device__ int nvshmem_long_test_all(long *ivars, size_t nelems, const int *status, int cmp, long cmp_value);
__device__ int nvshmem_longlong_test_all(long long *ivars, size_t nelems, const int *status, int cmp, long long cmp_value);
__device__ int nvshmem_ushort_test_all(unsigned short *ivars, size_t nelems, const int *status, int cmp, unsigned short cmp_value);
__device__ int nvshmem_uint_test_all(unsigned int *ivars, size_t nelems, const int *status, int cmp, unsigned int cmp_value);
__device__ int nvshmem_ulong_test_all(unsigned long *ivars, size_t nelems, const int *status, int cmp, unsigned long cmp_value);
__device__ int nvshmem_ulonglong_test_all(unsigned long long *ivars, size_t nelems, const int *status, int cmp, unsigned long long cmp_value);
__device__ int nvshmem_int32_test_all(int32_t *ivars, size_t nelems, const int *status, int cmp, int32_t cmp_value);
__device__ int nvshmem_int64_test_all(int64_t *ivars, size_t nelems, const int *status, int cmp, int64_t cmp_value);
__device__ int nvshmem_uint32_test_all(uint32_t *ivars, size_t nelems, const int *status, int cmp, uint32_t cmp_value);
__device__ int nvshmem_uint64_test_all(uint64_t *ivars, size_t nelems, const int *status, int cmp, uint64_t cmp_value);
__device__ int nvshmem_size_test_all(size_t *ivars, size_t nelems, const int *status, int cmp, size_t cmp_value);
__device__ int nvshmem_ptrdiff_test_all(ptrdiff_t *ivars, size_t nelems, const int *status, int cmp, ptrdiff_t cmp_value);
__device__ int nvshmem_short_test_all_vector(short *ivars, size_t nelems, const int *status, int cmp, short *cmp_values);
__device__ int nvshmem_int_test_all_vector(int *ivars, size_t nelems, const int *status, int cmp, int *cmp_values);
__device__ int nvshmem_long_test_all_vector(long *ivars, size_t nelems, const int *status, int cmp, long *cmp_values);
__device__ int nvshmem_longlong_test_all_vector(long long *ivars, size_t nelems, const int *status, int cmp, long long *cmp_values);
__device__ int nvshmem_ushort_test_all_vector(unsigned short *ivars, size_t nelems, const int *status, int cmp, unsigned short *cmp_values);
__device__ int nvshmem_uint_test_all_vector(unsigned int *ivars, size_t nelems, const int *status, int cmp, unsigned int *cmp_values);
__device__ int nvshmem_ulong_test_all_vector(unsigned long *ivars, size_t nelems, const int *status, int cmp, unsigned long *cmp_values);
__device__ int nvshmem_ulonglong_test_all_vector(unsigned long long *ivars, size_t nelems, const int *status, int cmp, unsigned long long *cmp_values);
__device__ int nvshmem_int32_test_all_vector(int32_t *ivars, size_t nelems, const int *status, int cmp, int32_t *cmp_values);
__device__ int nvshmem_int64_test_all_vector(int64_t *ivars, size_t nelems, const int *status, int cmp, int64_t *cmp_values);
__device__ int nvshmem_uint32_test_all_vector(uint32_t *ivars, size_t nelems, const int *status, int cmp, uint32_t *cmp_values);
__device__ int nvshmem_uint64_test_all_vector(uint64_t *ivars, size_t nelems, const int *status, int cmp, uint64_t *cmp_values);
__device__ int nvshmem_size_test_all_vector(size_t *ivars, size_t nelems, const int *status, int cmp, size_t *cmp_values);
__device__ int nvshmem_ptrdiff_test_all_vector(ptrdiff_t *ivars, size_t nelems, const int *status, int cmp, ptrdiff_t *cmp_values);
__device__ size_t nvshmem_short_test_any(short *ivars, size_t nelems, const int *status, int cmp, short cmp_value);
__device__ size_t nvshmem_int_test_any(int *ivars, size_t nelems, const int *status, int cmp, int cmp_value);
__device__ size_t nvshmem_long_test_any(long *ivars, size_t nelems, const int *status, int cmp, long cmp_value);
__device__ size_t nvshmem_longlong_test_any(long long *ivars, size_t nelems, const int *status, int cmp, long long cmp_value);
__device__ size_t nvshmem_ushort_test_any(unsigned short *ivars, size_t nelems, const int *status, int cmp, unsigned short cmp_value);
__device__ size_t nvshmem_uint_test_any(unsigned int *ivars, size_t nelems, const int *status, int cmp, unsigned int cmp_value);
__device__ size_t nvshmem_ulong_test_any(unsigned long *ivars, size_t nelems, const int *status, int cmp, unsigned long cmp_value);
__device__ size_t nvshmem_ulonglong_test_any(unsigned long long *ivars, size_t nelems, const int *status, int cmp, unsigned long long cmp_value);
__device__ size_t nvshmem_int32_test_any(int32_t *ivars, size_t nelems, const int *status, int cmp, int32_t cmp_value);
__device__ size_t nvshmem_int64_test_any(int64_t *ivars, size_t nelems, const int *status, int cmp, int64_t cmp_value);
__device__ size_t nvshmem_uint32_test_any(uint32_t *ivars, size_t nelems, const int *status, int cmp, uint32_t cmp_value);
__device__ size_t nvshmem_uint64_test_any(uint64_t *ivars, size_t nelems, const int *status, int cmp, uint64_t cmp_value);
__device__ size_t nvshmem_size_test_any(size_t *ivars, size_t nelems, const int *status, int cmp, size_t cmp_value);
__device__ size_t nvshmem_ptrdiff_test_any(ptrdiff_t *ivars, size_t nelems, const int *status, int cmp, ptrdiff_t cmp_value);
__device__ size_t nvshmem_short_test_any_vector(short *ivars, size_t nelems, const int *status, int cmp, short *cmp_values);
__device__ size_t nvshmem_int_test_any_vector(int *ivars, size_t nelems, const int *status, int cmp, int *cmp_values);
__device__ size_t nvshmem_long_test_any_vector(long *ivars, size_t nelems, const int *status, int cmp, long *cmp_values);
__device__ size_t nvshmem_longlong_test_any_vector(long long *ivars, size_t nelems, const int *status, int cmp, long long *cmp_values);
__device__ size_t nvshmem_ushort_test_any_vector(unsigned short *ivars, size_t nelems, const int *status, int cmp, unsigned short *cmp_values);
__device__ size_t nvshmem_uint_test_any_vector(unsigned int *ivars, size_t nelems, const int *status, int cmp, unsigned int *cmp_values);
__device__ size_t nvshmem_ulong_test_any_vector(unsigned long *ivars, size_t nelems, const int *status, int cmp, unsigned long *cmp_values);
__device__ size_t nvshmem_ulonglong_test_any_vector(unsigned long long *ivars, size_t nelems, const int *status, int cmp, unsigned long long *cmp_values);
__device__ size_t nvshmem_int32_test_any_vector(int32_t *ivars, size_t nelems, const int *status, int cmp, int32_t *cmp_values);
__device__ size_t nvshmem_int64_test_any_vector(int64_t *ivars, size_t nelems, const int *status, int cmp, int64_t *cmp_values);
__device__ size_t nvshmem_uint32_test_any_vector(uint32_t *ivars, size_t nelems, const int *status, int cmp, uint32_t *cmp_values);
__device__ size_t nvshmem_uint64_test_any_vector(uint64_t *ivars, size_t nelems, const int *status, int cmp, uint64_t *cmp_values);
__device__ size_t nvshmem_size_test_any_vector(size_t *ivars, size_t nelems, const int *status, int cmp, size_t *cmp_values);
__device__ size_t nvshmem_ptrdiff_test_any_vector(ptrdiff_t *ivars, size_t nelems, const int *status, int cmp, ptrdiff_t *cmp_values);
__device__ size_t nvshmem_short_test_some(short *ivars, size_t nelems, size_t *indices, const int *status, int cmp, short cmp_value);
__device__ size_t nvshmem_int_test_some(int *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int cmp_value);
__device__ size_t nvshmem_long_test_some(long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, long cmp_value);
__device__ size_t nvshmem_longlong_test_some(long long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, long long cmp_value);
__device__ size_t nvshmem_ushort_test_some(unsigned short *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned short cmp_value);
__device__ size_t nvshmem_uint_test_some(unsigned int *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned int cmp_value);
__device__ size_t nvshmem_ulong_test_some(unsigned long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned long cmp_value);
__device__ size_t nvshmem_ulonglong_test_some(unsigned long long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned long long cmp_value);
__device__ size_t nvshmem_int32_test_some(int32_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int32_t cmp_value);
__device__ size_t nvshmem_int64_test_some(int64_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int64_t cmp_value);
__device__ size_t nvshmem_uint32_test_some(uint32_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, uint32_t cmp_value);
__device__ size_t nvshmem_uint64_test_some(uint64_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, uint64_t cmp_value);
__device__ size_t nvshmem_size_test_some(size_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, size_t cmp_value);
__device__ size_t nvshmem_ptrdiff_test_some(ptrdiff_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, ptrdiff_t cmp_value);
__device__ size_t nvshmem_short_test_some_vector(short *ivars, size_t nelems, size_t *indices, const int *status, int cmp, short *cmp_values);
__device__ size_t nvshmem_int_test_some_vector(int *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int *cmp_values);
__device__ size_t nvshmem_long_test_some_vector(long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, long *cmp_values);
__device__ size_t nvshmem_longlong_test_some_vector(long long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, long long *cmp_values);
__device__ size_t nvshmem_ushort_test_some_vector(unsigned short *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned short *cmp_values);
__device__ size_t nvshmem_uint_test_some_vector(unsigned int *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned int *cmp_values);
__device__ size_t nvshmem_ulong_test_some_vector(unsigned long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned long *cmp_values);
__device__ size_t nvshmem_ulonglong_test_some_vector(unsigned long long *ivars, size_t nelems, size_t *indices, const int *status, int cmp, unsigned long long *cmp_values);
__device__ size_t nvshmem_int32_test_some_vector(int32_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int32_t *cmp_values);
__device__ size_t nvshmem_int64_test_some_vector(int64_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, int64_t *cmp_values);
__device__ size_t nvshmem_uint32_test_some_vector(uint32_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, uint32_t *cmp_values);
__device__ size_t nvshmem_uint64_test_some_vector(uint64_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, uint64_t *cmp_values);
__device__ size_t nvshmem_size_test_some_vector(size_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, size_t *cmp_values);
__device__ size_t nvshmem_ptrdiff_test_some_vector(ptrdiff_t *ivars, size_t nelems, size_t *indices, const int *status, int cmp, ptrdiff_t *cmp_values);
__device__ void nvshmemx_flush_warp(void);
__device__ void nvshmemx_flush_block(void);
__device__ int nvshmemx_barrier_warp(nvshmem_team_t team);
__device__ int nvshmemx_barrier_block(nvshmem_team_t team);
__device__ int nvshmemx_barrier_warpgroup(nvshmem_team_t team);
__device__ void nvshmemx_barrier_all_warp(void);
__device__ void nvshmemx_barrier_all_block(void);
__device__ int nvshmemx_team_sync_warp(nvshmem_team_t team);
__device__ int nvshmemx_team_sync_block(nvshmem_team_t team);
__device__ void nvshmemx_sync_all_warp(void);
__device__ void nvshmemx_sync_all_block(void);
__device__ int nvshmemx_bfloat16_broadcast_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int PE_root);
__device__ int nvshmemx_half_broadcast_warp(nvshmem_team_t team, half *dest, const half *source, size_t nelems, int PE_root);
__device__ int nvshmemx_float_broadcast_warp(nvshmem_team_t team, float *dest, const float *source, size_t nelems, int PE_root);
__device__ int nvshmemx_double_broadcast_warp(nvshmem_team_t team, double *dest, const double *source, size_t nelems, int PE_root);
__device__ int nvshmemx_char_broadcast_warp(nvshmem_team_t team, char *dest, const char *source, size_t nelems, int PE_root);
__device__ int nvshmemx_short_broadcast_warp(nvshmem_team_t team, short *dest, const short *source, size_t nelems, int PE_root);
__device__ int nvshmemx_schar_broadcast_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nelems, int PE_root);
__device__ int nvshmemx_int_broadcast_warp(nvshmem_team_t team, int *dest, const int *source, size_t nelems, int PE_root);
__device__ int nvshmemx_long_broadcast_warp(nvshmem_team_t team, long *dest, const long *source, size_t nelems, int PE_root);
__device__ int nvshmemx_longlong_broadcast_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nelems, int PE_root);
__device__ int nvshmemx_uchar_broadcast_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems, int PE_root);
__device__ int nvshmemx_ushort_broadcast_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems, int PE_root);
__device__ int nvshmemx_uint_broadcast_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems, int PE_root);
__device__ int nvshmemx_ulong_broadcast_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems, int PE_root);
__device__ int nvshmemx_ulonglong_broadcast_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems, int PE_root);
__device__ int nvshmemx_int8_broadcast_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_int16_broadcast_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_int32_broadcast_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_int64_broadcast_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_uint8_broadcast_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_uint16_broadcast_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_uint32_broadcast_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_uint64_broadcast_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_size_broadcast_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_ptrdiff_broadcast_warp(nvshmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_bfloat16_broadcast_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int PE_root);
__device__ int nvshmemx_half_broadcast_block(nvshmem_team_t team, half *dest, const half *source, size_t nelems, int PE_root);
__device__ int nvshmemx_float_broadcast_block(nvshmem_team_t team, float *dest, const float *source, size_t nelems, int PE_root);
__device__ int nvshmemx_double_broadcast_block(nvshmem_team_t team, double *dest, const double *source, size_t nelems, int PE_root);
__device__ int nvshmemx_char_broadcast_block(nvshmem_team_t team, char *dest, const char *source, size_t nelems, int PE_root);
__device__ int nvshmemx_short_broadcast_block(nvshmem_team_t team, short *dest, const short *source, size_t nelems, int PE_root);
__device__ int nvshmemx_schar_broadcast_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nelems, int PE_root);
__device__ int nvshmemx_int_broadcast_block(nvshmem_team_t team, int *dest, const int *source, size_t nelems, int PE_root);
__device__ int nvshmemx_long_broadcast_block(nvshmem_team_t team, long *dest, const long *source, size_t nelems, int PE_root);
__device__ int nvshmemx_longlong_broadcast_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nelems, int PE_root);
__device__ int nvshmemx_uchar_broadcast_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems, int PE_root);
__device__ int nvshmemx_ushort_broadcast_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems, int PE_root);
__device__ int nvshmemx_uint_broadcast_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems, int PE_root);
__device__ int nvshmemx_ulong_broadcast_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems, int PE_root);
__device__ int nvshmemx_ulonglong_broadcast_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems, int PE_root);
__device__ int nvshmemx_int8_broadcast_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_int16_broadcast_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_int32_broadcast_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_int64_broadcast_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_uint8_broadcast_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_uint16_broadcast_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_uint32_broadcast_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_uint64_broadcast_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_size_broadcast_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_ptrdiff_broadcast_block(nvshmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int PE_root);
__device__ int nvshmemx_broadcastmem_warp(nvshmem_team_t team, void *dest, const void *source, size_t nelems, int PE_root);
__device__ int nvshmemx_broadcastmem_block(nvshmem_team_t team, void *dest, const void *source, size_t nelems, int PE_root);
__device__ int nvshmemx_bfloat16_fcollect_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems);
__device__ int nvshmemx_half_fcollect_warp(nvshmem_team_t team, half *dest, const half *source, size_t nelems);
__device__ int nvshmemx_float_fcollect_warp(nvshmem_team_t team, float *dest, const float *source, size_t nelems);
__device__ int nvshmemx_double_fcollect_warp(nvshmem_team_t team, double *dest, const double *source, size_t nelems);
__device__ int nvshmemx_char_fcollect_warp(nvshmem_team_t team, char *dest, const char *source, size_t nelems);
__device__ int nvshmemx_short_fcollect_warp(nvshmem_team_t team, short *dest, const short *source, size_t nelems);
__device__ int nvshmemx_schar_fcollect_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nelems);
__device__ int nvshmemx_int_fcollect_warp(nvshmem_team_t team, int *dest, const int *source, size_t nelems);
__device__ int nvshmemx_long_fcollect_warp(nvshmem_team_t team, long *dest, const long *source, size_t nelems);
__device__ int nvshmemx_longlong_fcollect_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nelems);
__device__ int nvshmemx_uchar_fcollect_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems);
__device__ int nvshmemx_ushort_fcollect_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems);
__device__ int nvshmemx_uint_fcollect_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems);
__device__ int nvshmemx_ulong_fcollect_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems);
__device__ int nvshmemx_ulonglong_fcollect_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems);
__device__ int nvshmemx_int8_fcollect_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems);
__device__ int nvshmemx_int16_fcollect_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems);
__device__ int nvshmemx_int32_fcollect_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems);
__device__ int nvshmemx_int64_fcollect_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems);
__device__ int nvshmemx_uint8_fcollect_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems);
__device__ int nvshmemx_uint16_fcollect_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems);
__device__ int nvshmemx_uint32_fcollect_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems);
__device__ int nvshmemx_uint64_fcollect_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems);
__device__ int nvshmemx_size_fcollect_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nelems);
__device__ int nvshmemx_ptrdiff_fcollect_warp(nvshmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems);
__device__ int nvshmemx_bfloat16_fcollect_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems);
__device__ int nvshmemx_half_fcollect_block(nvshmem_team_t team, half *dest, const half *source, size_t nelems);
__device__ int nvshmemx_float_fcollect_block(nvshmem_team_t team, float *dest, const float *source, size_t nelems);
__device__ int nvshmemx_double_fcollect_block(nvshmem_team_t team, double *dest, const double *source, size_t nelems);
__device__ int nvshmemx_char_fcollect_block(nvshmem_team_t team, char *dest, const char *source, size_t nelems);
__device__ int nvshmemx_short_fcollect_block(nvshmem_team_t team, short *dest, const short *source, size_t nelems);
__device__ int nvshmemx_schar_fcollect_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nelems);
__device__ int nvshmemx_int_fcollect_block(nvshmem_team_t team, int *dest, const int *source, size_t nelems);
__device__ int nvshmemx_long_fcollect_block(nvshmem_team_t team, long *dest, const long *source, size_t nelems);
__device__ int nvshmemx_longlong_fcollect_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nelems);
__device__ int nvshmemx_uchar_fcollect_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems);
__device__ int nvshmemx_ushort_fcollect_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems);
__device__ int nvshmemx_uint_fcollect_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems);
__device__ int nvshmemx_ulong_fcollect_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems);
__device__ int nvshmemx_ulonglong_fcollect_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems);
__device__ int nvshmemx_int8_fcollect_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems);
__device__ int nvshmemx_int16_fcollect_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems);
__device__ int nvshmemx_int32_fcollect_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems);
__device__ int nvshmemx_int64_fcollect_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems);
__device__ int nvshmemx_uint8_fcollect_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems);
__device__ int nvshmemx_uint16_fcollect_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems);
__device__ int nvshmemx_uint32_fcollect_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems);
__device__ int nvshmemx_uint64_fcollect_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems);
__device__ int nvshmemx_size_fcollect_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nelems);
__device__ int nvshmemx_ptrdiff_fcollect_block(nvshmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems);
__device__ int nvshmemx_fcollectmem_warp(nvshmem_team_t team, void *dest, const void *source, size_t nelems);
__device__ int nvshmemx_fcollectmem_block(nvshmem_team_t team, void *dest, const void *source, size_t nelems);
__device__ int nvshmemx_bfloat16_alltoall_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems);
__device__ int nvshmemx_half_alltoall_warp(nvshmem_team_t team, half *dest, const half *source, size_t nelems);
__device__ int nvshmemx_float_alltoall_warp(nvshmem_team_t team, float *dest, const float *source, size_t nelems);
__device__ int nvshmemx_double_alltoall_warp(nvshmem_team_t team, double *dest, const double *source, size_t nelems);
__device__ int nvshmemx_char_alltoall_warp(nvshmem_team_t team, char *dest, const char *source, size_t nelems);
__device__ int nvshmemx_short_alltoall_warp(nvshmem_team_t team, short *dest, const short *source, size_t nelems);
__device__ int nvshmemx_schar_alltoall_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nelems);
__device__ int nvshmemx_int_alltoall_warp(nvshmem_team_t team, int *dest, const int *source, size_t nelems);
__device__ int nvshmemx_long_alltoall_warp(nvshmem_team_t team, long *dest, const long *source, size_t nelems);
__device__ int nvshmemx_longlong_alltoall_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nelems);
__device__ int nvshmemx_uchar_alltoall_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems);
__device__ int nvshmemx_ushort_alltoall_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems);
__device__ int nvshmemx_uint_alltoall_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems);
__device__ int nvshmemx_ulong_alltoall_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems);
__device__ int nvshmemx_ulonglong_alltoall_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems);
__device__ int nvshmemx_int8_alltoall_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems);
__device__ int nvshmemx_int16_alltoall_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems);
__device__ int nvshmemx_int32_alltoall_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems);
__device__ int nvshmemx_int64_alltoall_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems);
__device__ int nvshmemx_uint8_alltoall_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems);
__device__ int nvshmemx_uint16_alltoall_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems);
__device__ int nvshmemx_uint32_alltoall_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems);
__device__ int nvshmemx_uint64_alltoall_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems);
__device__ int nvshmemx_size_alltoall_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nelems);
__device__ int nvshmemx_ptrdiff_alltoall_warp(nvshmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems);
__device__ int nvshmemx_bfloat16_alltoall_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems);
__device__ int nvshmemx_half_alltoall_block(nvshmem_team_t team, half *dest, const half *source, size_t nelems);
__device__ int nvshmemx_float_alltoall_block(nvshmem_team_t team, float *dest, const float *source, size_t nelems);
__device__ int nvshmemx_double_alltoall_block(nvshmem_team_t team, double *dest, const double *source, size_t nelems);
__device__ int nvshmemx_char_alltoall_block(nvshmem_team_t team, char *dest, const char *source, size_t nelems);
__device__ int nvshmemx_short_alltoall_block(nvshmem_team_t team, short *dest, const short *source, size_t nelems);
__device__ int nvshmemx_schar_alltoall_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nelems);
__device__ int nvshmemx_int_alltoall_block(nvshmem_team_t team, int *dest, const int *source, size_t nelems);
__device__ int nvshmemx_long_alltoall_block(nvshmem_team_t team, long *dest, const long *source, size_t nelems);
__device__ int nvshmemx_longlong_alltoall_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nelems);
__device__ int nvshmemx_uchar_alltoall_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems);
__device__ int nvshmemx_ushort_alltoall_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems);
__device__ int nvshmemx_uint_alltoall_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems);
__device__ int nvshmemx_ulong_alltoall_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems);
__device__ int nvshmemx_ulonglong_alltoall_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems);
__device__ int nvshmemx_int8_alltoall_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems);
__device__ int nvshmemx_int16_alltoall_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems);
__device__ int nvshmemx_int32_alltoall_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems);
__device__ int nvshmemx_int64_alltoall_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems);
__device__ int nvshmemx_uint8_alltoall_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems);
__device__ int nvshmemx_uint16_alltoall_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems);
__device__ int nvshmemx_uint32_alltoall_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems);
__device__ int nvshmemx_uint64_alltoall_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems);
__device__ int nvshmemx_size_alltoall_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nelems);
__device__ int nvshmemx_ptrdiff_alltoall_block(nvshmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems);
__device__ int nvshmemx_alltoallmem_warp(nvshmem_team_t team, void *dest, const void *source, size_t nelems);
__device__ int nvshmemx_alltoallmem_block(nvshmem_team_t team, void *dest, const void *source, size_t nelems);
__device__ int nvshmemx_bfloat16_sum_reduce_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce);
__device__ int nvshmemx_half_sum_reduce_warp(nvshmem_team_t team, half *dest, const half *source, size_t nreduce);
__device__ int nvshmemx_float_sum_reduce_warp(nvshmem_team_t team, float *dest, const float *source, size_t nreduce);
__device__ int nvshmemx_double_sum_reduce_warp(nvshmem_team_t team, double *dest, const double *source, size_t nreduce);
__device__ int nvshmemx_char_sum_reduce_warp(nvshmem_team_t team, char *dest, const char *source, size_t nreduce);
__device__ int nvshmemx_short_sum_reduce_warp(nvshmem_team_t team, short *dest, const short *source, size_t nreduce);
__device__ int nvshmemx_schar_sum_reduce_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce);
__device__ int nvshmemx_int_sum_reduce_warp(nvshmem_team_t team, int *dest, const int *source, size_t nreduce);
__device__ int nvshmemx_long_sum_reduce_warp(nvshmem_team_t team, long *dest, const long *source, size_t nreduce);
__device__ int nvshmemx_longlong_sum_reduce_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce);
__device__ int nvshmemx_uchar_sum_reduce_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_sum_reduce_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_sum_reduce_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_sum_reduce_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_sum_reduce_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_sum_reduce_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_sum_reduce_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_sum_reduce_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_sum_reduce_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_sum_reduce_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_sum_reduce_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_sum_reduce_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_sum_reduce_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_sum_reduce_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_bfloat16_sum_reduce_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce);
__device__ int nvshmemx_half_sum_reduce_block(nvshmem_team_t team, half *dest, const half *source, size_t nreduce);
__device__ int nvshmemx_float_sum_reduce_block(nvshmem_team_t team, float *dest, const float *source, size_t nreduce);
__device__ int nvshmemx_double_sum_reduce_block(nvshmem_team_t team, double *dest, const double *source, size_t nreduce);
__device__ int nvshmemx_char_sum_reduce_block(nvshmem_team_t team, char *dest, const char *source, size_t nreduce);
__device__ int nvshmemx_short_sum_reduce_block(nvshmem_team_t team, short *dest, const short *source, size_t nreduce);
__device__ int nvshmemx_schar_sum_reduce_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce);
__device__ int nvshmemx_int_sum_reduce_block(nvshmem_team_t team, int *dest, const int *source, size_t nreduce);
__device__ int nvshmemx_long_sum_reduce_block(nvshmem_team_t team, long *dest, const long *source, size_t nreduce);
__device__ int nvshmemx_longlong_sum_reduce_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce);
__device__ int nvshmemx_uchar_sum_reduce_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_sum_reduce_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_sum_reduce_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_sum_reduce_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_sum_reduce_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_sum_reduce_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_sum_reduce_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_sum_reduce_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_sum_reduce_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_sum_reduce_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_sum_reduce_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_sum_reduce_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_sum_reduce_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_sum_reduce_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_bfloat16_sum_reducescatter_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce);
__device__ int nvshmemx_half_sum_reducescatter_warp(nvshmem_team_t team, half *dest, const half *source, size_t nreduce);
__device__ int nvshmemx_float_sum_reducescatter_warp(nvshmem_team_t team, float *dest, const float *source, size_t nreduce);
__device__ int nvshmemx_double_sum_reducescatter_warp(nvshmem_team_t team, double *dest, const double *source, size_t nreduce);
__device__ int nvshmemx_char_sum_reducescatter_warp(nvshmem_team_t team, char *dest, const char *source, size_t nreduce);
__device__ int nvshmemx_short_sum_reducescatter_warp(nvshmem_team_t team, short *dest, const short *source, size_t nreduce);
__device__ int nvshmemx_schar_sum_reducescatter_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce);
__device__ int nvshmemx_int_sum_reducescatter_warp(nvshmem_team_t team, int *dest, const int *source, size_t nreduce);
__device__ int nvshmemx_long_sum_reducescatter_warp(nvshmem_team_t team, long *dest, const long *source, size_t nreduce);
__device__ int nvshmemx_longlong_sum_reducescatter_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce);
__device__ int nvshmemx_uchar_sum_reducescatter_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_sum_reducescatter_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_sum_reducescatter_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_sum_reducescatter_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_sum_reducescatter_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_sum_reducescatter_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_sum_reducescatter_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_sum_reducescatter_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_sum_reducescatter_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_sum_reducescatter_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_sum_reducescatter_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_sum_reducescatter_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_sum_reducescatter_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_sum_reducescatter_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_bfloat16_sum_reducescatter_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce);
__device__ int nvshmemx_half_sum_reducescatter_block(nvshmem_team_t team, half *dest, const half *source, size_t nreduce);
__device__ int nvshmemx_float_sum_reducescatter_block(nvshmem_team_t team, float *dest, const float *source, size_t nreduce);
__device__ int nvshmemx_double_sum_reducescatter_block(nvshmem_team_t team, double *dest, const double *source, size_t nreduce);
__device__ int nvshmemx_char_sum_reducescatter_block(nvshmem_team_t team, char *dest, const char *source, size_t nreduce);
__device__ int nvshmemx_short_sum_reducescatter_block(nvshmem_team_t team, short *dest, const short *source, size_t nreduce);
__device__ int nvshmemx_schar_sum_reducescatter_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce);
__device__ int nvshmemx_int_sum_reducescatter_block(nvshmem_team_t team, int *dest, const int *source, size_t nreduce);
__device__ int nvshmemx_long_sum_reducescatter_block(nvshmem_team_t team, long *dest, const long *source, size_t nreduce);
__device__ int nvshmemx_longlong_sum_reducescatter_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce);
__device__ int nvshmemx_uchar_sum_reducescatter_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_sum_reducescatter_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_sum_reducescatter_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_sum_reducescatter_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_sum_reducescatter_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_sum_reducescatter_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_sum_reducescatter_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_sum_reducescatter_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_sum_reducescatter_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_sum_reducescatter_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_sum_reducescatter_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_sum_reducescatter_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_sum_reducescatter_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_sum_reducescatter_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_bfloat16_prod_reduce_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce);
__device__ int nvshmemx_half_prod_reduce_warp(nvshmem_team_t team, half *dest, const half *source, size_t nreduce);
__device__ int nvshmemx_float_prod_reduce_warp(nvshmem_team_t team, float *dest, const float *source, size_t nreduce);
__device__ int nvshmemx_double_prod_reduce_warp(nvshmem_team_t team, double *dest, const double *source, size_t nreduce);
__device__ int nvshmemx_char_prod_reduce_warp(nvshmem_team_t team, char *dest, const char *source, size_t nreduce);
__device__ int nvshmemx_short_prod_reduce_warp(nvshmem_team_t team, short *dest, const short *source, size_t nreduce);
__device__ int nvshmemx_schar_prod_reduce_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce);
__device__ int nvshmemx_int_prod_reduce_warp(nvshmem_team_t team, int *dest, const int *source, size_t nreduce);
__device__ int nvshmemx_long_prod_reduce_warp(nvshmem_team_t team, long *dest, const long *source, size_t nreduce);
__device__ int nvshmemx_longlong_prod_reduce_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce);
__device__ int nvshmemx_uchar_prod_reduce_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_prod_reduce_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_prod_reduce_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_prod_reduce_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_prod_reduce_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_prod_reduce_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_prod_reduce_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_prod_reduce_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_prod_reduce_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_prod_reduce_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_prod_reduce_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_prod_reduce_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_prod_reduce_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_prod_reduce_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_bfloat16_prod_reduce_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce);
__device__ int nvshmemx_half_prod_reduce_block(nvshmem_team_t team, half *dest, const half *source, size_t nreduce);
__device__ int nvshmemx_float_prod_reduce_block(nvshmem_team_t team, float *dest, const float *source, size_t nreduce);
__device__ int nvshmemx_double_prod_reduce_block(nvshmem_team_t team, double *dest, const double *source, size_t nreduce);
__device__ int nvshmemx_char_prod_reduce_block(nvshmem_team_t team, char *dest, const char *source, size_t nreduce);
__device__ int nvshmemx_short_prod_reduce_block(nvshmem_team_t team, short *dest, const short *source, size_t nreduce);
__device__ int nvshmemx_schar_prod_reduce_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce);
__device__ int nvshmemx_int_prod_reduce_block(nvshmem_team_t team, int *dest, const int *source, size_t nreduce);
__device__ int nvshmemx_long_prod_reduce_block(nvshmem_team_t team, long *dest, const long *source, size_t nreduce);
__device__ int nvshmemx_longlong_prod_reduce_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce);
__device__ int nvshmemx_uchar_prod_reduce_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_prod_reduce_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_prod_reduce_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_prod_reduce_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_prod_reduce_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_prod_reduce_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_prod_reduce_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_prod_reduce_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_prod_reduce_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_prod_reduce_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_prod_reduce_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_prod_reduce_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_prod_reduce_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_prod_reduce_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_bfloat16_prod_reducescatter_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce);
__device__ int nvshmemx_half_prod_reducescatter_warp(nvshmem_team_t team, half *dest, const half *source, size_t nreduce);
__device__ int nvshmemx_float_prod_reducescatter_warp(nvshmem_team_t team, float *dest, const float *source, size_t nreduce);
__device__ int nvshmemx_double_prod_reducescatter_warp(nvshmem_team_t team, double *dest, const double *source, size_t nreduce);
__device__ int nvshmemx_char_prod_reducescatter_warp(nvshmem_team_t team, char *dest, const char *source, size_t nreduce);
__device__ int nvshmemx_short_prod_reducescatter_warp(nvshmem_team_t team, short *dest, const short *source, size_t nreduce);
__device__ int nvshmemx_schar_prod_reducescatter_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce);
__device__ int nvshmemx_int_prod_reducescatter_warp(nvshmem_team_t team, int *dest, const int *source, size_t nreduce);
__device__ int nvshmemx_long_prod_reducescatter_warp(nvshmem_team_t team, long *dest, const long *source, size_t nreduce);
__device__ int nvshmemx_longlong_prod_reducescatter_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce);
__device__ int nvshmemx_uchar_prod_reducescatter_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_prod_reducescatter_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_prod_reducescatter_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_prod_reducescatter_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_prod_reducescatter_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_prod_reducescatter_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_prod_reducescatter_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_prod_reducescatter_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_prod_reducescatter_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_prod_reducescatter_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_prod_reducescatter_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_prod_reducescatter_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_prod_reducescatter_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_prod_reducescatter_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_bfloat16_prod_reducescatter_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce);
__device__ int nvshmemx_half_prod_reducescatter_block(nvshmem_team_t team, half *dest, const half *source, size_t nreduce);
__device__ int nvshmemx_float_prod_reducescatter_block(nvshmem_team_t team, float *dest, const float *source, size_t nreduce);
__device__ int nvshmemx_double_prod_reducescatter_block(nvshmem_team_t team, double *dest, const double *source, size_t nreduce);
__device__ int nvshmemx_char_prod_reducescatter_block(nvshmem_team_t team, char *dest, const char *source, size_t nreduce);
__device__ int nvshmemx_short_prod_reducescatter_block(nvshmem_team_t team, short *dest, const short *source, size_t nreduce);
__device__ int nvshmemx_schar_prod_reducescatter_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce);
__device__ int nvshmemx_int_prod_reducescatter_block(nvshmem_team_t team, int *dest, const int *source, size_t nreduce);
__device__ int nvshmemx_long_prod_reducescatter_block(nvshmem_team_t team, long *dest, const long *source, size_t nreduce);
__device__ int nvshmemx_longlong_prod_reducescatter_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce);
__device__ int nvshmemx_uchar_prod_reducescatter_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_prod_reducescatter_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_prod_reducescatter_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_prod_reducescatter_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_prod_reducescatter_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_prod_reducescatter_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_prod_reducescatter_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_prod_reducescatter_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_prod_reducescatter_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_prod_reducescatter_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_prod_reducescatter_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_prod_reducescatter_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_prod_reducescatter_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_prod_reducescatter_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_bfloat16_min_reduce_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce);
__device__ int nvshmemx_half_min_reduce_warp(nvshmem_team_t team, half *dest, const half *source, size_t nreduce);
__device__ int nvshmemx_float_min_reduce_warp(nvshmem_team_t team, float *dest, const float *source, size_t nreduce);
__device__ int nvshmemx_double_min_reduce_warp(nvshmem_team_t team, double *dest, const double *source, size_t nreduce);
__device__ int nvshmemx_char_min_reduce_warp(nvshmem_team_t team, char *dest, const char *source, size_t nreduce);
__device__ int nvshmemx_short_min_reduce_warp(nvshmem_team_t team, short *dest, const short *source, size_t nreduce);
__device__ int nvshmemx_schar_min_reduce_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce);
__device__ int nvshmemx_int_min_reduce_warp(nvshmem_team_t team, int *dest, const int *source, size_t nreduce);
__device__ int nvshmemx_long_min_reduce_warp(nvshmem_team_t team, long *dest, const long *source, size_t nreduce);
__device__ int nvshmemx_longlong_min_reduce_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce);
__device__ int nvshmemx_uchar_min_reduce_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_min_reduce_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_min_reduce_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_min_reduce_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_min_reduce_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_min_reduce_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_min_reduce_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_min_reduce_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_min_reduce_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_min_reduce_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_min_reduce_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_min_reduce_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_min_reduce_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_min_reduce_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_bfloat16_min_reduce_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce);
__device__ int nvshmemx_half_min_reduce_block(nvshmem_team_t team, half *dest, const half *source, size_t nreduce);
__device__ int nvshmemx_float_min_reduce_block(nvshmem_team_t team, float *dest, const float *source, size_t nreduce);
__device__ int nvshmemx_double_min_reduce_block(nvshmem_team_t team, double *dest, const double *source, size_t nreduce);
__device__ int nvshmemx_char_min_reduce_block(nvshmem_team_t team, char *dest, const char *source, size_t nreduce);
__device__ int nvshmemx_short_min_reduce_block(nvshmem_team_t team, short *dest, const short *source, size_t nreduce);
__device__ int nvshmemx_schar_min_reduce_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce);
__device__ int nvshmemx_int_min_reduce_block(nvshmem_team_t team, int *dest, const int *source, size_t nreduce);
__device__ int nvshmemx_long_min_reduce_block(nvshmem_team_t team, long *dest, const long *source, size_t nreduce);
__device__ int nvshmemx_longlong_min_reduce_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce);
__device__ int nvshmemx_uchar_min_reduce_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_min_reduce_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_min_reduce_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_min_reduce_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_min_reduce_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_min_reduce_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_min_reduce_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_min_reduce_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_min_reduce_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_min_reduce_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_min_reduce_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_min_reduce_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_min_reduce_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_min_reduce_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_bfloat16_min_reducescatter_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce);
__device__ int nvshmemx_half_min_reducescatter_warp(nvshmem_team_t team, half *dest, const half *source, size_t nreduce);
__device__ int nvshmemx_float_min_reducescatter_warp(nvshmem_team_t team, float *dest, const float *source, size_t nreduce);
__device__ int nvshmemx_double_min_reducescatter_warp(nvshmem_team_t team, double *dest, const double *source, size_t nreduce);
__device__ int nvshmemx_char_min_reducescatter_warp(nvshmem_team_t team, char *dest, const char *source, size_t nreduce);
__device__ int nvshmemx_short_min_reducescatter_warp(nvshmem_team_t team, short *dest, const short *source, size_t nreduce);
__device__ int nvshmemx_schar_min_reducescatter_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce);
__device__ int nvshmemx_int_min_reducescatter_warp(nvshmem_team_t team, int *dest, const int *source, size_t nreduce);
__device__ int nvshmemx_long_min_reducescatter_warp(nvshmem_team_t team, long *dest, const long *source, size_t nreduce);
__device__ int nvshmemx_longlong_min_reducescatter_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce);
__device__ int nvshmemx_uchar_min_reducescatter_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_min_reducescatter_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_min_reducescatter_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_min_reducescatter_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_min_reducescatter_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_min_reducescatter_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_min_reducescatter_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_min_reducescatter_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_min_reducescatter_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_min_reducescatter_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_min_reducescatter_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_min_reducescatter_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_min_reducescatter_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_min_reducescatter_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_bfloat16_min_reducescatter_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce);
__device__ int nvshmemx_half_min_reducescatter_block(nvshmem_team_t team, half *dest, const half *source, size_t nreduce);
__device__ int nvshmemx_float_min_reducescatter_block(nvshmem_team_t team, float *dest, const float *source, size_t nreduce);
__device__ int nvshmemx_double_min_reducescatter_block(nvshmem_team_t team, double *dest, const double *source, size_t nreduce);
__device__ int nvshmemx_char_min_reducescatter_block(nvshmem_team_t team, char *dest, const char *source, size_t nreduce);
__device__ int nvshmemx_short_min_reducescatter_block(nvshmem_team_t team, short *dest, const short *source, size_t nreduce);
__device__ int nvshmemx_schar_min_reducescatter_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce);
__device__ int nvshmemx_int_min_reducescatter_block(nvshmem_team_t team, int *dest, const int *source, size_t nreduce);
__device__ int nvshmemx_long_min_reducescatter_block(nvshmem_team_t team, long *dest, const long *source, size_t nreduce);
__device__ int nvshmemx_longlong_min_reducescatter_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce);
__device__ int nvshmemx_uchar_min_reducescatter_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_min_reducescatter_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_min_reducescatter_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_min_reducescatter_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_min_reducescatter_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_min_reducescatter_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_min_reducescatter_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_min_reducescatter_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_min_reducescatter_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_min_reducescatter_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_min_reducescatter_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_min_reducescatter_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_min_reducescatter_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_min_reducescatter_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_bfloat16_max_reduce_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce);
__device__ int nvshmemx_half_max_reduce_warp(nvshmem_team_t team, half *dest, const half *source, size_t nreduce);
__device__ int nvshmemx_float_max_reduce_warp(nvshmem_team_t team, float *dest, const float *source, size_t nreduce);
__device__ int nvshmemx_double_max_reduce_warp(nvshmem_team_t team, double *dest, const double *source, size_t nreduce);
__device__ int nvshmemx_char_max_reduce_warp(nvshmem_team_t team, char *dest, const char *source, size_t nreduce);
__device__ int nvshmemx_short_max_reduce_warp(nvshmem_team_t team, short *dest, const short *source, size_t nreduce);
__device__ int nvshmemx_schar_max_reduce_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce);
__device__ int nvshmemx_int_max_reduce_warp(nvshmem_team_t team, int *dest, const int *source, size_t nreduce);
__device__ int nvshmemx_long_max_reduce_warp(nvshmem_team_t team, long *dest, const long *source, size_t nreduce);
__device__ int nvshmemx_longlong_max_reduce_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce);
__device__ int nvshmemx_uchar_max_reduce_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_max_reduce_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_max_reduce_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_max_reduce_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_max_reduce_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_max_reduce_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_max_reduce_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_max_reduce_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_max_reduce_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_max_reduce_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_max_reduce_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_max_reduce_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_max_reduce_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_max_reduce_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_bfloat16_max_reduce_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce);
__device__ int nvshmemx_half_max_reduce_block(nvshmem_team_t team, half *dest, const half *source, size_t nreduce);
__device__ int nvshmemx_float_max_reduce_block(nvshmem_team_t team, float *dest, const float *source, size_t nreduce);
__device__ int nvshmemx_double_max_reduce_block(nvshmem_team_t team, double *dest, const double *source, size_t nreduce);
__device__ int nvshmemx_char_max_reduce_block(nvshmem_team_t team, char *dest, const char *source, size_t nreduce);
__device__ int nvshmemx_short_max_reduce_block(nvshmem_team_t team, short *dest, const short *source, size_t nreduce);
__device__ int nvshmemx_schar_max_reduce_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce);
__device__ int nvshmemx_int_max_reduce_block(nvshmem_team_t team, int *dest, const int *source, size_t nreduce);
__device__ int nvshmemx_long_max_reduce_block(nvshmem_team_t team, long *dest, const long *source, size_t nreduce);
__device__ int nvshmemx_longlong_max_reduce_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce);
__device__ int nvshmemx_uchar_max_reduce_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_max_reduce_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_max_reduce_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_max_reduce_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_max_reduce_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_max_reduce_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_max_reduce_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_max_reduce_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_max_reduce_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_max_reduce_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_max_reduce_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_max_reduce_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_max_reduce_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_max_reduce_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_bfloat16_max_reducescatter_warp(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce);
__device__ int nvshmemx_half_max_reducescatter_warp(nvshmem_team_t team, half *dest, const half *source, size_t nreduce);
__device__ int nvshmemx_float_max_reducescatter_warp(nvshmem_team_t team, float *dest, const float *source, size_t nreduce);
__device__ int nvshmemx_double_max_reducescatter_warp(nvshmem_team_t team, double *dest, const double *source, size_t nreduce);
__device__ int nvshmemx_char_max_reducescatter_warp(nvshmem_team_t team, char *dest, const char *source, size_t nreduce);
__device__ int nvshmemx_short_max_reducescatter_warp(nvshmem_team_t team, short *dest, const short *source, size_t nreduce);
__device__ int nvshmemx_schar_max_reducescatter_warp(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce);
__device__ int nvshmemx_int_max_reducescatter_warp(nvshmem_team_t team, int *dest, const int *source, size_t nreduce);
__device__ int nvshmemx_long_max_reducescatter_warp(nvshmem_team_t team, long *dest, const long *source, size_t nreduce);
__device__ int nvshmemx_longlong_max_reducescatter_warp(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce);
__device__ int nvshmemx_uchar_max_reducescatter_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_max_reducescatter_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_max_reducescatter_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_max_reducescatter_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_max_reducescatter_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_max_reducescatter_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_max_reducescatter_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_max_reducescatter_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_max_reducescatter_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_max_reducescatter_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_max_reducescatter_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_max_reducescatter_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_max_reducescatter_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_max_reducescatter_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_bfloat16_max_reducescatter_block(nvshmem_team_t team, __nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nreduce);
__device__ int nvshmemx_half_max_reducescatter_block(nvshmem_team_t team, half *dest, const half *source, size_t nreduce);
__device__ int nvshmemx_float_max_reducescatter_block(nvshmem_team_t team, float *dest, const float *source, size_t nreduce);
__device__ int nvshmemx_double_max_reducescatter_block(nvshmem_team_t team, double *dest, const double *source, size_t nreduce);
__device__ int nvshmemx_char_max_reducescatter_block(nvshmem_team_t team, char *dest, const char *source, size_t nreduce);
__device__ int nvshmemx_short_max_reducescatter_block(nvshmem_team_t team, short *dest, const short *source, size_t nreduce);
__device__ int nvshmemx_schar_max_reducescatter_block(nvshmem_team_t team, signed char *dest, const signed char *source, size_t nreduce);
__device__ int nvshmemx_int_max_reducescatter_block(nvshmem_team_t team, int *dest, const int *source, size_t nreduce);
__device__ int nvshmemx_long_max_reducescatter_block(nvshmem_team_t team, long *dest, const long *source, size_t nreduce);
__device__ int nvshmemx_longlong_max_reducescatter_block(nvshmem_team_t team, long long *dest, const long long *source, size_t nreduce);
__device__ int nvshmemx_uchar_max_reducescatter_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_max_reducescatter_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_max_reducescatter_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_max_reducescatter_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_max_reducescatter_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_max_reducescatter_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_max_reducescatter_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_max_reducescatter_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_max_reducescatter_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_max_reducescatter_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_max_reducescatter_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_max_reducescatter_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_max_reducescatter_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_max_reducescatter_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_uchar_and_reduce_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_and_reduce_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_and_reduce_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_and_reduce_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_and_reduce_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_and_reduce_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_and_reduce_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_and_reduce_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_and_reduce_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_and_reduce_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_and_reduce_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_and_reduce_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_and_reduce_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_and_reduce_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_uchar_and_reduce_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_and_reduce_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_and_reduce_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_and_reduce_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_and_reduce_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_and_reduce_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_and_reduce_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_and_reduce_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_and_reduce_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_and_reduce_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_and_reduce_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_and_reduce_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_and_reduce_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_and_reduce_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_uchar_and_reducescatter_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_and_reducescatter_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_and_reducescatter_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_and_reducescatter_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_and_reducescatter_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_and_reducescatter_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_and_reducescatter_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_and_reducescatter_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_and_reducescatter_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_and_reducescatter_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_and_reducescatter_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_and_reducescatter_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_and_reducescatter_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_and_reducescatter_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_uchar_and_reducescatter_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_and_reducescatter_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_and_reducescatter_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_and_reducescatter_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_and_reducescatter_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_and_reducescatter_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_and_reducescatter_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_and_reducescatter_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_and_reducescatter_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_and_reducescatter_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_and_reducescatter_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_and_reducescatter_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_and_reducescatter_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_and_reducescatter_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_uchar_or_reduce_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_or_reduce_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_or_reduce_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_or_reduce_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_or_reduce_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_or_reduce_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_or_reduce_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_or_reduce_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_or_reduce_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_or_reduce_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_or_reduce_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_or_reduce_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_or_reduce_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_or_reduce_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_uchar_or_reduce_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_or_reduce_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_or_reduce_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_or_reduce_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_or_reduce_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_or_reduce_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_or_reduce_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_or_reduce_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_or_reduce_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_or_reduce_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_or_reduce_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_or_reduce_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_or_reduce_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_or_reduce_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_uchar_or_reducescatter_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_or_reducescatter_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_or_reducescatter_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_or_reducescatter_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_or_reducescatter_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_or_reducescatter_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_or_reducescatter_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_or_reducescatter_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_or_reducescatter_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_or_reducescatter_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_or_reducescatter_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_or_reducescatter_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_or_reducescatter_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_or_reducescatter_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_uchar_or_reducescatter_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_or_reducescatter_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_or_reducescatter_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_or_reducescatter_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_or_reducescatter_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_or_reducescatter_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_or_reducescatter_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_or_reducescatter_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_or_reducescatter_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_or_reducescatter_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_or_reducescatter_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_or_reducescatter_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_or_reducescatter_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_or_reducescatter_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_uchar_xor_reduce_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_xor_reduce_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_xor_reduce_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_xor_reduce_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_xor_reduce_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_xor_reduce_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_xor_reduce_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_xor_reduce_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_xor_reduce_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_xor_reduce_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_xor_reduce_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_xor_reduce_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_xor_reduce_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_xor_reduce_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_uchar_xor_reduce_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_xor_reduce_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_xor_reduce_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_xor_reduce_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_xor_reduce_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_xor_reduce_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_xor_reduce_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_xor_reduce_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_xor_reduce_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_xor_reduce_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_xor_reduce_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_xor_reduce_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_xor_reduce_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_xor_reduce_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_uchar_xor_reducescatter_warp(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_xor_reducescatter_warp(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_xor_reducescatter_warp(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_xor_reducescatter_warp(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_xor_reducescatter_warp(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_xor_reducescatter_warp(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_xor_reducescatter_warp(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_xor_reducescatter_warp(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_xor_reducescatter_warp(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_xor_reducescatter_warp(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_xor_reducescatter_warp(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_xor_reducescatter_warp(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_xor_reducescatter_warp(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_xor_reducescatter_warp(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_uchar_xor_reducescatter_block(nvshmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce);
__device__ int nvshmemx_ushort_xor_reducescatter_block(nvshmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce);
__device__ int nvshmemx_uint_xor_reducescatter_block(nvshmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce);
__device__ int nvshmemx_ulong_xor_reducescatter_block(nvshmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce);
__device__ int nvshmemx_ulonglong_xor_reducescatter_block(nvshmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce);
__device__ int nvshmemx_int8_xor_reducescatter_block(nvshmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce);
__device__ int nvshmemx_int16_xor_reducescatter_block(nvshmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce);
__device__ int nvshmemx_int32_xor_reducescatter_block(nvshmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce);
__device__ int nvshmemx_int64_xor_reducescatter_block(nvshmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce);
__device__ int nvshmemx_uint8_xor_reducescatter_block(nvshmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce);
__device__ int nvshmemx_uint16_xor_reducescatter_block(nvshmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce);
__device__ int nvshmemx_uint32_xor_reducescatter_block(nvshmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce);
__device__ int nvshmemx_uint64_xor_reducescatter_block(nvshmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce);
__device__ int nvshmemx_size_xor_reducescatter_block(nvshmem_team_t team, size_t *dest, const size_t *source, size_t nreduce);
__device__ int nvshmemx_double2_maxloc_reduce_block(nvshmem_team_t team, double2 *dest, const double2 *source, size_t nreduce);
__device__ void nvshmemx_qp_bfloat16_p(__nv_bfloat16 *dest, const __nv_bfloat16 value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_p(half *dest, const half value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_p(float *dest, const float value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_p(double *dest, const double value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_p(char *dest, const char value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_p(short *dest, const short value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_p(signed char *dest, const signed char value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_p(int *dest, const int value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_p(long *dest, const long value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_p(long long *dest, const long long value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_p(unsigned char *dest, const unsigned char value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_p(unsigned short *dest, const unsigned short value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_p(unsigned int *dest, const unsigned int value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_p(unsigned long *dest, const unsigned long value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_p(unsigned long long *dest, const unsigned long long value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_p(int8_t *dest, const int8_t value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_p(int16_t *dest, const int16_t value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_p(int32_t *dest, const int32_t value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_p(int64_t *dest, const int64_t value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_p(uint8_t *dest, const uint8_t value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_p(uint16_t *dest, const uint16_t value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_p(uint32_t *dest, const uint32_t value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_p(uint64_t *dest, const uint64_t value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_p(size_t *dest, const size_t value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_p(ptrdiff_t *dest, const ptrdiff_t value, int pe, nvshmemx_qp_handle_t qp_index);
__device__ __nv_bfloat16 nvshmemx_qp_bfloat16_g(const __nv_bfloat16 *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ half nvshmemx_qp_half_g(const half *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ float nvshmemx_qp_float_g(const float *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ double nvshmemx_qp_double_g(const double *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ char nvshmemx_qp_char_g(const char *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ short nvshmemx_qp_short_g(const short *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ signed char nvshmemx_qp_schar_g(const signed char *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ int nvshmemx_qp_int_g(const int *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ long nvshmemx_qp_long_g(const long *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ long long nvshmemx_qp_longlong_g(const long long *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ unsigned char nvshmemx_qp_uchar_g(const unsigned char *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ unsigned short nvshmemx_qp_ushort_g(const unsigned short *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ unsigned int nvshmemx_qp_uint_g(const unsigned int *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ unsigned long nvshmemx_qp_ulong_g(const unsigned long *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ unsigned long long nvshmemx_qp_ulonglong_g(const unsigned long long *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ int8_t nvshmemx_qp_int8_g(const int8_t *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ int16_t nvshmemx_qp_int16_g(const int16_t *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ int32_t nvshmemx_qp_int32_g(const int32_t *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ int64_t nvshmemx_qp_int64_g(const int64_t *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ uint8_t nvshmemx_qp_uint8_g(const uint8_t *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ uint16_t nvshmemx_qp_uint16_g(const uint16_t *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ uint32_t nvshmemx_qp_uint32_g(const uint32_t *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ uint64_t nvshmemx_qp_uint64_g(const uint64_t *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ size_t nvshmemx_qp_size_g(const size_t *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ ptrdiff_t nvshmemx_qp_ptrdiff_g(const ptrdiff_t *source, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_bfloat16_put(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_put(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_put(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_put(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_put(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_put(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_put(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_put(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_put(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_put(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_put(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_put(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_put(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_put(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_put(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_put(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_put(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_put(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_put(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_put(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_put(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_put(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_put(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_put(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_put(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_bfloat16_put_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_put_warp(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_put_warp(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_put_warp(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_put_warp(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_put_warp(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_put_warp(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_put_warp(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_put_warp(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_put_warp(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_put_warp(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_put_warp(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_put_warp(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_put_warp(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_put_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_put_warp(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_put_warp(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_put_warp(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_put_warp(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_put_warp(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_put_warp(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_put_warp(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_put_warp(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_put_warp(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_put_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_bfloat16_put_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_put_block(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_put_block(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_put_block(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_put_block(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_put_block(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_put_block(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_put_block(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_put_block(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_put_block(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_put_block(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_put_block(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_put_block(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_put_block(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_put_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_put_block(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_put_block(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_put_block(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_put_block(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_put_block(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_put_block(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_put_block(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_put_block(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_put_block(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_put_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_bfloat16_get(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_get(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_get(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_get(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_get(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_get(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_get(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_get(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_get(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_get(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_get(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_get(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_get(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_get(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_get(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_get(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_get(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_get(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_get(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_get(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_get(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_get(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_get(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_get(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_get(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_bfloat16_get_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_get_warp(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_get_warp(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_get_warp(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_get_warp(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_get_warp(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_get_warp(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_get_warp(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_get_warp(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_get_warp(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_get_warp(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_get_warp(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_get_warp(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_get_warp(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_get_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_get_warp(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_get_warp(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_get_warp(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_get_warp(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_get_warp(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_get_warp(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_get_warp(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_get_warp(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_get_warp(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_get_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_bfloat16_get_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_get_block(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_get_block(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_get_block(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_get_block(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_get_block(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_get_block(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_get_block(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_get_block(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_get_block(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_get_block(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_get_block(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_get_block(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_get_block(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_get_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_get_block(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_get_block(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_get_block(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_get_block(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_get_block(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_get_block(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_get_block(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_get_block(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_get_block(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_get_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_bfloat16_put_signal(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_put_signal(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_put_signal(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_put_signal(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_put_signal(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_put_signal(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_put_signal(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_put_signal(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_put_signal(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_put_signal(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_put_signal(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_put_signal(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_put_signal(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_put_signal(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_put_signal(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_put_signal(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_put_signal(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_put_signal(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_put_signal(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_put_signal(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_put_signal(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_put_signal(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_put_signal(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_put_signal(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_put_signal(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_bfloat16_put_signal_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_put_signal_warp(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_put_signal_warp(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_put_signal_warp(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_put_signal_warp(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_put_signal_warp(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_put_signal_warp(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_put_signal_warp(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_put_signal_warp(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_put_signal_warp(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_put_signal_warp(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_put_signal_warp(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_put_signal_warp(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_put_signal_warp(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_put_signal_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_put_signal_warp(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_put_signal_warp(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_put_signal_warp(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_put_signal_warp(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_put_signal_warp(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_put_signal_warp(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_put_signal_warp(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_put_signal_warp(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_put_signal_warp(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_put_signal_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_bfloat16_put_signal_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_put_signal_block(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_put_signal_block(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_put_signal_block(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_put_signal_block(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_put_signal_block(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_put_signal_block(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_put_signal_block(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_put_signal_block(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_put_signal_block(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_put_signal_block(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_put_signal_block(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_put_signal_block(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_put_signal_block(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_put_signal_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_put_signal_block(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_put_signal_block(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_put_signal_block(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_put_signal_block(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_put_signal_block(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_put_signal_block(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_put_signal_block(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_put_signal_block(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_put_signal_block(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_put_signal_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_bfloat16_put_nbi(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_put_nbi(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_put_nbi(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_put_nbi(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_put_nbi(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_put_nbi(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_put_nbi(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_put_nbi(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_put_nbi(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_put_nbi(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_put_nbi(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_put_nbi(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_put_nbi(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_put_nbi(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_put_nbi(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_put_nbi(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_put_nbi(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_put_nbi(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_put_nbi(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_put_nbi(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_put_nbi(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_put_nbi(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_put_nbi(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_put_nbi(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_put_nbi(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_bfloat16_put_nbi_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_put_nbi_warp(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_put_nbi_warp(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_put_nbi_warp(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_put_nbi_warp(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_put_nbi_warp(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_put_nbi_warp(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_put_nbi_warp(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_put_nbi_warp(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_put_nbi_warp(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_put_nbi_warp(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_put_nbi_warp(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_put_nbi_warp(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_put_nbi_warp(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_put_nbi_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_put_nbi_warp(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_put_nbi_warp(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_put_nbi_warp(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_put_nbi_warp(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_put_nbi_warp(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_put_nbi_warp(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_put_nbi_warp(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_put_nbi_warp(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_put_nbi_warp(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_put_nbi_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_bfloat16_put_nbi_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_put_nbi_block(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_put_nbi_block(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_put_nbi_block(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_put_nbi_block(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_put_nbi_block(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_put_nbi_block(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_put_nbi_block(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_put_nbi_block(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_put_nbi_block(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_put_nbi_block(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_put_nbi_block(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_put_nbi_block(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_put_nbi_block(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_put_nbi_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_put_nbi_block(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_put_nbi_block(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_put_nbi_block(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_put_nbi_block(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_put_nbi_block(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_put_nbi_block(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_put_nbi_block(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_put_nbi_block(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_put_nbi_block(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_put_nbi_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_bfloat16_get_nbi(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_get_nbi(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_get_nbi(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_get_nbi(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_get_nbi(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_get_nbi(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_get_nbi(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_get_nbi(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_get_nbi(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_get_nbi(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_get_nbi(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_get_nbi(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_get_nbi(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_get_nbi(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_get_nbi(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_get_nbi(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_get_nbi(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_get_nbi(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_get_nbi(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_get_nbi(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_get_nbi(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_get_nbi(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_get_nbi(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_get_nbi(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_get_nbi(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_bfloat16_get_nbi_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_get_nbi_warp(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_get_nbi_warp(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_get_nbi_warp(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_get_nbi_warp(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_get_nbi_warp(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_get_nbi_warp(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_get_nbi_warp(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_get_nbi_warp(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_get_nbi_warp(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_get_nbi_warp(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_get_nbi_warp(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_get_nbi_warp(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_get_nbi_warp(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_get_nbi_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_get_nbi_warp(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_get_nbi_warp(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_get_nbi_warp(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_get_nbi_warp(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_get_nbi_warp(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_get_nbi_warp(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_get_nbi_warp(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_get_nbi_warp(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_get_nbi_warp(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_get_nbi_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_bfloat16_get_nbi_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_get_nbi_block(half *dest, const half *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_get_nbi_block(float *dest, const float *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_get_nbi_block(double *dest, const double *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_get_nbi_block(char *dest, const char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_get_nbi_block(short *dest, const short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_get_nbi_block(signed char *dest, const signed char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_get_nbi_block(int *dest, const int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_get_nbi_block(long *dest, const long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_get_nbi_block(long long *dest, const long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_get_nbi_block(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_get_nbi_block(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_get_nbi_block(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_get_nbi_block(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_get_nbi_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_get_nbi_block(int8_t *dest, const int8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_get_nbi_block(int16_t *dest, const int16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_get_nbi_block(int32_t *dest, const int32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_get_nbi_block(int64_t *dest, const int64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_get_nbi_block(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_get_nbi_block(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_get_nbi_block(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_get_nbi_block(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_get_nbi_block(size_t *dest, const size_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_get_nbi_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_bfloat16_put_signal_nbi(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_put_signal_nbi(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_put_signal_nbi(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_put_signal_nbi(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_put_signal_nbi(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_put_signal_nbi(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_put_signal_nbi(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_put_signal_nbi(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_put_signal_nbi(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_put_signal_nbi(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_put_signal_nbi(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_put_signal_nbi(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_put_signal_nbi(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_put_signal_nbi(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_put_signal_nbi(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_put_signal_nbi(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_put_signal_nbi(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_put_signal_nbi(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_put_signal_nbi(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_put_signal_nbi(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_put_signal_nbi(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_put_signal_nbi(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_put_signal_nbi(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_put_signal_nbi(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_put_signal_nbi(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_bfloat16_put_signal_nbi_warp(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_put_signal_nbi_warp(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_put_signal_nbi_warp(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_put_signal_nbi_warp(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_put_signal_nbi_warp(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_put_signal_nbi_warp(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_put_signal_nbi_warp(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_put_signal_nbi_warp(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_put_signal_nbi_warp(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_put_signal_nbi_warp(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_put_signal_nbi_warp(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_put_signal_nbi_warp(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_put_signal_nbi_warp(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_put_signal_nbi_warp(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_put_signal_nbi_warp(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_put_signal_nbi_warp(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_put_signal_nbi_warp(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_put_signal_nbi_warp(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_put_signal_nbi_warp(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_put_signal_nbi_warp(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_put_signal_nbi_warp(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_put_signal_nbi_warp(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_put_signal_nbi_warp(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_put_signal_nbi_warp(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_put_signal_nbi_warp(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_bfloat16_put_signal_nbi_block(__nv_bfloat16 *dest, const __nv_bfloat16 *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_half_put_signal_nbi_block(half *dest, const half *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_float_put_signal_nbi_block(float *dest, const float *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_double_put_signal_nbi_block(double *dest, const double *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_char_put_signal_nbi_block(char *dest, const char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_short_put_signal_nbi_block(short *dest, const short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_schar_put_signal_nbi_block(signed char *dest, const signed char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int_put_signal_nbi_block(int *dest, const int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_long_put_signal_nbi_block(long *dest, const long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_longlong_put_signal_nbi_block(long long *dest, const long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uchar_put_signal_nbi_block(unsigned char *dest, const unsigned char *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ushort_put_signal_nbi_block(unsigned short *dest, const unsigned short *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint_put_signal_nbi_block(unsigned int *dest, const unsigned int *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulong_put_signal_nbi_block(unsigned long *dest, const unsigned long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ulonglong_put_signal_nbi_block(unsigned long long *dest, const unsigned long long *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int8_put_signal_nbi_block(int8_t *dest, const int8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int16_put_signal_nbi_block(int16_t *dest, const int16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int32_put_signal_nbi_block(int32_t *dest, const int32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_int64_put_signal_nbi_block(int64_t *dest, const int64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint8_put_signal_nbi_block(uint8_t *dest, const uint8_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint16_put_signal_nbi_block(uint16_t *dest, const uint16_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint32_put_signal_nbi_block(uint32_t *dest, const uint32_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_uint64_put_signal_nbi_block(uint64_t *dest, const uint64_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_size_put_signal_nbi_block(size_t *dest, const size_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_ptrdiff_put_signal_nbi_block(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_signal_op(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t qp_index);
__device__ void nvshmemx_qp_fence(int pe, nvshmemx_qp_handle_t *qp_handle, int num_qps);
__device__ void nvshmemx_qp_fence_warp(int pe, nvshmemx_qp_handle_t *qp_handle, int num_qps);
__device__ void nvshmemx_qp_fence_block(int pe, nvshmemx_qp_handle_t *qp_handle, int num_qps);
__device__ void nvshmemx_qp_quiet(int pe, nvshmemx_qp_handle_t *qp_handle, int num_qps);
__device__ void nvshmemx_qp_quiet_warp(int pe, nvshmemx_qp_handle_t *qp_handle, int num_qps);
__device__ void nvshmemx_qp_quiet_block(int pe, nvshmemx_qp_handle_t *qp_handle, int num_qps);
#endif
}

#endif
