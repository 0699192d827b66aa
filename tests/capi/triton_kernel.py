"""Compiles Triton kernels that call the device functions, for a GPU that need not be there, and prints the PTX of the
largest one.

Usage: triton_kernel.py LIBRARY.bc [ARCH]
The last line has the processor's seconds for each compilation, without Triton's own start. Fails if the kernel that
puts, signals and waits takes more than `MOST_SECONDS`.
"""

import os
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.language import core

# The processor's time is asserted, since other programs lengthen the time of the clock.
MOST_SECONDS = 3.0

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
putmem_signal_block = function("nvshmemx_putmem_signal_block", [P, P, U64, P, U64, I32, I32])
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


@triton.jit
def put_and_signal(inbox, block, flag, n_bytes):
    right = (my_pe() + 1) % n_pes()
    word = flag.to(tl.int64, bitcast=True)
    one = tl.full([], 1, tl.uint64)
    to, source = inbox.to(tl.int64, bitcast=True), block.to(tl.int64, bitcast=True)
    putmem_signal_block(to, source, n_bytes.to(tl.uint64), word, one, 9, right)
    signal_wait_until(word, 0, one)


@triton.jit
def without_calls(inbox, block, flag, n_bytes):
    at = tl.arange(0, 1024)
    tl.store(inbox + at, tl.load(block + at, mask=at < n_bytes), mask=at < n_bytes)
    tl.store(flag, 1)


def processor_seconds():
    """The seconds of this program and of the assembler that it starts."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def compiled(kernel, arch, library):
    """A kernel, and the seconds of its compilation."""
    source = ASTSource(
        fn=kernel, signature={"inbox": "*fp32", "block": "*fp32", "flag": "*i64", "n_bytes": "i32"}, constexprs={}
    )
    begun = processor_seconds()
    made = triton.compile(
        source, target=GPUTarget("cuda", arch, 32),
        options={"num_warps": 4, "extern_libs": {"libnvshmem_device": library}},
    )
    return made, processor_seconds() - begun


def main():
    library = sys.argv[1]
    arch = int(sys.argv[2]) if len(sys.argv) > 2 else 90
    # The first compilation loads parts of Triton.
    compiled(without_calls, arch, library)
    whole, of_whole = compiled(ring, arch, library)
    _, again = compiled(ring, arch, library)
    _, of_one = compiled(put_and_signal, arch, library)
    print(whole.asm["ptx"])
    assert len(whole.asm["cubin"]) > 0
    print(f"// put, signal and wait in {of_one:.2f} s, all calls in {of_whole:.2f} s, from the cache in {again:.2f} s")
    if of_one > MOST_SECONDS:
        sys.exit(f"a kernel that puts, signals and waits compiles in {of_one:.2f} s, and {MOST_SECONDS} s are wanted")


main()
