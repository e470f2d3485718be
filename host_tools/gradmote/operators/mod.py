"""Mod of floats, with fmod = 1: y = a - b trunc(a / b), which has the sign of a.

The pass rewrite_mod rewrites the other kind, which has the sign of b, with this one. da = dy and db =
-dy q; q = (a - y) / b is an integer.
"""

from ..ir.generated.instructions import Fmod
from .broadcast import lower_binary, sum_to
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    """Return da = dy and db = -dy round((a - y) / b), each summed to the shape of its operand."""
    a, b = back.node.inputs
    dy, y = back.dy[0], back.node.outputs[0]
    da = sum_to(back, dy, a) if back.needs(0) else None
    if not back.needs(1):
        return [da, None]
    quotient = back.op("Round", back.op("Div", back.op("Sub", a, y, of=b), b, of=b), of=b)
    return [da, sum_to(back, back.op("Neg", back.op("Mul", quotient, dy, of=b), of=b), b)]


OPERATORS = [Operator("Mod", gradient, lower_binary(Fmod))]
