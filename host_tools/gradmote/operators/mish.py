"""Mish: y = x t, t = tanh(softplus(x)). dx = dy (t + x sigmoid(x) (1 - t^2))."""

from ..ir.generated.instructions import Mish, MishGrad
from ..ir.graph import DOMAIN
from .elementwise import gradient_op, lower_flat
from .operator import Operator

GRAD = """
MishGrad (dY, X) => (dX) {
  one = Constant <value_float = 1.0> ()
  softplus = Softplus (X)
  t = Tanh (softplus)
  square = Mul (t, t)
  complement = Sub (one, square)
  s = Sigmoid (X)
  product = Mul (X, s)
  change = Mul (product, complement)
  slope = Add (t, change)
  dX = Mul (dY, slope)
}"""

OPERATORS = [
    Operator("Mish", gradient_op("MishGrad"), lower_flat(Mish)),
    Operator("MishGrad", None, lower_flat(MishGrad), DOMAIN, GRAD),
]
