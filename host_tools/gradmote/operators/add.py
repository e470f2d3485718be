"""Add: y = a + b."""

from ..ir.generated.instructions import Add
from .broadcast import lower_binary, sum_to
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    """Return da = dy and db = dy, each summed to the shape of its operand."""
    return [sum_to(back, back.dy[0], x) if back.needs(i) else None for i, x in enumerate(back.node.inputs)]


OPERATORS = [Operator("Add", gradient, lower_binary(Add))]
