"""Compiles Triton kernels that call the device functions, for a GPU that need not be there, and prints their PTX.

Usage: triton_kernel.py LIBRARY.bc [ARCH]
Each kernel's PTX follows a line `// kernel NAME`. One kernel, which is written to a folder that is removed, calls every
function of the library; a line `// call NAME` names each. The last line has the processor's seconds for each compilation, without Triton's own start.
Fails if the kernel that puts, signals and waits takes more than `MOST_SECONDS`.
"""

import importlib.util
import os
import sys
import tempfile
from pathlib import Path

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


SCOPES = ["nvshmem_{}", "nvshmemx_{}_warp", "nvshmemx_{}_block"]
# Names of types, with the type of Triton's by which words and elements of it are passed.
WORDS = {"int": I32, "int32": I32, "uint": "uint32", "uint32": "uint32", "long": I64, "longlong": I64, "int64": I64,
         "ulong": U64, "ulonglong": U64, "uint64": U64}
ELEMENTS = {"int": I32, "int32": I32, "uint32": "uint32", "int64": I64, "longlong": I64, "uint64": U64, "float": "fp32",
            "double": "fp64"}
ADDED = {"int": I32, "int64": I64, "uint64": U64}
NUMBERS = ["half", "bfloat16", "float", "double", "char", "schar", "short", "int", "long", "longlong"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "uchar", "ushort", "uint",
            "ulong", "ulonglong", "size"]


def signatures():
    """Every function of the library, with the types of its arguments and of its result."""
    all_ = {
        "nvshmem_my_pe": ([], I32), "nvshmem_n_pes": ([], I32), "nvshmem_ptr": ([P, I32], P),
        "nvshmemx_mc_ptr": ([I32, P], P), "nvshmemx_signal_op": ([P, U64, I32, I32], I32),
        "nvshmem_signal_fetch": ([P], U64), "nvshmem_signal_wait_until": ([P, I32, U64], U64),
        "nvshmem_fence": ([], I32), "nvshmem_quiet": ([], I32), "nvshmem_team_my_pe": ([I32], I32),
        "nvshmem_team_n_pes": ([I32], I32), "nvshmem_team_translate_pe": ([I32] * 3, I32),
    }
    copy, signal = [P, P, U64, I32], [P, P, U64, P, U64, I32, I32]
    for name, args in [
        ("barrier_all", []), ("sync_all", []), ("barrier", [I32]), ("team_sync", [I32]), ("putmem", copy),
        ("getmem", copy), ("putmem_nbi", copy), ("getmem_nbi", copy), ("putmem_signal", signal),
        ("putmem_signal_nbi", signal), ("broadcastmem", [I32, P, P, I64, I32]), ("fcollectmem", [I32, P, P, I64]),
        ("alltoallmem", [I32, P, P, I64]),
    ]:
        all_ |= {scope.format(name): (args, I32) for scope in SCOPES}
    for name, word in WORDS.items():
        all_[f"nvshmem_{name}_wait_until"] = ([P, I32, word], I32)
    for name, element in ELEMENTS.items():
        all_[f"nvshmem_{name}_p"] = ([P, element, I32], I32)
    for name, word in ADDED.items():
        all_[f"nvshmem_{name}_atomic_add"] = ([P, word, I32], I32)
        all_[f"nvshmem_{name}_atomic_fetch_add"] = ([P, word, I32], word)
    for name in [*NUMBERS, *INTEGERS, "ptrdiff"]:
        for kind, args in [("broadcast", [I32, P, P, I64, I32]), ("fcollect", [I32, P, P, I64]),
                           ("alltoall", [I32, P, P, I64])]:
            all_ |= {scope.format(f"{name}_{kind}"): (args, I32) for scope in SCOPES}
    for types, operations in [(NUMBERS, ["sum", "prod", "min", "max"]),
                              (INTEGERS, ["sum", "prod", "min", "max", "and", "or", "xor"])]:
        for name in (f"{type_}_{operation}_reduce" for type_ in types for operation in operations):
            all_ |= {scope.format(name): ([I32, P, P, I64], I32) for scope in SCOPES}
    return all_


