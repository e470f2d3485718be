"""Neg: y = -x, a product with -1. dx = -dy."""

from .elementwise import lower_with_constant
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    """Return dx = -dy."""
    return [back.op("Neg", back.dy[0], of=back.node.inputs[0])]


OPERATORS = [Operator("Neg", gradient, lower_with_constant("MUL", b=-1.0))]
