"""Concat: each input is copied to its part of the output; dx_i is the same part of dy."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.graph import attribute, normalize_axis, static_shape
from ..ir.strides import contiguous, packed, physical_order, same_walk
from .constants import known_dim
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def axis_of(node: ir.Node) -> int:
    """Return the node's axis, counted from 0."""
    return normalize_axis(attribute(node, "axis"), node.inputs[0], node)


def gradient(back: Backward) -> Gradients:
    """Return for each input its part of dy."""
    node, axis = back.node, axis_of(back.node)
    ends = list(accumulate(known_dim(x, axis, node) for x in node.inputs))
    starts = [0, *ends[:-1]]
    return [
        part(back, x, axis, start, end) if back.needs(i) else None
        for i, (x, start, end) in enumerate(zip(node.inputs, starts, ends, strict=True))
    ]


def part(back: Backward, x: ir.Value, axis: int, start: int, end: int) -> ir.Value:
    """Return dy from `start` to `end` along `axis`."""
    limits = {"start": start, "end": end, "axis": axis}
    inputs = [back.builder.constant([v], f"{x.name}_grad.{k}") for k, v in limits.items()]
    return back.op("Slice", back.dy[0], *inputs, of=x)


def lower(low: Lowering, node: ir.Node) -> None:
    """Move each input to its part of the output."""
    axis, y = axis_of(node), node.outputs[0]
    order = joined_order(low, node, axis)
    low.output(y, packed(static_shape(y, node), order), low.view(node.inputs[0]).dtype)
    target, index = low.view(y), [0] * len(order)
    for x in node.inputs:
        shape = static_shape(x, node)
        low.move(node, shape, low.view(x), target.at(index))
        index[axis] += shape[axis]


def joined_order(low: Lowering, node: ir.Node, axis: int) -> list[int]:
    """Return the order of the output's axes in memory.

    It is that of the first input with more than one element along `axis`: an input with one element there
    does not determine the axis's position. If all inputs have one, the order is row-major if the first
    input can be read in that order.
    """
    parts = [(static_shape(x, node), low.view(x).strides) for x in node.inputs]
    shape, strides = next(((shape, strides) for shape, strides in parts if shape[axis] > 1), parts[0])
    if shape[axis] == 1 and same_walk(shape, strides, contiguous(shape)):
        return list(range(len(shape)))
    return physical_order(shape, strides)


OPERATORS = [Operator("Concat", gradient, lower, any_type=True, any_width=True)]
