"""Erf: dx = (2 / sqrt(pi)) exp(-x^2) dy."""

import math

from ..ir.generated.instructions import Erf
from .elementwise import lower_flat
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    """Return dx = (2 / sqrt(pi)) exp(-x^2) dy."""
    x = back.node.inputs[0]
    factor = back.builder.constant(2.0 / math.sqrt(math.pi), f"{x.name}_grad.factor")
    density = back.op("Exp", back.op("Neg", back.op("Mul", x, x, of=x), of=x), of=x)
    return [back.op("Mul", back.op("Mul", density, factor, of=x), back.dy[0], of=x)]


OPERATORS = [Operator("Erf", gradient, lower_flat(Erf))]
