"""Compiles a Triton kernel that calls the device functions, for a GPU that need not be there, and prints its PTX.

Usage: triton_kernel.py LIBRARY.bc [ARCH]
The last line has the seconds of the compilation, without Triton's own start.
"""

import sys
import time

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.language import core

P, I32, I64, U64 = "int64", "int32", "int64", "uint64"


def function(name, types, result=I32):
    """A function of the library. Triton has no functions without a value; theirs is not used."""
    key = tuple(core.dtype(one) for one in types)

    @core.extern
    def call(*args, _semantic=None):
        return core.extern_elementwise(
            "", "", list(args), {key: (name, core.dtype(result))}, is_pure=False, _semantic=_semantic
        )

    return call


my_pe = function("nvshmem_my_pe", [])
n_pes = function("nvshmem_n_pes", [])
putmem_block = function("nvshmemx_putmem_block", [P, P, U64, I32])
putmem_signal_nbi_block = function("nvshmemx_putmem_signal_nbi_block", [P, P, U64, P, U64, I32, I32])
getmem_nbi_block = function("nvshmemx_getmem_nbi_block", [P, P, U64, I32])
signal_op = function("nvshmemx_signal_op", [P, U64, I32, I32])
signal_wait_until = function("nvshmem_signal_wait_until", [P, I32, U64], U64)
longlong_wait_until = function("nvshmem_longlong_wait_until", [P, I32, I64])
fence = function("nvshmem_fence", [])
quiet = function("nvshmem_quiet", [])
barrier_all_block = function("nvshmemx_barrier_all_block", [])


@triton.jit
def ring(inbox, block, flag, n_bytes):
    me = my_pe()
    right = (me + 1) % n_pes()
    to = inbox.to(tl.int64, bitcast=True)
    source = block.to(tl.int64, bitcast=True)
    word = flag.to(tl.int64, bitcast=True)
    bytes_ = n_bytes.to(tl.uint64)
    one = tl.full([], 1, tl.uint64)
    putmem_signal_nbi_block(to, source, bytes_, word, one, 9, right)
    signal_wait_until(word, 0, one)
    putmem_block(to, source, bytes_, right)
    getmem_nbi_block(to, source, bytes_, right)
    signal_op(word, one, 10, right)
    fence()
    quiet()
    barrier_all_block()


def main():
    library = sys.argv[1]
    arch = int(sys.argv[2]) if len(sys.argv) > 2 else 90
    source = ASTSource(
        fn=ring, signature={"inbox": "*fp32", "block": "*fp32", "flag": "*i64", "n_bytes": "i32"}, constexprs={}
    )
    begun = time.time()
    compiled = triton.compile(
        source, target=GPUTarget("cuda", arch, 32),
        options={"num_warps": 4, "extern_libs": {"libnvshmem_device": library}},
    )
    seconds = time.time() - begun
    print(compiled.asm["ptx"])
    assert len(compiled.asm["cubin"]) > 0
    print(f"// {seconds:.2f} s")


main()
