"""LeakyRelu: y = x if x >= 0, else alpha x. dx = dy if x > 0, else alpha dy."""

from ..ir.generated.instructions import LeakyRelu, LeakyReluGrad
from ..ir.graph import DOMAIN
from .elementwise import gradient_op, lower_flat
from .operator import Operator

ALPHA = 0.01  # ONNX's default

GRAD = """
LeakyReluGrad <alpha: float = 0.01> (dY, X) => (dX) {
  a = Constant <value_float: float = @alpha> ()
  zero = Constant <value_float = 0.0> ()
  positive = Greater (X, zero)
  scaled = Mul (dY, a)
  dX = Where (positive, dY, scaled)
}"""

OPERATORS = [
    Operator("LeakyRelu", gradient_op("LeakyReluGrad", alpha=ALPHA), lower_flat(LeakyRelu, alpha=ALPHA)),
    Operator("LeakyReluGrad", None, lower_flat(LeakyReluGrad, alpha=ALPHA), DOMAIN, GRAD),
]
