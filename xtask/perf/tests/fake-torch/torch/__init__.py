"""A torch for the tests of tests/peers/torch: PE 0 of two, whose peer has the data that the protocol gives it."""

import os
from types import SimpleNamespace

__version__ = "2.11.0+fake"
float32, int64, int32 = float, int, int
# The number of calls of operators, the calls of the graph that is captured, and whether the last result was in place.
state = SimpleNamespace(calls=0, captured=None, in_place=False)


class Tensor:
    """Elements `start..stop` of a storage, which slices share."""

    def __init__(self, storage, start=0, stop=None):
        self.storage, self.start = storage, start
        self.stop = len(storage) if stop is None else stop

    def values(self):
        return self.storage[self.start : self.stop]

    def __len__(self):
        return self.stop - self.start

    numel = __len__

    def __getitem__(self, at):
        if isinstance(at, int):
            return self.storage[self.start + at]
        first, last, _ = at.indices(len(self))
        return Tensor(self.storage, self.start + first, self.start + max(first, last))

    def _each(self, other, combine):
        others = other.values() if isinstance(other, Tensor) else [other] * len(self)
        return Tensor([combine(a, b) for a, b in zip(self.values(), others, strict=True)])

    def __add__(self, other):
        return self._each(other, lambda a, b: rounded(a + b))

    __radd__ = __add__

    def __sub__(self, other):
        return self._each(other, lambda a, b: a - b)

    def __mul__(self, other):
        return self._each(other, lambda a, b: rounded(a * b))

    def __mod__(self, other):
        return self._each(other, lambda a, b: a % b)

    def __ne__(self, other):
        return self._each(other, lambda a, b: a != b)

    def nonzero(self):
        return Tensor([index for index, value in enumerate(self.values()) if value])

    def any(self):
        return any(self.values())

    def to(self, kind):
        return Tensor([kind(value) for value in self.values()])

    def view(self, _kind):
        return self

    def fill_(self, value):
        self.storage[self.start : self.stop] = [value] * len(self)

    def copy_(self, other):
        self.storage[self.start : self.stop] = other.values()
        state.in_place = False


def rounded(value):
    """The value as a float of 32 bits, as far as its range is concerned."""
    most = 3.4e38
    return value if -most < value < most else float("inf") * (1 if value > 0 else -1)


def empty(count, **_):
    return Tensor([0.0] * count)


def arange(count, **_):
    return Tensor(list(range(count)))


def device(kind, index):
    return f"{kind}:{index}"


def set_grad_enabled(_):
    pass


class Event:
    def __init__(self, **_):
        self.at = None

    def record(self):
        self.at = state.calls

    def elapsed_time(self, later):
        # A call takes a microsecond.
        return (later.at - self.at) / 1e3


class CUDAGraph:
    def __init__(self, keep_graph=False):
        self.work = []

    def instantiate(self):
        pass

    def raw_cuda_graph(self):
        return 0

    def replay(self):
        for call in self.work:
            call()


class graph:
    def __init__(self, graph, **_):
        self.graph = graph

    def __enter__(self):
        state.captured = self.graph.work

    def __exit__(self, *_):
        state.captured = None


cuda = SimpleNamespace(
    Stream=lambda: SimpleNamespace(synchronize=lambda: None),
    set_stream=lambda stream: None,
    device_count=lambda: 2,
    set_device=lambda device: None,
    get_device_name=lambda device: "none",
    Event=Event,
    CUDAGraph=CUDAGraph,
    graph=graph,
)


def peers_of(source):
    """Returns the other PE's elements: after a reduction in place, the same as this PE's."""
    if state.in_place:
        return source
    return [(value + 6 + 5) % 13 - 6 for value in source]


def reduce(source, dest):
    def work():
        state.calls += 1
        mine = source.values()
        sums = [rounded(a + b) for a, b in zip(mine, peers_of(mine), strict=True)]
        if os.environ.get("FAKE") == "short":
            sums[-1] = dest.values()[-1]
        dest.copy_(Tensor(sums))
        if os.environ.get("FAKE") == "long":
            dest.storage[dest.stop] = 0.0
        state.in_place = source is dest

    (state.captured.append if state.captured is not None else lambda work: work())(work)


ops = SimpleNamespace(symm_mem=SimpleNamespace())
if os.environ.get("FAKE") != "old":
    ops.symm_mem.one_shot_all_reduce_out = lambda source, op, group, dest: reduce(source, dest)
    ops.symm_mem.two_shot_all_reduce_ = lambda source, op, group: reduce(source, source)
