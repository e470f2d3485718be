"""Sigmoid: y = 1 / (1 + exp(-x)). dx = dy y (1 - y)."""

from ..ir.generated.instructions import Sigmoid, SigmoidGrad
from ..ir.graph import DOMAIN
from .elementwise import gradient_op, lower_flat
from .operator import Operator

GRAD = """
SigmoidGrad (dY, Y) => (dX) {
  one = Constant <value_float = 1.0> ()
  complement = Sub (one, Y)
  slope = Mul (Y, complement)
  dX = Mul (dY, slope)
}"""

OPERATORS = [
    Operator("Sigmoid", gradient_op("SigmoidGrad", "y"), lower_flat(Sigmoid)),
    Operator("SigmoidGrad", None, lower_flat(SigmoidGrad), DOMAIN, GRAD),
]
