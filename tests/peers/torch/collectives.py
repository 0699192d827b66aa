"""torch's symmetric memory as a peer: all-reduces on a stream and in CUDA graphs. PROTOCOL.md defines the lines."""

import ctypes
import faulthandler
import json
import os
import sys
import time
import zlib

# Floats on each side of the destination that must not change.
GUARD = 64
# 0xa5a5a5a5 as a signed number.
POISON = -0x5A5A5A5B
# A step that takes longer ends the process, since torch's kernels wait without a limit.
STEP_LIMIT_S = 120
# The algorithms, and torch's operator of each.
OPERATORS = {"one-shot": "one_shot_all_reduce_out", "two-shot": "two_shot_all_reduce_"}


class Skip(Exception):
    """This peer has no such row: why, equal on every PE."""


class Wrong(Exception):
    """The received data differs from the sent data."""


class KernelNodeParams(ctypes.Structure):
    """The driver's CUDA_KERNEL_NODE_PARAMS, up to the grid and some room for the rest."""

    _fields_ = [("function", ctypes.c_void_p), ("grid", ctypes.c_uint * 3), ("rest", ctypes.c_ubyte * 128)]


def largest_kernel(graph):
    """Returns the blocks of the largest kernel of a `cudaGraph_t`, 0 if they are unknown."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        params_of = driver.cuGraphKernelNodeGetParams_v2
    except (OSError, AttributeError):
        return 0
    handle, n = ctypes.c_void_p(graph), ctypes.c_size_t(0)
    if driver.cuGraphGetNodes(handle, None, ctypes.byref(n)) != 0:
        return 0
    nodes = (ctypes.c_void_p * n.value)()
    if driver.cuGraphGetNodes(handle, nodes, ctypes.byref(n)) != 0:
        return 0
    most = 0
    for node in nodes:
        kind, params = ctypes.c_int(-1), KernelNodeParams()
        known = driver.cuGraphNodeGetType(ctypes.c_void_p(node), ctypes.byref(kind)) == 0
        # Type 0 is a kernel.
        if known and kind.value == 0 and params_of(ctypes.c_void_p(node), ctypes.byref(params)) == 0:
            most = max(most, params.grid[0] * params.grid[1] * params.grid[2])
    return most


def driver_version():
    """Returns the version of the driver's kernel module."""
    try:
        with open("/sys/module/nvidia/version") as file:
            return file.read().strip()
    except OSError:
        return "unknown"


