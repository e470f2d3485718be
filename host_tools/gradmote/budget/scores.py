"""Scores of schemes: the sum of the contributions of the parts that a scheme trains.

A part is the weights or the biases of a layer. Without data, contributions follow a heuristic.
Biases contribute the share BIASES of their layer. A share r of a layer's channels contributes
sqrt(r) of its weights. Layer l of L contributes in proportion to l / L. H. Cai et al., "TinyTL:
Reduce Memory, Not Parameters for Efficient On-Device Learning" (2020), and J. Lin et al.,
"On-Device Training Under 256KB Memory" (2022) showed for fine-tuning that biases gain much for
their memory, and later layers more than early ones; the numbers are Gradmote's own. With data,
contributions.measure() replaces the heuristic with measured gains.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..artifacts.schemes import Layer, Scheme, parts_of

#: The share of a layer's contribution from its biases, by the heuristic.
BIASES = 0.3
#: (index of the layer, "weights" or "biases")
Part = tuple[int, str]


@dataclass(frozen=True)
class Contributions:
    """The contribution of each part of a model, at least 0.

    source: how they were determined, in words.
    """

    layers: Sequence[Layer]
    values: Mapping[Part, float]
    source: str

    def score(self, scheme: Scheme) -> float:
        """Return the share, 0 .. 1, of all contributions that the scheme trains."""
        whole = sum(self.values.values())
        shares = {name: math.sqrt(ratio) for name, ratio in parts_of(self.layers, scheme).items()}
        return sum(self.contribution(part, shares) for part in self.values) / whole if whole else 0.0

    def contribution(self, part: Part, shares: Mapping[str, float]) -> float:
        """Return the contribution of a part, of whose parameters only some may be trained.

        shares: the trained share of each trained parameter.
        """
        names = members(self.layers[part[0]], part[1])
        return self.values[part] * sum(shares.get(name, 0.0) for name in names) / len(names)


def members(layer: Layer, kind: str) -> list[str]:
    """Return the parameters of a part; a normalization's scale counts as a weight."""
    return layer.biases if kind == "biases" else [*layer.weights, *layer.others]


def parts(layers: Sequence[Layer]) -> list[Part]:
    """Return the parts that have parameters, from the end of the model to its beginning."""
    return [
        (index, kind)
        for index in reversed(range(len(layers)))
        for kind in ("weights", "biases")
        if members(layers[index], kind)
    ]


def by_depth(layers: Sequence[Layer]) -> Contributions:
    """Return the contributions of the heuristic at the top of this module."""
    share = {"weights": 1 - BIASES, "biases": BIASES}
    values = {(index, kind): share[kind] * (index + 1) / len(layers) for index, kind in parts(layers)}
    return Contributions(layers, values, "a rule of thumb: later layers and weights count more; --data measures it")
