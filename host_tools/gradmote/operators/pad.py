"""Pad with a constant: the output is filled with it, then x is copied into its middle.

dx is the middle of dy. Pads below 0 cut instead; their gradient is 0 there. The modes edge, reflect
and wrap select positions along each axis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.graph import attribute, constant_array, describe, normalize_axis, rank, static_shape
from ..ir.strides import packed, physical_order
from .constants import given, integers, known_dim
from .operator import Backward, Gradients, Operator
from .selection import Table, known_dims, put_back, take

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

#: The end of a Slice that takes all elements to the last.
END = 2**63 - 1


def pads_of(node: ir.Node) -> tuple[list[int], list[int]]:
    """Return the numbers of elements added before and after, for each axis of x.

    A negative number says how many elements are removed.
    """
    x = node.inputs[0]
    n = rank(x, node)
    pads = integers(node, 1, "pads") or []
    axes = [normalize_axis(a, x, node) for a in integers(node, 3, "axes") or range(n)]
    before, after = [0] * n, [0] * n
    for axis, front, back in zip(axes, pads[: len(axes)], pads[len(axes) :], strict=True):
        before[axis], after[axis] = front, back
    return before, after


def filler(node: ir.Node) -> float:
    """Return the constant input `value`; 0 by default.

    Raises:
        UnsupportedOperator: The value is computed.
    """
    value = given(node, 2)
    array = constant_array(value)
    if value is not None and array is None:
        raise UnsupportedOperator("Pad with a computed value", "make the value constant", describe(node))
    return 0.0 if array is None else float(array)


def is_constant(node: ir.Node) -> bool:
    """Return whether the mode is constant."""
    return attribute(node, "mode", "constant") == "constant"


def tables(node: ir.Node) -> dict[int, Table]:
    """Return for each padded axis the position that each output repeats."""
    chosen = {}
    for axis, (before, after) in enumerate(zip(*pads_of(node), strict=True)):
        if before or after:
            chosen[axis] = Table(positions_of(node, axis, before, after))
    return chosen


def positions_of(node: ir.Node, axis: int, before: int, after: int) -> np.ndarray:
    """Return the input's position for each output along one axis.

    Negative pads cut the axis; the mode repeats the rest of it.
    """
    left = remaining_range(node, axis, known_dim(node.inputs[0], axis, node), before, after)
    around = np.arange(min(-before, 0), len(left) + max(after, 0))
    return left.start + repeated(around, len(left), attribute(node, "mode"))


def remaining_range(node: ir.Node, axis: int, dim: int, before: int, after: int) -> range:
    """Return the positions that negative pads leave.

    Raises:
        UnsupportedOperator: No position is left.
    """
    left = range(max(-before, 0), dim + min(after, 0))
    if not left:
        raise UnsupportedOperator(
            f"Pad that cuts all of the {dim} elements along axis {axis} of '{node.inputs[0].name}'",
            "use pads that leave some",
            describe(node),
        )
    return left


def repeated(positions: np.ndarray, dim: int, mode: str) -> np.ndarray:
    """Return positions outside of 0 .. dim-1 brought inside by the mode edge, wrap or reflect."""
    if mode == "edge":
        return np.clip(positions, 0, dim - 1)
    if mode == "wrap":
        return positions % dim
    period = max(2 * (dim - 1), 1)
    return np.minimum(positions % period, period - positions % period) if dim > 1 else 0 * positions


def gradient(back: Backward) -> Gradients:
    """Return dx: the middle of dy, or each dy added at the position that it repeated."""
    if is_constant(back.node):
        return gradient_of_constant(back)
    dx, shape = back.dy[0], known_dims(back.node.outputs[0])
    for axis, table in reversed(tables(back.node).items()):
        shape[axis] = known_dim(back.node.inputs[0], axis, back.node)
        dx = put_back(back, dx, shape, axis, table)
    return [dx, None, None, None]


def gradient_of_constant(back: Backward) -> Gradients:
    """Return dx for mode constant: dy cut at the pads of x, and padded by 0 at the cuts of x."""
    x, dx = back.node.inputs[0], back.dy[0]
    before, after = pads_of(back.node)
    if max(*before, *after) > 0:
        starts, ends = [max(b, 0) for b in before], [-a if a > 0 else END for a in after]
        limits = [back.builder.constant(v, f"{x.name}_grad.{k}") for k, v in (("starts", starts), ("ends", ends))]
        dx = back.op("Slice", dx, *limits, of=x)
    if min(*before, *after) < 0:
        pads = np.maximum(np.negative([*before, *after]), 0)
        dx = back.op("Pad", dx, back.builder.constant(pads, f"{x.name}_grad.pads"), of=x)
    return [dx, None, None, None]


def lower(low: Lowering, node: ir.Node) -> None:
    """Fill and copy for mode constant; else emit one GATHER for each padded axis."""
    if is_constant(node):
        lower_constant(low, node)
        return
    view, shape = low.view(node.inputs[0]), list(static_shape(node.inputs[0], node))
    for axis, table in tables(node).items():
        view, shape = take(low, node, view, shape, axis, table)
    low.set_view(node.outputs[0], view)


def lower_constant(low: Lowering, node: ir.Node) -> None:
    """Fill the output if it is larger than x, then copy the remainder of x into it."""
    x, y = low.view(node.inputs[0]), node.outputs[0]
    shape, (before, after) = static_shape(node.inputs[0], node), pads_of(node)
    left = [remaining_range(node, axis, *sizes) for axis, sizes in enumerate(zip(shape, before, after, strict=True))]
    low.output(y, packed(static_shape(y, node), physical_order(shape, x.strides)), x.dtype if x.is_narrow else "")
    target = low.view(y)
    if max(*before, *after) > 0:
        low.fill(node, target.ref, filler(node), target.dtype)
    low.move(node, [len(r) for r in left], x.at([r.start for r in left]), target.at([max(b, 0) for b in before]))


OPERATORS = [Operator("Pad", gradient, lower, any_width=True, constants=(1, 2, 3))]
