"""LogSoftmax along an axis: dx = dy - exp(y) sum(dy)."""

from ..graph import DOMAIN, attribute
from .along_axis import lower_along_axis
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    axis = attribute(back.node, "axis", -1)
    return [
        back.op("LogSoftmaxGrad", back.dy[0], back.node.outputs[0], of=back.node.inputs[0], domain=DOMAIN, axes=[axis])
    ]


GRAD = """
LogSoftmaxGrad <axes: ints> (dY, Y) => (dX) {
  axes_input = Constant <value_ints: ints = @axes> ()
  total = ReduceSum <keepdims = 1> (dY, axes_input)
  probability = Exp (Y)
  share = Mul (probability, total)
  dX = Sub (dY, share)
}"""

OPERATORS = [
    Operator("LogSoftmax", gradient, lower_along_axis("LOG_SOFTMAX", "x", "y")),
    Operator("LogSoftmaxGrad", None, lower_along_axis("LOG_SOFTMAX_GRAD", "dy", "y", "dx"), DOMAIN, GRAD),
]
