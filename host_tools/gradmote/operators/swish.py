"""Swish: y = x s, s = sigmoid(alpha x). dx = dy (s + alpha x s (1 - s))."""

from ..generated.instructions import Swish, SwishGrad
from ..model.graph import DOMAIN
from .elementwise import gradient_op, lower_flat
from .operator import Operator

ALPHA = 1.0  # ONNX's default

GRAD = """
SwishGrad <alpha: float> (dY, X) => (dX) {
  one = Constant <value_float = 1.0> ()
  factor = Constant <value_float: float = @alpha> ()
  u = Mul (factor, X)
  s = Sigmoid (u)
  complement = Sub (one, s)
  us = Mul (u, s)
  change = Mul (us, complement)
  slope = Add (s, change)
  dX = Mul (dY, slope)
}"""

OPERATORS = [
    Operator("Swish", gradient_op("SwishGrad", alpha=ALPHA), lower_flat(Swish, alpha=ALPHA)),
    Operator("SwishGrad", None, lower_flat(SwishGrad, alpha=ALPHA), DOMAIN, GRAD),
]