class Peer:
    """This process's PE."""

    def __init__(self, algorithm):
        self.algorithm = algorithm
        self.source = None

    def start(self):
        """Meets the other PEs, and returns the line that announces it."""
        self.pe, self.n = int(os.environ["PERF_PE"]), int(os.environ["PERF_N_PES"])
        # No multicast, whatever the user has set; the other variables are those of one host over loopback.
        os.environ.update(TORCH_SYMM_MEM_DISABLE_MULTICAST="1", NCCL_NVLS_ENABLE="0")
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
        import torch
        import torch.distributed as dist
        import torch.distributed._symmetric_memory as symm_mem

        self.torch, self.dist, self.symm_mem = torch, dist, symm_mem
        torch.set_grad_enabled(False)
        began = time.monotonic()
        # PEs share GPUs if there are more PEs than GPUs.
        self.device = torch.device("cuda", self.pe % torch.cuda.device_count())
        torch.cuda.set_device(self.device)
        meet = "file://" + os.path.join(os.environ["PERF_MEET"], "torch-store")
        dist.init_process_group("gloo", init_method=meet, rank=self.pe, world_size=self.n)
        self.group = dist.group.WORLD.group_name
        self.stream = torch.cuda.Stream()
        torch.cuda.set_stream(self.stream)
        self.need(1 << 10)
        # The first kernel that communicates.
        self.meet_on_stream()
        self.stream.synchronize()
        init_us = (time.monotonic() - began) * 1e6

        ready = {
            "peer": "torch-" + self.algorithm,
            "version": torch.__version__,
            "device": torch.cuda.get_device_name(self.device),
            "driver": driver_version(),
            "init_us": round(init_us, 1),
        }
        return "ready " + json.dumps(ready)

    def operator(self):
        """Returns torch's operator, or skips the row."""
        name = OPERATORS[self.algorithm]
        if not hasattr(self.torch.ops.symm_mem, name):
            raise Skip(f"torch {self.torch.__version__} has no symm_mem.{name}")
        return getattr(self.torch.ops.symm_mem, name)

    def arguments(self, source, dest):
        """Returns the operator's arguments."""
        return (source, "sum", self.group) + (() if self.algorithm == "two-shot" else (dest,))

    def need(self, count):
        """Makes the symmetric source at least as many floats long. Collective."""
        if self.source is not None and self.source.numel() >= count:
            return
        if self.source is not None:
            self.meet()
            count = max(count, 2 * self.source.numel())
        self.source = self.symm_mem.empty(count, dtype=self.torch.float32, device=self.device)
        self.handle = self.symm_mem.rendezvous(self.source, self.group)

    def meet_on_stream(self):
        """Enqueues a meeting of all PEs."""
        self.handle.barrier(channel=0)

    def meet(self):
        """Meets the other PEs when this one's work has ended."""
        self.stream.synchronize()
        self.dist.barrier()

    def elements(self, row, pe, count):
        """Returns a PE's source: sums of its elements are exact."""
        index = self.torch.arange(count, dtype=self.torch.int64, device=self.device)
        return ((index * 7 + (5 * pe + row)) % 13 - 6).to(self.torch.float32)

    def compare(self, seen, expected, corrupt=False):
        """Raises `Wrong` if the elements differ."""
        if corrupt:
            seen = seen + 1
        differ = (seen != expected).nonzero()
        if len(differ) > 0:
            first = int(differ[0])
            values = f"{float(seen[first])} where {float(expected[first])} was sent"
            raise Wrong(f"{len(differ)} of {len(seen)} elements, first {first}: {values}")

    def capture(self, call, calls):
        """Returns a graph of so many calls, and the blocks of its largest kernel."""
        torch = self.torch
        try:
            graph, kept = torch.cuda.CUDAGraph(keep_graph=True), True
        except TypeError:
            graph, kept = torch.cuda.CUDAGraph(), False
        with torch.cuda.graph(graph, stream=self.stream, capture_error_mode="thread_local"):
            for _ in range(calls):
                call()
        if not kept:
            return graph, 0
        graph.instantiate()
        return graph, largest_kernel(graph.raw_cuda_graph())

    def run(self, line):
        """Answers a request."""
        torch = self.torch
        keys = dict(word.split("=", 1) for word in line.split()[1:] if "=" in word)
        if keys["test"] not in ("coll_in_graph", "coll_on_stream"):
            raise Skip("no such test")
        if keys.get("op") != "reduce":
            raise Skip("symmetric memory has such operators for all-reduces")
        if keys.get("variant") or int(keys.get("ctas", 1)) > 1:
            raise Skip("torch chooses the blocks")
        operator = self.operator()
        count, iters, repeat = int(keys.get("bytes", 8)) // 4, int(keys.get("iters", 100)), int(keys.get("repeat", 5))
        row, in_place = zlib.crc32(line.encode()) % 13, self.algorithm == "two-shot"
        self.need(count + GUARD)
        source = self.source[:count]
        # In place the destination begins with the allocation, so that nothing is before it.
        guarded = self.source[: count + GUARD] if in_place else self.room(count + 2 * GUARD)
        start = 0 if in_place else GUARD
        dest = guarded[start : start + count]
        total = sum(self.elements(row, pe, count) for pe in range(self.n))

        def prepare():
            guarded.view(torch.int32).fill_(POISON)
            source.copy_(self.elements(row, self.pe, count))

        def call():
            operator(*self.arguments(source, dest))

        def check(calls):
            expected = total
            corrupt = keys.get("corrupt") == "1" and (not in_place or calls == 1)
            # In place each call adds up the sums of the one before, which soon are infinite.
            for _ in range(min(calls - 1, 160) if in_place else 0):
                expected = expected * self.n
            self.compare(dest, expected, corrupt)
            for guard in (guarded[:start], guarded[start + count :]):
                if len(guard) > 0 and bool((guard.view(torch.int32) != POISON).any()):
                    raise Wrong("bytes before or after the destination have changed")

        prepare()
        self.meet()
        call()
        self.meet()
        in_graph = keys["test"] == "coll_in_graph"
        graph, ctas = self.capture(call, iters if in_graph else 1)
        times = []
        began, ended = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        self.meet()
        for repetition in range(repeat + 1):
            # The streams of all PEs have met before the first event is recorded.
            self.meet_on_stream()
            began.record()
            if in_graph:
                graph.replay()
            else:
                for _ in range(iters):
                    call()
            ended.record()
            self.stream.synchronize()
            if repetition > 0:
                times.append(began.elapsed_time(ended) * 1e6 / iters)
        self.meet()
        check(1 + (repeat + 1) * iters)
        if in_place:
            self.meet()
            prepare()
            self.meet()
            call()
            self.meet()
            check(1)
        self.meet()
        note = f" ctas={ctas}" if ctas > 0 else ""
        return "times " + " ".join(f"{time:.3f}" for time in times) + note

    def room(self, count):
        """Returns memory of this PE alone."""
        return self.torch.empty(count, dtype=self.torch.float32, device=self.device)


def serve(peer, requests, answers):
    """Answers the lines until `quit` or their end."""

    def answer(text):
        answers.write(" ".join(text.split()) + "\n")
        answers.flush()

    def step(work):
        faulthandler.dump_traceback_later(STEP_LIMIT_S, exit=True)
        try:
            return work()
        except Skip as why:
            return f"skip {why}"
        except Wrong as what:
            return f"wrong {what}"
        finally:
            faulthandler.cancel_dump_traceback_later()

    try:
        answer(step(peer.start))
        for line in requests:
            line = line.strip()
            if line == "quit":
                break
            if line.startswith("run "):
                answer(step(lambda: peer.run(line)))
        return 0
    except Exception as failed:  # Whatever it is, the task shows it.
        answer(f"error {type(failed).__name__}: {failed}")
        return 1


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in OPERATORS:
        print(f"usage: collectives.py {'|'.join(OPERATORS)}, with PERF_PE, PERF_N_PES, PERF_MEET", file=sys.stderr)
        sys.exit(2)
    # Only answers go to the standard output; what libraries print there goes to standard error.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    status = serve(Peer(sys.argv[1]), sys.stdin, answers)
    # Without destructors: those of symmetric memory may wait for PEs that have ended.
    os._exit(status)


if __name__ == "__main__":
    main()
