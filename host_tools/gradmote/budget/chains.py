"""Families of schemes. In each, every scheme trains more than the one before, and so needs no less memory."""

from __future__ import annotations

from collections.abc import Sequence

from ..artifacts.schemes import Layer, Scheme, joined
from .worth import Worth, members

RATIOS = (0.5, 0.25, 0.125)

Chain = list[Scheme]


def chains(layers: Sequence[Layer]) -> list[Chain]:
    """Last layers; biases beside the last one, two or three; a share of the last layers' channels beside the head."""
    count = len(layers)
    found = [[*(Scheme(last=k) for k in range(1, count)), Scheme()]]
    found += [[with_biases(k, weights) for k in range(weights, count + 1)] for weights in (1, 2, 3) if weights < count]
    found += [[joined([Scheme(last=1), Scheme("sparse", r, k)]) for k in range(2, count + 1)] for r in RATIOS]
    return [chain for chain in found if chain]


def worthwhile(worth: Worth) -> Chain:
    """Everything that is worth something, where not everything is."""
    names = [name for part, value in worth.values.items() if value for name in members(worth.layers[part[0]], part[1])]
    return [Scheme("named", names=tuple(names))] if names and not all(worth.values.values()) else []


def with_biases(biases: int, weights: int) -> Scheme:
    """Last `weights` layers whole, of the last `biases` ones the biases."""
    whole = Scheme(last=weights)
    return whole if biases <= weights else joined([whole, Scheme("bias", last=biases)])
