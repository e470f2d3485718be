"""Gather along one axis; its gradient adds each element of dy at the position that y came from.

An embedding is an example. Constant, evenly spaced positions are a view. The device checks indices
that are data, in each run.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..errors import ModelError
from ..ir.generated.instructions import Gather, ScatterAdd, WeightedScatterAdd
from ..ir.graph import DOMAIN, attribute, constant_array, describe, normalize_axis, static_shape
from ..ir.strides import contiguous, packed, physical_order
from .operator import Backward, Gradients, Operator
from .selection import UNKNOWN, around, gapless, gather_grad, known_dims, product

if TYPE_CHECKING:
    from ..ir.lowering import Lowering, View


def axis_of(node: ir.Node) -> int:
    """Return the node's axis, counted from 0."""
    return normalize_axis(attribute(node, "axis", 0), node.inputs[0], node)


def gradient(back: Backward) -> Gradients:
    """Return dx: each element of dy, added at the index that it came from."""
    x, indices = back.node.inputs
    if known_dims(x) == [UNKNOWN]:
        return [flat_gradient(back, x, indices), None]
    count = product(known_dims(indices))
    return [gather_grad(back, back.dy[0], indices, known_dims(x), axis_of(back.node), count), None]


def flat_gradient(back: Backward, x: ir.Value, indices: ir.Value) -> ir.Value:
    """Return dx of a vector whose length depends on the batch: GatherElements' gradient, which reads it from x."""
    everything = back.builder.constant([-1], f"{x.name}_grad.all")
    dy, places = (back.op("Reshape", value, everything, of=x) for value in (back.dy[0], indices))
    return back.op("GatherElementsGrad", dy, places, x, of=x, domain=DOMAIN, axis=0)


def lower(low: Lowering, node: ir.Node) -> None:
    """Make the output a view, or emit one GATHER.

    It is a view if the positions are constant and evenly spaced.
    """
    x, indices = node.inputs
    axis, shape, index_shape = axis_of(node), static_shape(x, node), static_shape(indices, node)
    view, y = low.view(x), node.outputs[0]
    positions = known_positions(node, indices, shape[axis])
    stride = distance(positions)
    if positions is not None and stride is not None:
        part = view.at([positions[0] if a == axis else 0 for a in range(len(shape))])
        index_strides = [s * stride * view.strides[axis] for s in contiguous(index_shape)]
        low.set_view(y, part.with_strides([*part.strides[:axis], *index_strides, *part.strides[axis + 1 :]]))
        return
    view = gapless(low, node, view, shape)
    order = physical_order(shape, view.strides)
    layout = packed(static_shape(y, node), with_index_axes(order, axis, len(index_shape)))
    made = Gather(
        x=view.ref,
        indices=low.ref(indices),
        y=low.output(y, layout),
        count=math.prod(index_shape),
        **around(shape, order, axis),
    )
    low.emit(node, made)


def known_positions(node: ir.Node, indices: ir.Value, size: int) -> list[int] | None:
    """Return constant indices, counted from the front, or None if they are data.

    Raises:
        ModelError: An index is out of range.
    """
    array = constant_array(indices)
    if array is None:
        return None
    if array.min() < -size or array.max() >= size:
        raise ModelError(f"indices {array.tolist()} leave an axis of size {size}", "", describe(node))
    return [int(i) % size for i in array.reshape(-1)]


def distance(positions: list[int] | None) -> int | None:
    """Return the distance of adjacent positions, or None.

    It is None if the distance varies or is negative.
    """
    if positions is None:
        return None
    strides = set(np.diff(positions).tolist()) or {0}
    stride = strides.pop()
    return stride if not strides and stride >= 0 else None


def with_index_axes(order: list[int], axis: int, count: int) -> list[int]:
    """Return the order of the output's axes in memory.

    The axes of the indices replace the selected axis.
    """
    moved = [[a] if a < axis else [a + count - 1] for a in range(len(order))]
    moved[axis] = list(range(axis, axis + count))
    return [new for old in order for new in moved[old]]


