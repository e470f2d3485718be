"""Sin and Cos, of radians: d sin = dy cos x and d cos = -dy sin x."""

from ..ir.generated.instructions import Cos, Sin
from .elementwise import lower_flat
from .operator import Backward, Gradients, Operator


def sin_gradient(back: Backward) -> Gradients:
    """Return dx = dy cos x."""
    x = back.node.inputs[0]
    return [back.op("Mul", back.op("Cos", x, of=x), back.dy[0], of=x)]


def cos_gradient(back: Backward) -> Gradients:
    """Return dx = -dy sin x."""
    x = back.node.inputs[0]
    return [back.op("Neg", back.op("Mul", back.op("Sin", x, of=x), back.dy[0], of=x), of=x)]


OPERATORS = [Operator("Sin", sin_gradient, lower_flat(Sin)), Operator("Cos", cos_gradient, lower_flat(Cos))]
