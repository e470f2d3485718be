"""Pad with a constant: the output is filled with it, then x is copied into its middle. dx = the middle of dy.

Pads below 0 cut instead; their gradient is 0 there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..graph import attribute, constant_array, describe, normalize_axis, rank, static_shape
from ..strides import packed, physical_order
from .constants import given, integers
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..lowering import Lowering

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


def require_constant_mode(node: ir.Node) -> None:
    mode = attribute(node, "mode", "constant")
    if mode != "constant":
        raise UnsupportedOperator(f"Pad in mode {mode}", "use mode constant", describe(node))


def gradient(back: Backward) -> Gradients:
    require_constant_mode(back.node)
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
    require_constant_mode(node)
    x, y = low.view(node.inputs[0]), node.outputs[0]
    shape, (before, after) = static_shape(node.inputs[0], node), pads_of(node)
    low.output(y, packed(static_shape(y, node), physical_order(shape, x.strides)))
    target = low.view(y)
    if max(*before, *after) > 0:
        low.fill(node, target.ref, filler(node))
    middle = [d + min(b, 0) + min(a, 0) for d, b, a in zip(shape, before, after, strict=True)]
    low.move(node, middle, x.at([max(-b, 0) for b in before]), target.at([max(b, 0) for b in before]))


OPERATORS = [Operator("Pad", gradient, lower)]
