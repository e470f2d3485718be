"""Softplus: y = log(1 + exp(x)). dx = dy sigmoid(x)."""

from ..ir.generated.instructions import Softplus, SoftplusGrad
from ..ir.graph import DOMAIN
from .elementwise import gradient_op, lower_flat
from .operator import Operator

GRAD = """
SoftplusGrad (dY, X) => (dX) {
  slope = Sigmoid (X)
  dX = Mul (dY, slope)
}"""

OPERATORS = [
    Operator("Softplus", gradient_op("SoftplusGrad"), lower_flat(Softplus)),
    Operator("SoftplusGrad", None, lower_flat(SoftplusGrad), DOMAIN, GRAD),
]
