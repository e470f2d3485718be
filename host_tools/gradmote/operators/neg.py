"""Neg: y = -x, a product with -1. dx = -dy."""

from ..ir.generated.instructions import Mul
from .elementwise import lower_with_constant
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    """Return dx = -dy."""
    return [back.op("Neg", back.dy[0], of=back.node.inputs[0])]


OPERATORS = [Operator("Neg", gradient, lower_with_constant(Mul, b=-1.0))]
