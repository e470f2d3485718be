"""Split: each output is a view of a part of the input.

dx joins the gradients of the parts, 0 if none arrives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.graph import DOMAIN, attribute, normalize_axis, static_shape
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def axis_of(node: ir.Node) -> int:
    """Return the node's axis, counted from 0."""
    return normalize_axis(attribute(node, "axis", 0), node.inputs[0], node)


def gradient(back: Backward) -> Gradients:
    """Return dx: the gradients of the parts joined, 0 if none arrives."""
    x = back.node.inputs[0]
    outputs = zip(back.dy, back.node.outputs, strict=True)
    parts = [dy if dy is not None else back.op("ZerosLike", y, of=x, domain=DOMAIN) for dy, y in outputs]
    return [back.op("Concat", *parts, of=x, axis=axis_of(back.node)), None]


def lower(low: Lowering, node: ir.Node) -> None:
    """Make each output a view of its part of the input."""
    x, axis = low.view(node.inputs[0]), axis_of(node)
    index = [0] * len(x.strides)
    for y in node.outputs:
        low.set_view(y, x.at(index))
        index[axis] += static_shape(y, node)[axis]


def lower_zeros_like(low: Lowering, node: ir.Node) -> None:
    """Make the output a view of one constant 0; read with strides, it needs no memory."""
    low.place(node.outputs[0], low.scalar(0.0), [0] * len(static_shape(node.outputs[0], node)))


ZEROS_LIKE = """
ZerosLike (X) => (Y) {
  shape = Shape (X)
  Y = ConstantOfShape (shape)
}"""

OPERATORS = [
    Operator(
        "Split", gradient, lower, any_type=True, any_width=True, any_exponent=True, any_output=True, constants=(1,)
    ),
    Operator("ZerosLike", None, lower_zeros_like, DOMAIN, ZEROS_LIKE),
]
