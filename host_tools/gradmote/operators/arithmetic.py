"""Arithmetic of two operands that are broadcast, and Neg."""

from __future__ import annotations

import onnx_ir as ir

from ..ir.generated.instructions import Add, Div, Fmod, Mul, Sub
from .broadcast import lower_binary, sum_to
from .elementwise import lower_with_constant
from .operator import Backward, Gradients, Operator

# Add: y = a + b.


def add_gradient(back: Backward) -> Gradients:
    """Return da = dy and db = dy, each summed to the shape of its operand."""
    return [sum_to(back, back.dy[0], x) if back.needs(i) else None for i, x in enumerate(back.node.inputs)]


# Sub: y = a - b. da = dy, db = -dy.


def sub_gradient(back: Backward) -> Gradients:
    """Return da = dy and db = -dy, each summed to the shape of its operand."""
    a, b = back.node.inputs
    da = sum_to(back, back.dy[0], a) if back.needs(0) else None
    db = None
    if back.needs(1):
        zero = back.builder.constant(0.0, f"{b.name}_grad.zero")
        db = back.op("Sub", zero, sum_to(back, back.dy[0], b), of=b)
    return [da, db]


# Mul: y = a b. da = dy b, db = dy a.


def mul_gradient(back: Backward) -> Gradients:
    """Return da = dy b and db = dy a, each summed to the shape of its operand."""
    a, b = back.node.inputs
    da = sum_to(back, back.op("Mul", back.dy[0], b, of=a), a) if back.needs(0) else None
    db = sum_to(back, back.op("Mul", back.dy[0], a, of=b), b) if back.needs(1) else None
    return [da, db]


# Div: y = a / b. da = dy / b, db = -dy y / b.


def div_gradient(back: Backward) -> Gradients:
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


# Mod of floats, with fmod = 1: y = a - b trunc(a / b), which has the sign of a.
#
# The pass rewrite_mod rewrites the other kind, which has the sign of b, with this one. da = dy and db =
# -dy q; q = (a - y) / b is an integer.


def mod_gradient(back: Backward) -> Gradients:
    """Return da = dy and db = -dy round((a - y) / b), each summed to the shape of its operand."""
    a, b = back.node.inputs
    dy, y = back.dy[0], back.node.outputs[0]
    da = sum_to(back, dy, a) if back.needs(0) else None
    if not back.needs(1):
        return [da, None]
    quotient = back.op("Round", back.op("Div", back.op("Sub", a, y, of=b), b, of=b), of=b)
    return [da, sum_to(back, back.op("Neg", back.op("Mul", quotient, dy, of=b), of=b), b)]


# Neg: y = -x, a product with -1. dx = -dy.


def neg_gradient(back: Backward) -> Gradients:
    """Return dx = -dy."""
    return [back.op("Neg", back.dy[0], of=back.node.inputs[0])]


OPERATORS = [
    Operator("Add", add_gradient, lower_binary(Add)),
    Operator("Sub", sub_gradient, lower_binary(Sub)),
    Operator("Mul", mul_gradient, lower_binary(Mul)),
    Operator("Div", div_gradient, lower_binary(Div)),
    Operator("Mod", mod_gradient, lower_binary(Fmod)),
    Operator("Neg", neg_gradient, lower_with_constant(Mul, b=-1.0)),
]
