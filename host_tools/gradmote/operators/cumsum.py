"""CumSum along a constant axis; dx is the cumulative sum of dy from the other end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.generated.instructions import Cumsum
from ..ir.graph import attribute, normalize_axis, static_shape
from ..ir.strides import physical_order
from .constants import integer
from .operator import Backward, Gradients, Operator
from .selection import around, gapless

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def gradient(back: Backward) -> Gradients:
    """Return dx, the cumulative sum of dy with `reverse` inverted."""
    x, axis = back.node.inputs
    exclusive, reverse = (attribute(back.node, name, 0) for name in ("exclusive", "reverse"))
    return [back.op("CumSum", back.dy[0], axis, of=x, exclusive=exclusive, reverse=1 - reverse), None]


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one CUMSUM; y has the strides of x."""
    shape = static_shape(node.inputs[0], node)
    axis = normalize_axis(integer(node, 1, "axis"), node.inputs[0], node)
    x = gapless(low, node, low.view(node.inputs[0]), shape)
    made = Cumsum(
        x=x.ref,
        y=low.output(node.outputs[0], x.strides),
        **around(shape, physical_order(shape, x.strides), axis),
        exclusive=bool(attribute(node, "exclusive", 0)),
        reverse=bool(attribute(node, "reverse", 0)),
    )
    low.emit(node, made)


OPERATORS = [Operator("CumSum", gradient, lower, constants=(1,))]
