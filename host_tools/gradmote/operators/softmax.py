"""Softmax along an axis: dx = y (dy - sum(dy y))."""

from ..ir.generated.instructions import Softmax, SoftmaxGrad
from ..ir.graph import DOMAIN
from .along_axis import gradient_along_axis, lower_along_axis
from .operator import Operator

GRAD = """
SoftmaxGrad <axes: ints> (dY, Y) => (dX) {
  axes_input = Constant <value_ints: ints = @axes> ()
  product = Mul (dY, Y)
  total = ReduceSum <keepdims = 1> (product, axes_input)
  centred = Sub (dY, total)
  dX = Mul (Y, centred)
}"""

OPERATORS = [
    Operator("Softmax", gradient_along_axis("SoftmaxGrad"), lower_along_axis(Softmax)),
    Operator("SoftmaxGrad", None, lower_along_axis(SoftmaxGrad), DOMAIN, GRAD),
]
