"""The operator Where: y = a if the condition holds, else b.

da = dy if the condition holds, else 0; db is dy elsewhere.
"""

from ..ir.generated.instructions import Select
from .broadcast import lower_broadcast, sum_to
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    """Return da = dy if the condition holds, else 0, and db, which is dy elsewhere."""
    condition, a, b = back.node.inputs
    dy = back.dy[0]
    zero = back.builder.constant(0.0, f"{back.node.outputs[0].name}_grad.zero")
    da = sum_to(back, back.op("Where", condition, dy, zero, of=a), a) if back.needs(1) else None
    db = sum_to(back, back.op("Where", condition, zero, dy, of=b), b) if back.needs(2) else None
    return [None, da, db]


OPERATORS = [Operator("Where", gradient, lower_broadcast(Select, "cab"), any_type=True)]
