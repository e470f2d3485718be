"""ReduceMeanGrad with 16-bit gradients: dx = dy / count, broadcast to the shape of x."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import onnx_ir as ir

from ...ir.generated.instructions import AddS16
from ...ir.graph import static_shape
from ..reduce_mean import lower_grad
from .values import MOST, is_int16, like, make, named, read, walk

if TYPE_CHECKING:
    from ...ir.lowering import Lowering


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one ADD_S16 of dy alone, scaled by 1 / count; dx has the layout of x."""
    dy, x = node.inputs
    if not is_int16(low, dy):
        low.any_exponent = False
        lower_grad(low, node)
        return
    emit(low, node, dy, x)


def emit(low: Lowering, node: ir.Node, dy: ir.Value, x: ir.Value) -> None:
    """Emit one ADD_S16 of each element's share of dy."""
    layout, source, shape = like(low, x), read(low, node, dy), static_shape(dy)
    dims, (a,) = walk(node, layout, (shape, source.strides))
    made = make(low, node.outputs[0], layout)
    share = AddS16(
        a=source.ref, a_exponent=source.exponent,
        scale=low.scalar(math.prod(shape) / math.prod(static_shape(node.outputs[0]))),
        y=made.ref, exponent=made.exponent,
        **dims, **named("a", a), **named("b", [0] * 4), **named("s", [0] * 4), low=-128, high=127, limit=MOST,
    )  # fmt: skip
    low.emit(node, share)
