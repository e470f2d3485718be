"""Tanh: dx = dy (1 - y^2)."""

from ..graph import DOMAIN
from .elementwise import lower_flat
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    return [back.op("TanhGrad", back.dy[0], back.node.outputs[0], of=back.node.inputs[0], domain=DOMAIN)]


GRAD = """
TanhGrad (dY, Y) => (dX) {
  one = Constant <value_float = 1.0> ()
  square = Mul (Y, Y)
  slope = Sub (one, square)
  dX = Mul (dY, slope)
}"""

OPERATORS = [
    Operator("Tanh", gradient, lower_flat("TANH", "x", "y")),
    Operator("TanhGrad", None, lower_flat("TANH_GRAD", "dy", "y", "dx"), DOMAIN, GRAD),
]
