"""Abs: y = |x|. dx = dy sign(x), 0 at 0."""

from ..ir.generated.instructions import Abs, AbsGrad
from ..ir.graph import DOMAIN
from .elementwise import gradient_op, lower_flat
from .operator import Operator

GRAD = """
AbsGrad (dY, X) => (dX) {
  sign = Sign (X)
  dX = Mul (dY, sign)
}"""

OPERATORS = [
    Operator("Abs", gradient_op("AbsGrad"), lower_flat(Abs)),
    Operator("AbsGrad", None, lower_flat(AbsGrad), DOMAIN, GRAD),
]
