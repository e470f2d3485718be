"""ThresholdedRelu: y = x if x > alpha, else 0. dx = dy if x > alpha, else 0."""

from ..ir.generated.instructions import ThresholdedRelu, ThresholdedReluGrad
from ..ir.graph import DOMAIN
from .elementwise import gradient_op, lower_flat
from .operator import Operator

ALPHA = 1.0  # ONNX's default

GRAD = """
ThresholdedReluGrad <alpha: float = 1.0> (dY, X) => (dX) {
  a = Constant <value_float: float = @alpha> ()
  zero = Constant <value_float = 0.0> ()
  above = Greater (X, a)
  dX = Where (above, dY, zero)
}"""

OPERATORS = [
    Operator(
        "ThresholdedRelu", gradient_op("ThresholdedReluGrad", alpha=ALPHA), lower_flat(ThresholdedRelu, alpha=ALPHA)
    ),
    Operator("ThresholdedReluGrad", None, lower_flat(ThresholdedReluGrad, alpha=ALPHA), DOMAIN, GRAD),
]
