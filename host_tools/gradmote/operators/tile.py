"""Tile: x repeated along its axes; dx is dy summed over the repetitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.graph import rank, static_shape
from ..ir.strides import contiguous
from .constants import integers
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..ir.lowering import Lowering, View


def repeats_of(node: ir.Node) -> list[int]:
    """Return the constant number of repetitions of each axis."""
    return integers(node, 1, "repeats") or []


def gradient(back: Backward) -> Gradients:
    """Return dx: dy as (repetitions, dimension) for each repeated axis, summed over repetitions."""
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
    """Emit COPYs, each repeating as many axes as its dimensions allow."""
    from ..ir.copies import COPY_RANK

    view, shape, repeats = low.view(node.inputs[0]), list(static_shape(node.inputs[0], node)), repeats_of(node)
    axes = [axis for axis, count in enumerate(repeats) if count != 1]
    at_once = max(COPY_RANK - len(shape), 1)
    for first in range(0, len(axes), at_once):
        view, shape = repeat(low, node, view, shape, {a: repeats[a] for a in axes[first : first + at_once]})
    low.set_view(node.outputs[0], view)


def repeat(low: Lowering, node: ir.Node, x: View, shape: list[int], repeats: dict[int, int]) -> tuple[View, list[int]]:
    """Emit one COPY over (repetitions, dimension) of each repeated axis.

    The source has a stride of 0 along repetitions. Return the result and its shape.
    """
    larger = [d * repeats.get(axis, 1) for axis, d in enumerate(shape)]
    target = low.scratch(f"{node.outputs[0].name}.axis_{min(repeats)}", larger, contiguous(larger), x.dtype)
    dims, source, written = [], [], []
    for axis, d in enumerate(shape):
        dims += [repeats.get(axis, 1), d]
        source += [0, x.strides[axis]]
        written += [d * target.strides[axis], target.strides[axis]]
    low.move(node, dims, x.with_strides(source), target.with_strides(written))
    return target, larger


OPERATORS = [Operator("Tile", gradient, lower, any_type=True, any_width=True, constants=(1,))]
