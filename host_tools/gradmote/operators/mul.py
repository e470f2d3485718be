"""Mul: y = a b. da = dy b, db = dy a."""

from ..ir.generated.instructions import Mul
from .broadcast import lower_binary, sum_to
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    """Return da = dy b and db = dy a, each summed to the shape of its operand."""
    a, b = back.node.inputs
    da = sum_to(back, back.op("Mul", back.dy[0], b, of=a), a) if back.needs(0) else None
    db = sum_to(back, back.op("Mul", back.dy[0], a, of=b), b) if back.needs(1) else None
    return [da, db]


OPERATORS = [Operator("Mul", gradient, lower_binary(Mul))]
