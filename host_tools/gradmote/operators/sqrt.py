"""Sqrt: dx = (dy / 2) / y."""

from ..ir.generated.instructions import Sqrt
from .elementwise import lower_flat
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    """Return dx = (dy / 2) / y."""
    x, y = back.node.inputs[0], back.node.outputs[0]
    half = back.builder.constant(0.5, f"{x.name}_grad.half")
    return [back.op("Div", back.op("Mul", back.dy[0], half, of=x), y, of=x)]


OPERATORS = [Operator("Sqrt", gradient, lower_flat(Sqrt))]
