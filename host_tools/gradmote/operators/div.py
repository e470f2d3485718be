"""Div: y = a / b. da = dy / b, db = -dy y / b."""

import onnx_ir as ir

from ..ir.generated.instructions import Div
from .broadcast import lower_binary, sum_to
from .operator import Backward, Gradients, Operator


def gradient(back: Backward) -> Gradients:
    """Return da = dy / b and db = -dy y / b, each summed to the shape of its operand."""
    a, b = back.node.inputs
    dy, y = back.dy[0], back.node.outputs[0]
    da = sum_to(back, back.op("Div", dy, b, of=a), a) if back.needs(0) else None
    return [da, divisor_gradient(back, dy, y, b) if back.needs(1) else None]


def divisor_gradient(back: Backward, dy: ir.Value, y: ir.Value, b: ir.Value) -> ir.Value:
    """Return db = -dy y / b, summed to the shape of b."""
    quotient = back.op("Div", back.op("Mul", dy, y, of=b), b, of=b)
    zero = back.builder.constant(0.0, f"{b.name}_grad.zero")
    return back.op("Sub", zero, sum_to(back, quotient, b), of=b)


OPERATORS = [Operator("Div", gradient, lower_binary(Div))]
