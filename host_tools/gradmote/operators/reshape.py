"""Reshape, Flatten, Squeeze and Unsqueeze: the same bytes under another shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.graph import static_shape
from ..ir.strides import reshaped
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def gradient(back: Backward) -> Gradients:
    """Return dx: dy in the shape of x."""
    x = back.node.inputs[0]
    shape = back.builder.op("Shape", x, name=f"{x.name}_grad.shape")
    return [back.op("Reshape", back.dy[0], shape, of=x), None]


def lower(low: Lowering, node: ir.Node) -> None:
    """Make the output a view of the input if strides can express the new shape.

    Else it is an alias of the row-major input, which is copied if need be.
    """
    x, y = node.inputs[0], node.outputs[0]
    view = low.view(x)
    strides = reshaped(static_shape(x, node), view.strides, static_shape(y, node))
    if strides is None:
        low.alias(y, x)
    else:
        low.set_view(y, view.with_strides(strides))


OPERATORS = [
    Operator(name, gradient, lower, any_type=True, any_width=True, any_exponent=True, constants=(1,))
    for name in ("Reshape", "Flatten", "Squeeze", "Unsqueeze")
]
