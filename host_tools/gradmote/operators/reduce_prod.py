"""ReduceProd over one axis; the pass rewrite_reductions splits a node over several axes.

dx is dy times the product of all other elements, without a division by x, which may be 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.generated.instructions import ReduceProd, ReduceProdGrad
from ..ir.graph import DOMAIN, attribute, describe, static_shape
from .constants import known_dim
from .operator import Backward, Gradients, Operator
from .reduce_sum import AXES_INPUT_OPSET, kept_dims, reduced_axes
from .selection import known_dims
from .softmax import split_at

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def only_axis(node: ir.Node) -> int:
    """Return the one reduced axis.

    Raises:
        UnsupportedOperator: The node reduces several axes.
    """
    axes = reduced_axes(node)
    if len(axes) != 1:
        raise UnsupportedOperator("ReduceProd over several axes in a loss", "use one for each axis", describe(node))
    return axes[0]


def gradient(back: Backward) -> Gradients:
    """Return dx = dy times the product of all other elements along the axis."""
    x, axis = back.node.inputs[0], only_axis(back.node)
    size = known_dim(x, axis, back.node)
    behind = [1] * (len(known_dims(x)) - axis - 1)
    attributes = {"axes": [axis], "pairs": [axis + 1], "ones_shape": [size, size, *behind], "square": [size, size]}
    op_type = "ReduceProdGrad" if back.builder.graph.opset_imports[""] >= AXES_INPUT_OPSET else "ReduceProdGrad13"
    return [back.op(op_type, kept_dims(back, back.dy[0]), x, of=x, domain=DOMAIN, **attributes), None]


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one REDUCE_PROD."""
    x, axis = node.inputs[0], only_axis(node)
    sizes = split_at(static_shape(x, node), axis)
    low.emit(node, ReduceProd(x=low.ref(x), y=low.output(node.outputs[0]), **sizes))


def lower_grad(low: Lowering, node: ir.Node) -> None:
    """Emit one REDUCE_PROD_GRAD."""
    dy, x = node.inputs
    (axis,) = attribute(node, "axes")
    sizes = split_at(static_shape(x, node), axis)
    low.emit(node, ReduceProdGrad(dy=low.ref(dy), x=low.ref(x), dx=low.output(node.outputs[0]), **sizes))


def body(op_type: str, attributes: str, inputs: str) -> str:
    """Return the gradient in standard ONNX.

    Each element is paired with all elements along its axis, with itself replaced by 1.
    """
    return f"""
{op_type} <axes: ints, pairs: ints, ones_shape: ints, square: ints> (dY, X) => (dX) {{
  axes_input = Constant <value_ints: ints = @axes> ()
  pairs_input = Constant <value_ints: ints = @pairs> ()
  square_input = Constant <value_ints: ints = @square> ()
  aligned = Constant <value_ints: ints = @ones_shape> ()
  one = Constant <value_float = 1.0> ()
  whole = ConstantOfShape <value = float[1] {{1.0}}> (square_input)
  diagonal = EyeLike (whole)
  self = Cast <to = 9> (diagonal)
  self_aligned = Reshape (self, aligned)
  lines = Unsqueeze (X, axes_input)
  others = Where (self_aligned, one, lines)
  product = ReduceProd <{attributes}> ({inputs})
  dX = Mul (dY, product)
}}"""


#: Before AXES_INPUT_OPSET, axes are an attribute of ReduceProd.
GRAD = body("ReduceProdGrad", "keepdims = 0", "others, pairs_input")
GRAD_13 = body("ReduceProdGrad13", "keepdims = 0, axes: ints = @pairs", "others")

OPERATORS = [
    Operator("ReduceProd", gradient, lower, constants=(1,)),
    Operator("ReduceProdGrad", None, lower_grad, DOMAIN, GRAD),
    Operator("ReduceProdGrad13", None, lower_grad, DOMAIN, GRAD_13),
]
