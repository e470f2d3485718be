"""Relu: y = max(x, 0). dx = dy where y > 0, else 0."""

from ..graph import DOMAIN
from .elementwise import lower_flat
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    return [back.op("ReluGrad", back.dy[0], back.node.outputs[0], of=back.node.inputs[0], domain=DOMAIN)]


GRAD = """
ReluGrad (dY, Y) => (dX) {
  zero = Constant <value_float = 0.0> ()
  positive = Greater (Y, zero)
  dX = Where (positive, dY, zero)
}"""

OPERATORS = [
    Operator("Relu", gradient, lower_flat("RELU", "x", "y")),
    Operator("ReluGrad", None, lower_flat("RELU_GRAD", "dy", "y", "dx"), DOMAIN, GRAD),
]
