"""The pass that replaces GridSample with sums of weighted elements, gathered at the grid points.

GatherND takes the elements, and the gradients of x and grid follow from those nodes. Along an axis
of S elements, a point g is at p = g S/2 + (S - 1)/2, or at (g + 1) (S - 1)/2 with align_corners.
Its taps are floor(p) + 0 and 1 (linear), -1 .. 2 (cubic), or only the nearest; the weight of a result
is the product along the axes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Set
from functools import cached_property
from typing import Any

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.graph import Builder, attribute, describe, sort_nodes, take_over
from ..operators.selection import UNKNOWN, known_dims

MODES = {"bilinear": "linear", "bicubic": "cubic"}  # names in opset 16
CUBIC = -0.75  # the kernel's coefficient

#: A tap along one axis is (index of an element, its weight or None for 1).
Tap = tuple[ir.Value, "ir.Value | None"]


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every GridSample."""
    for node in list(graph):
        if node.op_type == "GridSample" and not node.domain:
            take_over(graph, node.outputs[0], Sampling(Builder(graph), node).result())
    sort_nodes(graph)


class Sampling:
    """The weighted sum that replaces one GridSample node."""

    def __init__(self, builder: Builder, node: ir.Node) -> None:
        """Read the attributes; raise UnsupportedOperator for a mode or a size without support."""
        self.builder = builder
        self.node = node
        self.sizes = known_dims(node.inputs[0])[2:]
        mode = attribute(node, "mode", "linear")
        self.mode = MODES.get(mode, mode)
        self.padding = attribute(node, "padding_mode", "zeros")
        self.is_aligned = bool(attribute(node, "align_corners", 0))
        is_unsupported = self.mode == "cubic" and (len(self.sizes) > 2 or self.padding == "border")
        if UNKNOWN in self.sizes or not 1 <= len(self.sizes) <= 3 or is_unsupported:
            raise UnsupportedOperator(
                f"GridSample with mode {self.mode} and padding_mode {self.padding} over sizes {self.sizes}",
                "fix the sizes on export; up to 3 are supported, with cubic 2 and no padding_mode border",
                describe(node),
            )

    def op(self, op_type: str, *inputs: ir.Value | None, **attributes: Any) -> ir.Value:
        """Append an ONNX node, and return its output."""
        name = f"{self.node.outputs[0].name}.{op_type.lower()}"
        return self.builder.op(op_type, *inputs, name=name, **attributes)

    def constant(self, data: Any) -> ir.Value:
        """Return a constant."""
        return self.builder.constant(data, f"{self.node.outputs[0].name}.number")

    def result(self) -> ir.Value:
        """Append the sum over all taps, and return it as (N, C, space)."""
        dims = len(self.sizes)
        total = None
        for taps in itertools.product(*(self.taps(axis) for axis in range(dims))):
            part = self.weighted(taps)
            total = part if total is None else self.op("Add", total, part)
        return self.op("Transpose", total, perm=[0, dims + 1, *range(1, dims + 1)])

    # ---- taps along one axis

    def taps(self, axis: int) -> list[Tap]:
        """Return the taps along one spatial axis; the grid names the last axis first."""
        size, half = self.sizes[axis], self.sizes[axis] / 2
        last = self.constant(np.int64(len(self.sizes) - 1 - axis))
        point = self.op("Gather", self.node.inputs[1], last, axis=len(self.sizes) + 1)
        scaled = self.op("Mul", point, self.constant(half - 0.5 if self.is_aligned else half))
        position = self.padded(self.op("Add", scaled, self.constant(half - 0.5)), size)
        if self.mode == "nearest":
            return [self.tap(self.op("Round", position), None, size)]
        first = self.op("Floor", position)
        rest = self.op("Sub", position, first)
        weights = self.linear(rest) if self.mode == "linear" else self.cubic(rest)
        return [self.tap(self.op("Add", first, self.constant(float(i))), w, size) for i, w in weights]

    def padded(self, position: ir.Value, size: int) -> ir.Value:
        """Return the position, reflected at both ends if the padding is a reflection."""
        low, span = (0.0, size - 1.0) if self.is_aligned else (-0.5, float(size))
        if self.padding != "reflection":
            return position
        if span == 0:
            return self.op("Mul", position, self.constant(0.0))
        distance = self.op("Abs", self.op("Sub", position, self.constant(low)))
        period = self.op("Mod", distance, self.constant(2 * span), fmod=1)
        folded = self.op("Abs", self.op("Sub", period, self.constant(span)))
        return self.op("Sub", self.constant(low + span), folded)

    def between(self, position: ir.Value, size: int) -> ir.Value:
        """Return the position, clamped to 0 .. size - 1."""
        return self.op("Max", self.op("Min", position, self.constant(size - 1.0)), self.constant(0.0))

    def tap(self, index: ir.Value, weight: ir.Value | None, size: int) -> Tap:
        """Return a tap inside the image: an element outside is replaced by the one at the border.

        With zero padding its weight becomes 0.
        """
        inside = self.between(index, size)
        if self.padding != "zeros":
            return self.reflected(index, inside, size), weight
        mask = self.op("Cast", self.op("Equal", index, inside), to=ir.DataType.FLOAT.value)
        return inside, mask if weight is None else self.op("Mul", weight, mask)

    def reflected(self, index: ir.Value, inside: ir.Value, size: int) -> ir.Value:
        """Return the index of a tap, reflected if it is outside by more than rounding.

        Only the taps of a cubic kernel reach that far.
        """
        is_far = self.padding == "reflection" and self.mode == "cubic"
        return self.between(self.padded(index, size), size) if is_far else inside

    def linear(self, t: ir.Value) -> list[tuple[int, ir.Value]]:
        """Return (offset, weight) of both taps of a linear interpolation: 1 - t and t."""
        return [(0, self.op("Sub", self.constant(1.0), t)), (1, t)]

    def cubic(self, t: ir.Value) -> list[tuple[int, ir.Value]]:
        """Return (offset, weight) of the four taps of Keys's kernel.

        Their distances are 1 + t, t, 1 - t and 2 - t. Source: Keys 1981.
        """
        far = [CUBIC, -5 * CUBIC, 8 * CUBIC, -4 * CUBIC]
        near = [CUBIC + 2, -(CUBIC + 3), 0.0, 1.0]
        other = self.op("Sub", self.constant(1.0), t)
        beyond = [self.op("Add", d, self.constant(1.0)) for d in (t, other)]
        weights = [(-1, far, beyond[0]), (0, near, t), (1, near, other), (2, far, beyond[1])]
        return [(offset, self.polynomial(coefficients, d)) for offset, coefficients, d in weights]

    def polynomial(self, coefficients: list[float], x: ir.Value) -> ir.Value:
        """Append a polynomial by Horner's rule; the highest power's coefficient comes first."""
        value = self.constant(coefficients[0])
        for coefficient in coefficients[1:]:
            value = self.op("Add", self.op("Mul", value, x), self.constant(coefficient))
        return value

    # ---- products of taps over all axes

    def weighted(self, taps: tuple[Tap, ...]) -> ir.Value:
        """Return the elements at one tap along each axis, times the product of the weights.

        The channels come last.
        """
        position, weight = taps[0]
        for size, (index, factor) in zip(self.sizes[1:], taps[1:], strict=True):
            position = self.op("Add", self.op("Mul", position, self.constant(float(size))), index)
            weight = factor if weight is None else weight if factor is None else self.op("Mul", weight, factor)
        last = self.constant([len(self.sizes) + 1])
        flat = self.op("Unsqueeze", self.op("Cast", position, to=ir.DataType.INT64.value), last)
        taken = self.op("GatherND", self.elements, flat, batch_dims=1)
        return taken if weight is None else self.op("Mul", taken, self.op("Unsqueeze", weight, last))

    @cached_property
    def elements(self) -> ir.Value:
        """Return x as (N, positions, C)."""
        dims = len(self.sizes)
        last = self.op("Transpose", self.node.inputs[0], perm=[0, *range(2, dims + 2), 1])
        shape = self.constant([0, math.prod(self.sizes), known_dims(self.node.inputs[0])[1]])
        return self.op("Reshape", last, shape)
