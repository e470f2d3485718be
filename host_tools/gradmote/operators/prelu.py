"""PRelu: y = x if x >= 0, else slope x; the slope broadcasts to x.

dx = dy if x > 0, else slope dy. dslope is the sum of dy min(x, 0).
"""

import onnx_ir as ir

from ..ir.generated.instructions import Prelu, PreluSlope
from ..ir.graph import DOMAIN
from .broadcast import lower_binary, sum_to
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    """Return dx = dy if x > 0, else slope dy, and dslope = sum of dy min(x, 0)."""
    x, slope = back.node.inputs
    dx = None
    if back.needs(0):
        dx = back.op("Mul", back.op("PReluSlope", x, slope, of=x, domain=DOMAIN), back.dy[0], of=x)
    return [dx, slope_gradient(back, x, slope) if back.needs(1) else None]


def slope_gradient(back: Backward, x: ir.Value, slope: ir.Value) -> ir.Value:
    """Return dslope, dy min(x, 0) summed to the shape of the slope."""
    zero = back.builder.constant(0.0, f"{slope.name}_grad.zero")
    negative = back.op("Min", x, zero, of=slope)
    return sum_to(back, back.op("Mul", negative, back.dy[0], of=slope), slope)


SLOPE = """
PReluSlope (X, slope) => (Y) {
  zero = Constant <value_float = 0.0> ()
  one = Constant <value_float = 1.0> ()
  positive = Greater (X, zero)
  Y = Where (positive, one, slope)
}"""

OPERATORS = [
    Operator("PRelu", gradient, lower_binary(Prelu)),
    Operator("PReluSlope", None, lower_binary(PreluSlope), DOMAIN, SLOPE),
]
