"""Abs: y = |x|. dx = dy sign(x), 0 at 0."""

from ..model.graph import DOMAIN
from .elementwise import gradient_op, lower_flat
from .operator import Operator

GRAD = """
AbsGrad (dY, X) => (dX) {
  sign = Sign (X)
  dX = Mul (dY, sign)
}"""

OPERATORS = [
    Operator("Abs", gradient_op("AbsGrad"), lower_flat("ABS", "x", "y")),
    Operator("AbsGrad", None, lower_flat("ABS_GRAD", "dy", "x", "dx"), DOMAIN, GRAD),
]
