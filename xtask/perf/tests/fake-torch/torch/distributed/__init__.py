"""Process groups of the fake torch: the other PE is always there."""

from types import SimpleNamespace

group = SimpleNamespace(WORLD=SimpleNamespace(group_name="0"))


def init_process_group(backend, **_):
    assert backend == "gloo"


def barrier():
    pass
