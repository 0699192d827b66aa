// Calls every function of the device once, so that the link step needs all of the device library. `calls.inc` is made
// from the table of names.
#include <nvshmem.h>
#include <nvshmemx.h>

// Calls a function with arguments of no value.
template <class Result, class... Args>
__device__ Result call(Result (*function)(Args...)) {
    return function(Args()...);
}

#if defined __CUDA_ARCH__
#define CALL(name) call(name)
#else
#define CALL(name)
#endif

#include "calls.inc"

int main() { return 0; }
