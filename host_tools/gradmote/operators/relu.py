"""Relu: y = max(x, 0). dx = dy if y > 0, else 0."""

from ..ir.generated.instructions import Relu, ReluGrad
from ..ir.graph import DOMAIN
from .elementwise import gradient_op, lower_flat
from .operator import Operator

GRAD = """
ReluGrad (dY, Y) => (dX) {
  zero = Constant <value_float = 0.0> ()
  positive = Greater (Y, zero)
  dX = Where (positive, dY, zero)
}"""

OPERATORS = [
    Operator("Relu", gradient_op("ReluGrad", "y"), lower_flat(Relu)),
    Operator("ReluGrad", None, lower_flat(ReluGrad), DOMAIN, GRAD),
]