FUNCTIONS = {name: function(name, *types) for name, types in signatures().items()}
my_pe, n_pes = FUNCTIONS["nvshmem_my_pe"], FUNCTIONS["nvshmem_n_pes"]
putmem_block = FUNCTIONS["nvshmemx_putmem_block"]
putmem_signal_block = FUNCTIONS["nvshmemx_putmem_signal_block"]
putmem_signal_nbi_block = FUNCTIONS["nvshmemx_putmem_signal_nbi_block"]
getmem_nbi_block = FUNCTIONS["nvshmemx_getmem_nbi_block"]
signal_op = FUNCTIONS["nvshmemx_signal_op"]
signal_wait_until = FUNCTIONS["nvshmem_signal_wait_until"]
fence, quiet = FUNCTIONS["nvshmem_fence"], FUNCTIONS["nvshmem_quiet"]
barrier_all_block = FUNCTIONS["nvshmemx_barrier_all_block"]
# As PyTorch's wrapper calls them: copies by a block, reductions and barriers by each thread of it.
broadcastmem_block = FUNCTIONS["nvshmemx_broadcastmem_block"]
alltoallmem_block = FUNCTIONS["nvshmemx_alltoallmem_block"]
float_sum_reduce = FUNCTIONS["nvshmem_float_sum_reduce"]
barrier_all = FUNCTIONS["nvshmem_barrier_all"]


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
def collectives(inbox, block, flag, n_bytes):
    to, source = inbox.to(tl.int64, bitcast=True), block.to(tl.int64, bitcast=True)
    bytes_ = n_bytes.to(tl.int64)
    broadcastmem_block(0, to, source, bytes_, 0)
    alltoallmem_block(0, to, source, bytes_)
    float_sum_reduce(0, to, source, bytes_)
    barrier_all()


def every_call(folder):
    """A kernel that calls every function, each with arguments that are no constants."""
    argument = {P: "at", I32: "i32", "uint32": "u32", I64: "i64", U64: "u64", "fp32": "f32", "fp64": "f64"}
    calls = "".join(
        f"    {name}({', '.join(argument[one] for one in args)})\n" for name, (args, _) in signatures().items()
    )
    path = Path(folder) / "every_call.py"
    path.write_text(
        "import triton\nimport triton.language as tl\nfrom __main__ import FUNCTIONS\n\nglobals().update(FUNCTIONS)\n\n"
        "@triton.jit\ndef every_call(inbox, block, flag, n_bytes):\n    at = inbox.to(tl.int64, bitcast=True)\n"
        "    i32 = n_bytes\n    u32 = n_bytes.to(tl.uint32)\n    i64 = n_bytes.to(tl.int64)\n"
        "    u64 = n_bytes.to(tl.uint64)\n    f32 = n_bytes.to(tl.float32)\n    f64 = n_bytes.to(tl.float64)\n" + calls
    )
    spec = importlib.util.spec_from_file_location("every_call", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.every_call


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
    for name in FUNCTIONS:
        print(f"// call {name}")
    made, seconds = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for kernel in [ring, put_and_signal, collectives, every_call(folder)]:
            name = kernel.__name__
            made[name], seconds[name] = compiled(kernel, arch, library)
            print(f"// kernel {name}\n{made[name].asm['ptx']}")
            assert len(made[name].asm["cubin"]) > 0
    _, again = compiled(ring, arch, library)
    times = ", ".join(f"{name} {of_one:.2f} s" for name, of_one in seconds.items())
    print(f"// {times}, ring from the cache {again:.2f} s")
    if seconds["put_and_signal"] > MOST_SECONDS:
        sys.exit(f"a kernel that puts, signals and waits compiles in {seconds['put_and_signal']:.2f} s, and "
                 f"{MOST_SECONDS} s are wanted")


main()
