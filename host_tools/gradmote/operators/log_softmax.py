"""LogSoftmax along an axis: dx = dy - exp(y) sum(dy)."""

from ..ir.generated.instructions import LogSoftmax, LogSoftmaxGrad
from ..ir.graph import DOMAIN
from .along_axis import gradient_along_axis, lower_along_axis
from .operator import Operator

GRAD = """
LogSoftmaxGrad <axes: ints> (dY, Y) => (dX) {
  axes_input = Constant <value_ints: ints = @axes> ()
  total = ReduceSum <keepdims = 1> (dY, axes_input)
  probability = Exp (Y)
  share = Mul (probability, total)
  dX = Sub (dY, share)
}"""

OPERATORS = [
    Operator("LogSoftmax", gradient_along_axis("LogSoftmaxGrad"), lower_along_axis(LogSoftmax)),
    Operator("LogSoftmaxGrad", None, lower_along_axis(LogSoftmaxGrad), DOMAIN, GRAD),
]
