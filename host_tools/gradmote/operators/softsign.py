"""Softsign: y = x / (1 + |x|). dx = dy / (1 + |x|)^2."""

from ..ir.generated.instructions import Softsign, SoftsignGrad
from ..ir.graph import DOMAIN
from .elementwise import gradient_op, lower_flat
from .operator import Operator

GRAD = """
SoftsignGrad (dY, X) => (dX) {
  one = Constant <value_float = 1.0> ()
  magnitude = Abs (X)
  divisor = Add (one, magnitude)
  square = Mul (divisor, divisor)
  dX = Div (dY, square)
}"""

OPERATORS = [
    Operator("Softsign", gradient_op("SoftsignGrad"), lower_flat(Softsign)),
    Operator("SoftsignGrad", None, lower_flat(SoftsignGrad), DOMAIN, GRAD),
]
