"""Elu, Selu, Celu: y = scale x if x > 0, else alpha (exp(rate x) - 1).

dx = scale dy if y > 0, else rate (y + alpha) dy.

    |      | scale | alpha         | rate      |
    |------|-------|---------------|-----------|
    | Elu  | 1     | alpha         | 1         |
    | Selu | gamma | gamma alpha   | 1         |
    | Celu | 1     | alpha         | 1 / alpha |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.generated.instructions import Elu, EluGrad
from ..ir.graph import DOMAIN, attribute, describe
from .elementwise import flat_operand, lower_flat
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

# ONNX's defaults.
ELU_ALPHA = 1.0
CELU_ALPHA = 1.0
SELU_ALPHA = 1.67326319217681884765625
SELU_GAMMA = 1.05070102214813232421875
FLOAT32_LIMIT = 2.0**128


class Constants(TypedDict):
    """The constants of y = scale x if x > 0, else scale alpha (exp(rate x) - 1)."""

    scale: float
    alpha: float
    rate: float


def constants(node: ir.Node) -> Constants:
    """Return scale, alpha and rate of a node, all positive and finite, so that y has the sign of x.

    Raises:
        UnsupportedOperator: One of them is not positive, or is infinite as float32.
    """
    found = {
        "Elu": lambda: (1.0, attribute(node, "alpha", ELU_ALPHA), 1.0),
        "Selu": lambda: selu_constants(attribute(node, "alpha", SELU_ALPHA), attribute(node, "gamma", SELU_GAMMA)),
        "Celu": lambda: celu_constants(attribute(node, "alpha", CELU_ALPHA)),
    }[node.op_type]()
    if not all(c > 0 for c in found):
        raise UnsupportedOperator(
            f"{node.op_type} that is not increasing", "use positive alpha and gamma", describe(node)
        )
    if not all(c < FLOAT32_LIMIT for c in found):
        raise UnsupportedOperator(
            f"{node.op_type} whose constants exceed float32", "use an alpha nearer to 1", describe(node)
        )
    scale, alpha, rate = found
    return {"scale": scale, "alpha": alpha, "rate": rate}


def selu_constants(alpha: float, gamma: float) -> tuple[float, float, float]:
    """Return scale, alpha and rate of Selu."""
    return gamma, gamma * alpha, 1.0


def celu_constants(alpha: float) -> tuple[float, float, float]:
    """Return scale, alpha and rate of Celu; the rate is 0 if alpha is, which is refused."""
    return 1.0, alpha, 1.0 / alpha if alpha else 0.0


def gradient(back: Backward) -> Gradients:
    """Return dx = scale dy if y > 0, else rate (y + alpha) dy."""
    x, y = back.node.inputs[0], back.node.outputs[0]
    return [back.op("EluGrad", back.dy[0], y, of=x, domain=DOMAIN, **constants(back.node))]


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one ELU; for Selu, its alpha is gamma alpha."""
    y = node.outputs[0]
    x, layout = flat_operand(low, node.inputs[0])
    low.emit(node, Elu(x=x, y=low.output(y, layout), n=low.elements(y), **constants(node)))


GRAD = """
EluGrad <scale: float, alpha: float, rate: float> (dY, Y) => (dX) {
  scale_value = Constant <value_float: float = @scale> ()
  alpha_value = Constant <value_float: float = @alpha> ()
  rate_value = Constant <value_float: float = @rate> ()
  zero = Constant <value_float = 0.0> ()
  positive = Greater (Y, zero)
  above = Mul (dY, scale_value)
  shifted = Add (Y, alpha_value)
  slope = Mul (rate_value, shifted)
  below = Mul (dY, slope)
  dX = Where (positive, above, below)
}"""

OPERATORS = [
    *(Operator(name, gradient, lower) for name in ("Elu", "Selu", "Celu")),
    Operator("EluGrad", None, lower_flat(EluGrad, scale=1.0, alpha=1.0, rate=1.0), DOMAIN, GRAD),
]
