"""Elements taken along one axis, by position or as weighted sums, and their gradient.

Forward and backward, with the taps t of output i:

    y[.., i, ..] = sum over t of weights[i,t] x[.., indices[i,t], ..]
    dx[.., indices[i,t], ..] += weights[i,t] dy[.., i, ..]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.generated.instructions import Gather, WeightedGather
from ..ir.graph import DOMAIN, describe, static_shape
from ..ir.strides import contiguous, is_gapless, packed, physical_order, same_walk
from .narrow_selection import take_narrow
from .operator import Backward

if TYPE_CHECKING:
    from ..ir.lowering import Lowering, View

#: An unknown dimension, in ONNX's own notation.
UNKNOWN = -1


@dataclass(frozen=True)
class Table:
    """Constant positions along an axis: indices (count) or, with weights, (count, taps)."""

    indices: np.ndarray
    weights: np.ndarray | None = None

    @property
    def count(self) -> int:
        """Return the number of outputs along the axis."""
        return len(self.indices)


# ---- forward


def take(
    low: Lowering, node: ir.Node, x: View, shape: Sequence[int], axis: int, table: Table
) -> tuple[View, list[int]]:
    """Emit the selection along one axis, and return its result and shape.

    The axes keep their order in memory.

    Raises:
        UnsupportedOperator: Elements of 1 or 2 bytes would be weighted.
    """
    if x.is_narrow:
        if table.weights is not None:
            raise UnsupportedOperator(
                f"{node.op_type} of {x.dtype} elements with weights",
                "put a DequantizeLinear before it, and a QuantizeLinear after it",
                describe(node),
            )
        return take_narrow(low, node, x, shape, axis, table.indices)
    indices = low.constant(table.indices.astype(np.int32).tobytes())
    x = gapless(low, node, x, shape)
    order = physical_order(shape, x.strides)
    taken = [table.count if a == axis else d for a, d in enumerate(shape)]
    y = low.scratch(f"{node.outputs[0].name}.axis_{axis}", taken, packed(taken, order))
    sizes = around(shape, order, axis)
    if table.weights is None:
        low.emit(node, Gather(x=x.ref, indices=indices, y=y.ref, count=table.count, **sizes))
        return y, taken
    weights, taps = low.constant(table.weights.astype(np.float32).tobytes()), table.indices.shape[1]
    made = WeightedGather(x=x.ref, indices=indices, weights=weights, y=y.ref, count=table.count, taps=taps, **sizes)
    low.emit(node, made)
    return y, taken


def gapless(low: Lowering, node: ir.Node, x: View, shape: Sequence[int]) -> View:
    """Return x if its elements fill their memory without gaps, else a row-major copy.

    The order of the axes in memory does not matter.
    """
    if is_gapless(shape, x.strides):
        return x
    copy = low.scratch(f"{node.outputs[0].name}.gapless", shape, contiguous(shape), x.dtype)
    low.move(node, shape, x, copy)
    return copy


def with_strides(low: Lowering, node: ir.Node, dy: ir.Value, strides: Sequence[int]) -> View:
    """Return dy if its elements have these strides, else a copy that has."""
    shape, view = static_shape(dy, node), low.view(dy)
    if same_walk(shape, view.strides, strides):
        return view
    copy = low.scratch(f"{node.outputs[0].name}.dy", shape, strides)
    low.move(node, shape, view, copy)
    return copy


class Around(TypedDict):
    """The numbers of elements before, at and after an axis."""

    outer: int
    size: int
    inner: int


def around(shape: Sequence[int], order: Sequence[int], axis: int) -> Around:
    """Return the numbers of elements before, at and after `axis` in memory."""
    position = list(order).index(axis)
    outer, inner = (math.prod(shape[a] for a in part) for part in (order[:position], order[position + 1 :]))
    return {"outer": outer, "size": shape[axis], "inner": inner}


# ---- backward


def known_dims(value: ir.Value) -> list[int]:
    """Return the value's dimensions, UNKNOWN for a symbolic one."""
    assert value.shape is not None
    return [d if isinstance(d, int) else UNKNOWN for d in value.shape]


def put_back(back: Backward, dy: ir.Value, shape: Sequence[int], axis: int, table: Table) -> ir.Value:
    """Return the gradient of a selection by constant positions.

    It has the shape `shape`, and is 0 at positions that were not selected.
    """
    x = back.node.inputs[0]
    indices = back.builder.constant(table.indices.astype(np.int64), f"{x.name}_grad.indices")
    if table.weights is None:
        return gather_grad(back, dy, indices, shape, axis, table.count)
    weights = back.builder.constant(table.weights.astype(np.float32), f"{x.name}_grad.weights")
    sizes = selection_sizes(back.node, shape, axis, table.count)
    return back.op("WeightedGatherGrad", dy, indices, weights, of=x, domain=DOMAIN, **sizes)


def gather_grad(
    back: Backward, dy: ir.Value, indices: ir.Value, shape: Sequence[int], axis: int, count: int
) -> ir.Value:
    """Return the gradient of a selection by `indices`, which may be data."""
    sizes = selection_sizes(back.node, shape, axis, count)
    return back.op("GatherGrad", dy, indices, of=back.node.inputs[0], domain=DOMAIN, **sizes)


def selection_sizes(node: ir.Node, shape: Sequence[int], axis: int, count: int) -> dict[str, object]:
    """Return the attributes of both gradient operators.

    They are dy as (outer, count, inner), the shape of dx, and the selected axis and its size.

    Raises:
        UnsupportedOperator: More than the batch is symbolic.
    """
    rows = [product(shape[:axis]), count, product(shape[axis + 1 :])]
    if rows.count(UNKNOWN) > 1 or list(shape).count(UNKNOWN) > 1 or shape[axis] == UNKNOWN:
        raise UnsupportedOperator(
            f"the gradient of {node.op_type} along axis {axis} of '{node.inputs[0].name}', of shape {list(shape)}",
            "export the model with fixed dimensions; only the batch may be symbolic",
            describe(node),
        )
    return {"rows": rows, "dims": list(shape), "axis": axis, "depth": shape[axis]}


def product(dims: Sequence[int]) -> int:
    """Return the product of dimensions, UNKNOWN if one is."""
    return UNKNOWN if UNKNOWN in dims else math.prod(dims)
