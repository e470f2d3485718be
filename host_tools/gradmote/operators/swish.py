"""Swish: y = x s, s = sigmoid(alpha x). dx = dy (s + alpha x s (1 - s))."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.generated.instructions import Swish, SwishGrad
from ..ir.graph import DOMAIN, attribute, describe
from .elementwise import gradient_op, lower_flat
from .operator import Operator

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

ALPHA = 1.0  # ONNX's default
#: With a larger alpha, alpha x is infinite for realistic numbers, and the gradient infinity times 0.
STEEPEST = 2.0**64

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


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one SWISH. Raises UnsupportedOperator for an alpha whose gradient would be NaN."""
    if abs(attribute(node, "alpha", ALPHA)) > STEEPEST:
        raise UnsupportedOperator("Swish whose alpha exceeds 2^64", "it is x or 0: use Relu", describe(node))
    lower_flat(Swish, alpha=ALPHA)(low, node)


OPERATORS = [
    Operator("Swish", gradient_op("SwishGrad", alpha=ALPHA), lower),
    Operator("SwishGrad", None, lower_flat(SwishGrad, alpha=ALPHA), DOMAIN, GRAD),
]
