"""Pad with a constant: the output is filled with it, then x is copied into its middle. dx = the middle of dy.

Pads below 0 cut instead; their gradient is 0 there. The modes edge, reflect and wrap select positions along each axis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..compiler.strides import packed, physical_order
from ..errors import UnsupportedOperator
from ..model.graph import attribute, constant_array, describe, normalize_axis, rank, static_shape
from .constants import given, integers, known_dim
from .operator import Backward, Gradients, Operator
from .selection import Table, known_dims, put_back, take

if TYPE_CHECKING:
    from ..compiler.lowering import Lowering

#: A Slice's end behind every element.
END = 2**63 - 1


def pads_of(node: ir.Node) -> tuple[list[int], list[int]]:
    """Elements added before and after, for each axis of x; below 0: taken away."""
    x = node.inputs[0]
    n = rank(x, node)
    pads = integers(node, 1, "pads") or []
    axes = [normalize_axis(a, x, node) for a in integers(node, 3, "axes") or range(n)]
    before, after = [0] * n, [0] * n
    for axis, front, back in zip(axes, pads[: len(axes)], pads[len(axes) :], strict=True):
        before[axis], after[axis] = front, back
    return before, after


def filler(node: ir.Node) -> float:
    """The constant input `value`; 0 by default."""
    value = given(node, 2)
    array = constant_array(value)
    if value is not None and array is None:
        raise UnsupportedOperator("Pad with a value that is computed", "make the value constant", describe(node))
    return 0.0 if array is None else float(array)


def is_constant(node: ir.Node) -> bool:
    return attribute(node, "mode", "constant") == "constant"


def tables(node: ir.Node) -> dict[int, Table]:
    """For each padded axis, the position that each output repeats."""
    chosen = {}
    for axis, (before, after) in enumerate(zip(*pads_of(node), strict=True)):
        if before or after:
            chosen[axis] = Table(positions_of(node, axis, before, after))
    return chosen


def positions_of(node: ir.Node, axis: int, before: int, after: int) -> np.ndarray:
    """The positions along one axis: what pads below 0 leave of it, repeated by the others."""
    left = what_is_left(node, axis, known_dim(node.inputs[0], axis, node), before, after)
    around = np.arange(min(-before, 0), len(left) + max(after, 0))
    return left.start + repeated(around, len(left), attribute(node, "mode"))


def what_is_left(node: ir.Node, axis: int, dim: int, before: int, after: int) -> range:
    """The positions that pads below 0 do not cut. Raises UnsupportedOperator where there are none."""
    left = range(max(-before, 0), dim + min(after, 0))
    if not left:
        raise UnsupportedOperator(
            f"Pad that cuts all of the {dim} elements along axis {axis} of '{node.inputs[0].name}'",
            "use pads that leave some",
            describe(node),
        )
    return left


def repeated(positions: np.ndarray, dim: int, mode: str) -> np.ndarray:
    """Positions outside of 0 .. dim-1 brought inside."""
    if mode == "edge":
        return np.clip(positions, 0, dim - 1)
    if mode == "wrap":
        return positions % dim
    period = max(2 * (dim - 1), 1)
    return np.minimum(positions % period, period - positions % period) if dim > 1 else 0 * positions


def gradient(back: Backward) -> Gradients:
    if is_constant(back.node):
        return gradient_of_constant(back)
    dx, shape = back.dy[0], known_dims(back.node.outputs[0])
    for axis, table in reversed(tables(back.node).items()):
        shape[axis] = known_dim(back.node.inputs[0], axis, back.node)
        dx = put_back(back, dx, shape, axis, table)
    return [dx, None, None, None]


def gradient_of_constant(back: Backward) -> Gradients:
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
    if is_constant(node):
        lower_constant(low, node)
        return
    view, shape = low.view(node.inputs[0]), list(static_shape(node.inputs[0], node))
    for axis, table in tables(node).items():
        view, shape = take(low, node, view, shape, axis, table)
    low.set_view(node.outputs[0], view.ref, view.strides)


def lower_constant(low: Lowering, node: ir.Node) -> None:
    x, y = low.view(node.inputs[0]), node.outputs[0]
    shape, (before, after) = static_shape(node.inputs[0], node), pads_of(node)
    left = [what_is_left(node, axis, *sizes) for axis, sizes in enumerate(zip(shape, before, after, strict=True))]
    low.output(y, packed(static_shape(y, node), physical_order(shape, x.strides)))
    target = low.view(y)
    if max(*before, *after) > 0:
        low.fill(node, target.ref, filler(node))
    low.move(node, [len(r) for r in left], x.at([r.start for r in left]), target.at([max(b, 0) for b in before]))


OPERATORS = [Operator("Pad", gradient, lower, constants=(1, 2, 3))]
