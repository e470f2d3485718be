"""Tile: x repeated along its axes. dx = dy summed over the repetitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..graph import rank, static_shape
from ..strides import contiguous
from .constants import integers
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..lowering import Lowering


def repeats_of(node: ir.Node) -> list[int]:
    return integers(node, 1, "repeats") or []


def gradient(back: Backward) -> Gradients:
    """dy seen as (repetitions, dimension) for each repeated axis, summed over the repetitions."""
    x, repeats = back.node.inputs[0], repeats_of(back.node)
    parts: list[int] = []
    axes: list[int] = []
    for axis in range(rank(x, back.node)):
        dim = x.shape[axis]
        if repeats[axis] != 1:
            axes.append(len(parts))
            parts.append(repeats[axis])
        parts.append(dim if isinstance(dim, int) else -1)
    if not axes:
        return [back.dy[0], None]
    shape = back.builder.constant(parts, f"{x.name}_grad.repeated_shape")
    grad = back.op("Reshape", back.dy[0], shape, of=x)
    return [back.op("ReduceSum", grad, back.builder.constant(axes, f"{x.name}_grad.axes"), of=x, keepdims=0), None]


def lower(low: Lowering, node: ir.Node) -> None:
    """One COPY over (repetitions, dimension) for each axis; x does not move along repetitions."""
    from ..lowering import View

    x, y = low.view(node.inputs[0]), node.outputs[0]
    shape, repeats = static_shape(node.inputs[0], node), repeats_of(node)
    target = View(low.output(y), contiguous(static_shape(y, node)))
    dims, source, written = [], [], []
    for d, r, s, t in zip(shape, repeats, x.strides, target.strides, strict=True):
        dims += [r, d]
        source += [0, s]
        written += [d * t, t]
    low.move(node, dims, View(x.ref, source), View(target.ref, written))


OPERATORS = [Operator("Tile", gradient, lower, any_type=True, constants=(1,))]
