/* The parts of C's, C++'s and CUDA's libraries that device code for NVSHMEM uses without including them, because
 * NVSHMEM's headers do. */
#ifndef OXSHMEM_TOOLKIT_H
#define OXSHMEM_TOOLKIT_H

#include "platform.h"

#if !defined __CUDACC_RTC__
#include <algorithm>
#include <type_traits>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
#endif

/* The library of CUDA's C++ needs C++17. */
#if __cplusplus >= 201703L && __has_include(<cuda/atomic>)
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/cassert>
#include <cuda/std/climits>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#endif

#endif
