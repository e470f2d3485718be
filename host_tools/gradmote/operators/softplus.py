"""Softplus: y = log(1 + exp(x)). dx = dy sigmoid(x)."""

from ..model.graph import DOMAIN
from .elementwise import gradient_op, lower_flat
from .operator import Operator

GRAD = """
SoftplusGrad (dY, X) => (dX) {
  slope = Sigmoid (X)
  dX = Mul (dY, slope)
}"""

OPERATORS = [
    Operator("Softplus", gradient_op("SoftplusGrad"), lower_flat("SOFTPLUS", "x", "y")),
    Operator("SoftplusGrad", None, lower_flat("SOFTPLUS_GRAD", "dy", "x", "dx"), DOMAIN, GRAD),
]
