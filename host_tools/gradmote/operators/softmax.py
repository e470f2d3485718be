"""Softmax along an axis: dx = y (dy - sum(dy y))."""

from ..graph import DOMAIN, attribute
from .along_axis import lower_along_axis
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    axis = attribute(back.node, "axis", -1)
    return [
        back.op("SoftmaxGrad", back.dy[0], back.node.outputs[0], of=back.node.inputs[0], domain=DOMAIN, axes=[axis])
    ]


GRAD = """
SoftmaxGrad <axes: ints> (dY, Y) => (dX) {
  axes_input = Constant <value_ints: ints = @axes> ()
  product = Mul (dY, Y)
  total = ReduceSum <keepdims = 1> (product, axes_input)
  centred = Sub (dY, total)
  dX = Mul (Y, centred)
}"""

OPERATORS = [
    Operator("Softmax", gradient, lower_along_axis("SOFTMAX", "x", "y")),
    Operator("SoftmaxGrad", None, lower_along_axis("SOFTMAX_GRAD", "dy", "y", "dx"), DOMAIN, GRAD),
]