def lower_grad(low: Lowering, node: ir.Node) -> None:
    """Fill dx with 0, then add dy at its indices."""
    dy, indices = node.inputs[:2]
    dx = node.outputs[0]
    shape, axis = static_shape(dx, node), attribute(node, "axis")
    target = low.output(dx)
    low.fill(node, target, 0.0)
    positions = known_positions(node, indices, shape[axis])
    stride = distance(positions)
    if positions is not None and stride:
        put_part(low, node, low.view(dx), axis, positions[0], stride)
        return
    made = ScatterAdd(
        dy=low.ref(dy),
        indices=low.ref(indices),
        dx=target,
        count=low.elements(indices),
        **around(shape, range(len(shape)), axis),
    )
    low.emit(node, made)


def put_part(low: Lowering, node: ir.Node, dx: View, axis: int, first: int, stride: int) -> None:
    """Copy dy to evenly spaced positions; they are all different, so nothing adds up."""
    n = len(dx.strides)
    part = dx.at([first if a == axis else 0 for a in range(n)], [stride if a == axis else 1 for a in range(n)])
    rows = attribute(node, "rows")
    shape = [rows[1] if a == axis else d for a, d in enumerate(static_shape(node.outputs[0], node))]
    from ..ir.lowering import View

    low.move(node, shape, View(low.ref(node.inputs[0]), contiguous(shape)), part)


def lower_weighted_grad(low: Lowering, node: ir.Node) -> None:
    """Fill dx with 0, then emit one WEIGHTED_SCATTER_ADD."""
    dy, indices, weights = node.inputs
    shape, axis = static_shape(node.outputs[0], node), attribute(node, "axis")
    target = low.output(node.outputs[0])
    low.fill(node, target, 0.0)
    count, taps = static_shape(indices, node)
    made = WeightedScatterAdd(
        dy=low.ref(dy),
        indices=low.ref(indices),
        weights=low.ref(weights),
        dx=target,
        count=count,
        taps=taps,
        **around(shape, range(len(shape)), axis),
    )
    low.emit(node, made)


GRAD = """
GatherGrad <rows: ints, dims: ints, axis: int, depth: int> (dY, indices) => (dX) {
  rows_input = Constant <value_ints: ints = @rows> ()
  dims_input = Constant <value_ints: ints = @dims> ()
  depth_input = Constant <value_int: int = @depth> ()
  off_on = Constant <value_floats = [0.0, 1.0]> ()
  all = Constant <value_ints = [-1]> ()
  dy_rows = Reshape (dY, rows_input)
  flat = Reshape (indices, all)
  places = Cast <to = 7> (flat)
  one_hot = OneHot <axis = 0> (places, depth_input, off_on)
  dx_rows = MatMul (one_hot, dy_rows)
  dX = Reshape (dx_rows, dims_input)
}"""

WEIGHTED_GRAD = """
WeightedGatherGrad <rows: ints, dims: ints, axis: int, depth: int> (dY, indices, weights) => (dX) {
  rows_input = Constant <value_ints: ints = @rows> ()
  dims_input = Constant <value_ints: ints = @dims> ()
  depth_input = Constant <value_int: int = @depth> ()
  off_on = Constant <value_floats = [0.0, 1.0]> ()
  taps = Constant <value_ints = [2]> ()
  dy_rows = Reshape (dY, rows_input)
  one_hot = OneHot <axis = 0> (indices, depth_input, off_on)
  weighted = Mul (one_hot, weights)
  matrix = ReduceSum <keepdims = 0> (weighted, taps)
  dx_rows = MatMul (matrix, dy_rows)
  dX = Reshape (dx_rows, dims_input)
}"""

OPERATORS = [
    Operator("Gather", gradient, lower, any_type=True),
    Operator("GatherGrad", None, lower_grad, DOMAIN, GRAD),
    Operator("WeightedGatherGrad", None, lower_weighted_grad, DOMAIN, WEIGHTED_GRAD),
]
