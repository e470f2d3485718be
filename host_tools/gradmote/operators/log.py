"""Log, the natural one: dx = dy / x."""

from ..ir.generated.instructions import Log
from .elementwise import lower_flat
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    """Return dx = dy / x."""
    x = back.node.inputs[0]
    return [back.op("Div", back.dy[0], x, of=x)]


OPERATORS = [Operator("Log", gradient, lower_flat(Log))]
