"""Max and Min of two operands; the pass binary_chains splits those of more.

For Max, da = dy if a is the larger operand, and dy / 2 if both are equal, as in torch.maximum. The
same holds for b, and with the smaller operand for Min.
"""

import onnx_ir as ir

from ..ir.generated.instructions import Heaviside, Max, Min
from ..ir.graph import DOMAIN
from .broadcast import lower_binary, sum_to
from .operator import Backward, Gradients, Operator


def max_gradient(back: Backward) -> Gradients:
    """Return da = dy H(a - b) and db = dy H(b - a), with H(0) = 1/2."""
    a, b = back.node.inputs
    return gradients(back, [(a, b), (b, a)])


def min_gradient(back: Backward) -> Gradients:
    """Return da = dy H(b - a) and db = dy H(a - b), with H(0) = 1/2."""
    a, b = back.node.inputs
    return gradients(back, [(b, a), (a, b)])


def gradients(back: Backward, pairs: list[tuple[ir.Value | None, ir.Value | None]]) -> Gradients:
    """Return dy H(larger - smaller) for each operand; H is Heaviside's step with H(0) = 1/2.

    `pairs` holds (larger, smaller) for each operand.
    """
    found: Gradients = []
    for index, (larger, smaller) in enumerate(pairs):
        x = back.node.inputs[index]
        share = back.op("Heaviside", larger, smaller, of=x, domain=DOMAIN) if back.needs(index) else None
        found.append(sum_to(back, back.op("Mul", share, back.dy[0], of=x), x) if share is not None else None)
    return found


HEAVISIDE = """
Heaviside (A, B) => (Y) {
  zero = Constant <value_float = 0.0> ()
  half = Constant <value_float = 0.5> ()
  one = Constant <value_float = 1.0> ()
  below = Less (A, B)
  above = Greater (A, B)
  lower = Where (below, zero, half)
  Y = Where (above, one, lower)
}"""

OPERATORS = [
    Operator("Max", max_gradient, lower_binary(Max)),
    Operator("Min", min_gradient, lower_binary(Min)),
    Operator("Heaviside", None, lower_binary(Heaviside), DOMAIN, HEAVISIDE),
]
