"""HardSigmoid: y = min(max(alpha x + beta, 0), 1). dx = alpha dy if 0 < y < 1, else 0."""

from ..ir.generated.instructions import HardSigmoid, HardSigmoidGrad
from ..ir.graph import DOMAIN
from .elementwise import gradient_op, lower_flat
from .operator import Operator

# ONNX's defaults.
ALPHA, BETA = 0.2, 0.5

GRAD = """
HardSigmoidGrad <alpha: float> (dY, Y) => (dX) {
  slope = Constant <value_float: float = @alpha> ()
  zero = Constant <value_float = 0.0> ()
  one = Constant <value_float = 1.0> ()
  above = Greater (Y, zero)
  below = Less (Y, one)
  inside = And (above, below)
  scaled = Mul (dY, slope)
  dX = Where (inside, scaled, zero)
}"""

OPERATORS = [
    Operator(
        "HardSigmoid", gradient_op("HardSigmoidGrad", "y", alpha=ALPHA), lower_flat(HardSigmoid, alpha=ALPHA, beta=BETA)
    ),
    Operator("HardSigmoidGrad", None, lower_flat(HardSigmoidGrad, alpha=ALPHA), DOMAIN, GRAD),
]
