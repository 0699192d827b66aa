"""Symmetric memory of the fake torch."""

from types import SimpleNamespace

from torch import empty as empty


def rendezvous(_tensor, _group):
    return SimpleNamespace(barrier=lambda channel: None)
