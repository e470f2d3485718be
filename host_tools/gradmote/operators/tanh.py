"""Tanh: dx = dy (1 - y^2)."""

from ..ir.generated.instructions import Tanh, TanhGrad
from ..ir.graph import DOMAIN
from .elementwise import gradient_op, lower_flat
from .operator import Operator

GRAD = """
TanhGrad (dY, Y) => (dX) {
  one = Constant <value_float = 1.0> ()
  square = Mul (Y, Y)
  slope = Sub (one, square)
  dX = Mul (dY, slope)
}"""

OPERATORS = [
    Operator("Tanh", gradient_op("TanhGrad", "y"), lower_flat(Tanh)),
    Operator("TanhGrad", None, lower_flat(TanhGrad), DOMAIN, GRAD),
]
