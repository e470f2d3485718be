"""Families of schemes, each in ascending order of what it trains.

Every scheme in a family trains more than the one before, and so needs at least as much memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..artifacts.schemes import Layer, Scheme, joined, parts_of
from .scores import Contributions, members

RATIOS = (0.5, 0.25, 0.125)

Chain = list[Scheme]


def chains(layers: Sequence[Layer]) -> list[Chain]:
    """Return the families of schemes for the search.

    They are: the last layers; the last one to three layers and the biases of more layers; the head and a
    share of the channels of the last layers.
    """
    count = len(layers)
    found = [[*(Scheme(last=k) for k in range(1, count)), Scheme()]]
    found += [[with_biases(k, weights) for k in range(weights, count + 1)] for weights in (1, 2, 3) if weights < count]
    found += [[joined([Scheme(last=1), Scheme("sparse", r, k)]) for k in range(2, count + 1)] for r in RATIOS]
    return [chain for chain in found if chain]


def contributing(contributions: Contributions) -> Chain:
    """Return the scheme of all contributing parts, unless all contribute, as a family of at most one."""
    layers, values = contributions.layers, contributions.values
    names = [name for part, value in values.items() if value for name in members(layers[part[0]], part[1])]
    return [Scheme("named", names=tuple(names))] if names and not all(values.values()) else []


def with_biases(biases: int, weights: int) -> Scheme:
    """Return the scheme of the last `weights` layers and the biases of the last `biases` layers."""
    whole = Scheme(last=weights)
    return whole if biases <= weights else joined([whole, Scheme("bias", last=biases)])


def within(family: Chain, bound: Scheme, layers: Sequence[Layer]) -> Chain:
    """Return the parts of each scheme in a family that `bound` trains too, in ascending order, ending with `bound`."""
    if bound == Scheme():
        return family
    allowed = parts_of(layers, bound)
    found = {str(bound): bound}
    for scheme in reversed(family):
        shares = {name: min(share, allowed.get(name, 0.0)) for name, share in parts_of(layers, scheme).items()}
        shares = {name: share for name, share in shares.items() if share > 0}
        if shares and shares != allowed:
            found.setdefault(str(common := scheme_of(shares)), common)
    return list(reversed(found.values()))


def scheme_of(shares: Mapping[str, float]) -> Scheme:
    """Return the scheme that trains these shares of parameters."""
    by_share: dict[float, list[str]] = {}
    for name, share in shares.items():
        by_share.setdefault(share, []).append(name)
    parts = [
        Scheme("named", names=tuple(names)) if share >= 1 else Scheme("sparse", share, names=tuple(names))
        for share, names in by_share.items()
    ]
    return joined(parts)
