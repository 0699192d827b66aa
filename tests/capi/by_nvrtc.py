"""Compiles the headers by NVRTC, as Python packages do for their kernels: without any header of the host.

Usage: by_nvrtc.py LIBNVRTC INCLUDE...
The PTX may leave open the functions and variables of the device library, which a later link finds, and no other.
"""

import ctypes
import re
import sys

SOURCE = """
#include <nvshmem.h>
#include <nvshmemx.h>
extern "C" __device__ int shim(float *dest, float value, uint64_t *word, int pe) {
    nvshmem_float_p(dest, value, pe);
    nvshmemx_float_put_signal_nbi_block(dest, dest, 64, word, 1, NVSHMEM_SIGNAL_ADD, pe);
    nvshmem_signal_wait_until(word, NVSHMEM_CMP_GE, 1);
    nvshmem_uint64_atomic_inc(word, pe);
    nvshmemx_float_sum_reduce_block(NVSHMEM_TEAM_WORLD, dest, dest, 4);
    nvshmem_barrier_all();
    return nvshmem_my_pe() + nvshmem_team_n_pes(NVSHMEM_TEAM_SHARED);
}
"""
# One wrapper of kernels in Python says so.
NUMBA = "#define __NVSHMEM_NUMBA_SUPPORT__\n"


def text(get_size, get, program):
    size = ctypes.c_size_t()
    get_size(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    get(program, buffer)
    return buffer.value.decode()


def compile_(nvrtc, source, options):
    program, words = ctypes.c_void_p(), [option.encode() for option in options]
    if nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"shim.cu", 0, None, None) != 0:
        sys.exit("NVRTC takes no source")
    if nvrtc.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words)) != 0:
        sys.exit(text(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program))
    return text(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, program)


def main():
    nvrtc = ctypes.CDLL(sys.argv[1])
    options = ["--gpu-architecture=compute_90", "--std=c++17", "-rdc=true", *(f"-I{one}" for one in sys.argv[2:])]
    for define in ["", NUMBA]:
        ptx = compile_(nvrtc, define + SOURCE, options)
        opened = re.findall(r"^\.extern .*?(\w+)(?:\[\d+\])?;?$", ptx, re.MULTILINE)
        strange = [name for name in opened if not name.startswith("oxshmem_")]
        if strange or "oxshmem_world" not in opened or not re.search(r"\.visible \.func.* shim\(", ptx):
            sys.exit(f"the code leaves open {opened}")


main()
