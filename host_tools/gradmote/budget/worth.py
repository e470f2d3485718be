"""What training a part of a model is worth: of each layer its weights and its biases, in parts of the whole.

Without data a rule of thumb: biases are worth BIASES of their layer, a share r of the channels sqrt(r) of the weights,
and layers are worth the more the later they come, l / L. That biases go far for their memory, and later layers further
than early ones, was shown for fine-tuning by H. Cai et al., "TinyTL: Reduce Memory, Not Parameters for Efficient
On-Device Learning" (2020), and J. Lin et al., "On-Device Training Under 256KB Memory" (2022); the numbers are ours.
With data, contributions.measure() puts measured gains in its place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..artifacts.schemes import Layer, Scheme, parts_of

BIASES = 0.3
#: (index of the layer, "weights" or "biases")
Part = tuple[int, str]


@dataclass(frozen=True)
class Worth:
    """values: of each part, at least 0. source: where they come from, in words."""

    layers: Sequence[Layer]
    values: Mapping[Part, float]
    source: str

    def of(self, scheme: Scheme) -> float:
        """0 .. 1: what of the whole model's worth the scheme trains."""
        whole = sum(self.values.values())
        shares = {name: math.sqrt(ratio) for name, ratio in parts_of(self.layers, scheme).items()}
        return sum(self.value(part, shares) for part in self.values) / whole if whole else 0.0

    def value(self, part: Part, shares: Mapping[str, float]) -> float:
        """shares: of the parameters that are trained."""
        names = members(self.layers[part[0]], part[1])
        return self.values[part] * sum(shares.get(name, 0.0) for name in names) / len(names)


def members(layer: Layer, kind: str) -> list[str]:
    """The parameters of a part; a normalization's scale counts as a weight."""
    return layer.biases if kind == "biases" else [*layer.weights, *layer.others]


def parts(layers: Sequence[Layer]) -> list[Part]:
    """Those that have parameters, from the model's end."""
    return [
        (index, kind)
        for index in reversed(range(len(layers)))
        for kind in ("weights", "biases")
        if members(layers[index], kind)
    ]


def by_depth(layers: Sequence[Layer]) -> Worth:
    """The rule of thumb."""
    share = {"weights": 1 - BIASES, "biases": BIASES}
    values = {(index, kind): share[kind] * (index + 1) / len(layers) for index, kind in parts(layers)}
    return Worth(layers, values, "a rule of thumb: later layers and weights count more; --data measures it")
