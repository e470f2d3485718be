"""Elementary functions of each element.

Abs                       dx = dy sign(x), 0 at 0
Exp                       dx = dy y
Log, the natural one      dx = dy / x
Sqrt                      dx = (dy / 2) / y
Reciprocal, y = 1 / x     dx = -dy y^2
Erf                       dx = (2 / sqrt(pi)) exp(-x^2) dy
Floor, Ceil, Round, Sign  dx = 0: their derivative is 0 wherever they have one
"""

from __future__ import annotations

import math

from ..ir.generated.instructions import Abs, AbsGrad, Div, Erf, Exp, Log, Round, Sign, Sqrt
from ..ir.graph import DOMAIN
from .elementwise import gradient_op, lower_flat, lower_with_constant
from .operator import Backward, Gradients, Operator, no_gradient

ABS_GRAD = """
AbsGrad (dY, X) => (dX) {
  sign = Sign (X)
  dX = Mul (dY, sign)
}"""


def exp_gradient(back: Backward) -> Gradients:
    """Return dx = dy y."""
    return [back.op("Mul", back.dy[0], back.node.outputs[0], of=back.node.inputs[0])]


def log_gradient(back: Backward) -> Gradients:
    """Return dx = dy / x."""
    x = back.node.inputs[0]
    return [back.op("Div", back.dy[0], x, of=x)]


def sqrt_gradient(back: Backward) -> Gradients:
    """Return dx = (dy / 2) / y."""
    x, y = back.node.inputs[0], back.node.outputs[0]
    half = back.builder.constant(0.5, f"{x.name}_grad.half")
    return [back.op("Div", back.op("Mul", back.dy[0], half, of=x), y, of=x)]


def reciprocal_gradient(back: Backward) -> Gradients:
    """Return dx = -dy y^2."""
    x, y = back.node.inputs[0], back.node.outputs[0]
    scaled = back.op("Mul", back.op("Mul", back.dy[0], y, of=x), y, of=x)
    return [back.op("Neg", scaled, of=x)]


def erf_gradient(back: Backward) -> Gradients:
    """Return dx = (2 / sqrt(pi)) exp(-x^2) dy."""
    x = back.node.inputs[0]
    factor = back.builder.constant(2.0 / math.sqrt(math.pi), f"{x.name}_grad.factor")
    density = back.op("Exp", back.op("Neg", back.op("Mul", x, x, of=x), of=x), of=x)
    return [back.op("Mul", back.op("Mul", density, factor, of=x), back.dy[0], of=x)]


OPERATORS = [
    Operator("Abs", gradient_op("AbsGrad"), lower_flat(Abs)),
    Operator("AbsGrad", None, lower_flat(AbsGrad), DOMAIN, ABS_GRAD),
    Operator("Exp", exp_gradient, lower_flat(Exp)),
    Operator("Log", log_gradient, lower_flat(Log)),
    Operator("Sqrt", sqrt_gradient, lower_flat(Sqrt)),
    Operator("Reciprocal", reciprocal_gradient, lower_with_constant(Div, a=1.0)),
    Operator("Erf", erf_gradient, lower_flat(Erf)),
    Operator("Floor", no_gradient, lower_flat(Round, direction="down")),
    Operator("Ceil", no_gradient, lower_flat(Round, direction="up")),
    Operator("Round", no_gradient, lower_flat(Round, direction="nearest")),
    Operator("Sign", no_gradient, lower_flat(Sign)),
]
