"""LeakyRelu: y = x where x >= 0, else alpha x. dx = dy where x > 0, else alpha dy."""

from ..graph import DOMAIN, attribute
from .elementwise import lower_flat
from .operator import Backward, Gradients, Operator

ALPHA = 0.01  # ONNX's default


def gradient(back: Backward) -> Gradients:
    x = back.node.inputs[0]
    alpha = attribute(back.node, "alpha", ALPHA)
    return [back.op("LeakyReluGrad", back.dy[0], x, of=x, domain=DOMAIN, alpha=float(alpha))]


GRAD = """
LeakyReluGrad <alpha: float = 0.01> (dY, X) => (dX) {
  a = Constant <value_float: float = @alpha> ()
  zero = Constant <value_float = 0.0> ()
  positive = Greater (X, zero)
  scaled = Mul (dY, a)
  dX = Where (positive, dY, scaled)
}"""

OPERATORS = [
    Operator("LeakyRelu", gradient, lower_flat("LEAKY_RELU", "x", "y", alpha=ALPHA)),
    Operator("LeakyReluGrad", None, lower_flat("LEAKY_RELU_GRAD", "dy", "x", "dx", alpha=ALPHA), DOMAIN, GRAD),
]
