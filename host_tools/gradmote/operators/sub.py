"""Sub: y = a - b. da = dy, db = -dy."""

from ..ir.generated.instructions import Sub
from .broadcast import lower_binary, sum_to
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    """Return da = dy and db = -dy, each summed to the shape of its operand."""
    a, b = back.node.inputs
    da = sum_to(back, back.dy[0], a) if back.needs(0) else None
    db = None
    if back.needs(1):
        zero = back.builder.constant(0.0, f"{b.name}_grad.zero")
        db = back.op("Sub", zero, sum_to(back, back.dy[0], b), of=b)
    return [da, db]


OPERATORS = [Operator("Sub", gradient, lower_binary(Sub))]
