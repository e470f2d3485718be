"""LogSoftmax along an axis: dx = dy - exp(y) sum(dy)."""

from ..graph import DOMAIN, attribute
from .along_axis import lower_along_axis
from .operator import Backward, Operator


def gradient(back: Backward):
    axis = attribute(back.node, "axis", -1)
    return [
        back.op("LogSoftmaxGrad", back.dy[0], back.node.outputs[0], of=back.node.inputs[0], domain=DOMAIN, axis=axis)
    ]


GRAD = """
LogSoftmaxGrad <axis: int = -1> (dY, Y) => (dX) {
  axis_scalar = Constant <value_int: int = @axis> ()
  one = Constant <value_ints = [1]> ()
  axes = Reshape (axis_scalar, one)
  total = ReduceSum <keepdims = 1> (dY, axes)
  probability = Exp (Y)
  share = Mul (probability, total)
  dX = Sub (dY, share)
}"""

OPERATORS = [
    Operator("LogSoftmax", gradient, lower_along_axis("LOG_SOFTMAX", "x", "y")),
    Operator("LogSoftmaxGrad", None, lower_along_axis("LOG_SOFTMAX_GRAD", "dy", "y", "dx"), DOMAIN, GRAD),
]
