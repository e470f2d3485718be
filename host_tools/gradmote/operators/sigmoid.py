"""Sigmoid: y = 1 / (1 + exp(-x)). dx = dy y (1 - y)."""

from ..graph import DOMAIN
from .elementwise import lower_flat
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    return [back.op("SigmoidGrad", back.dy[0], back.node.outputs[0], of=back.node.inputs[0], domain=DOMAIN)]


GRAD = """
SigmoidGrad (dY, Y) => (dX) {
  one = Constant <value_float = 1.0> ()
  complement = Sub (one, Y)
  slope = Mul (Y, complement)
  dX = Mul (dY, slope)
}"""

OPERATORS = [
    Operator("Sigmoid", gradient, lower_flat("SIGMOID", "x", "y")),
    Operator("SigmoidGrad", None, lower_flat("SIGMOID_GRAD", "dy", "y", "dx"), DOMAIN, GRAD),
]
