"""Reciprocal: y = 1 / x. dx = -dy y^2."""

from ..ir.generated.instructions import Div
from .elementwise import lower_with_constant
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    """Return dx = -dy y^2."""
    x, y = back.node.inputs[0], back.node.outputs[0]
    scaled = back.op("Mul", back.op("Mul", back.dy[0], y, of=x), y, of=x)
    return [back.op("Neg", scaled, of=x)]


OPERATORS = [Operator("Reciprocal", gradient, lower_with_constant(Div, a=1.0))]
