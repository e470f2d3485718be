"""Exp: dx = dy y."""

from ..ir.generated.instructions import Exp
from .elementwise import lower_flat
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    """Return dx = dy y."""
    return [back.op("Mul", back.dy[0], back.node.outputs[0], of=back.node.inputs[0])]


OPERATORS = [Operator("Exp", gradient, lower_flat(Exp))]
