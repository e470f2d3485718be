"""Pow: y = a^b, with da = dy b a^(b - 1) and db = dy y log(a), which is 0 if a is 0.

A constant exponent of 1, 2 or 1/2 needs no power.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..ir.flat_binary import flat_binary
from ..ir.generated.instructions import Mul, Pow, Sqrt
from ..ir.graph import constant_array, static_shape
from .broadcast import lower_binary, sum_to
from .elementwise import flat_operand
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def gradient(back: Backward) -> Gradients:
    """Return da = dy b a^(b - 1) and db = dy y log(a), each summed to the shape of its operand."""
    a, b = back.node.inputs
    da = base_gradient(back, a, b) if back.needs(0) else None
    db = exponent_gradient(back, a, b) if back.needs(1) else None
    return [da, db]


def base_gradient(back: Backward, a: ir.Value, b: ir.Value) -> ir.Value:
    """Return da = dy b a^(b - 1), summed to the shape of a."""
    factor, less = exponents(back, b)
    slope = back.op("Mul", back.op("Pow", a, less, of=a), factor, of=a)
    return sum_to(back, back.op("Mul", slope, back.dy[0], of=a), a)


def exponents(back: Backward, b: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Return b as float32, and b - 1."""
    array = constant_array(b)
    if array is None:
        one = back.builder.constant(1.0, f"{b.name}_grad.one")
        return b, back.op("Sub", b, one, of=b)
    factor, less = np.asarray(array, np.float32), np.asarray(array - 1, np.float32)
    return back.builder.constant(factor, f"{b.name}_grad.factor"), back.builder.constant(less, f"{b.name}_grad.less")


def exponent_gradient(back: Backward, a: ir.Value, b: ir.Value) -> ir.Value:
    """Return db = dy y log(a), 0 if a is 0, summed to the shape of b."""
    zero = back.builder.constant(0.0, f"{b.name}_grad.zero")
    one = back.builder.constant(1.0, f"{b.name}_grad.one")
    safe = back.op("Where", back.op("Equal", a, zero, of=b), one, a, of=b)
    slope = back.op("Mul", back.op("Log", safe, of=b), back.node.outputs[0], of=b)
    return sum_to(back, back.op("Mul", slope, back.dy[0], of=b), b)


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit an alias, MUL or SQRT for a constant exponent of 1, 2 or 1/2, else a POW."""
    number = only_exponent(node)
    if number == 1.0:
        low.alias(node.outputs[0], node.inputs[0])
    elif number in (2.0, 0.5):
        base, layout = flat_operand(low, node.inputs[0])
        y, n = low.output(node.outputs[0], layout), low.elements(node.outputs[0])
        low.emit(node, flat_binary(Mul, base, base, y, n) if number == 2.0 else Sqrt(x=base, y=y, n=n))
    else:
        lower_power(low, node)


def only_exponent(node: ir.Node) -> float | None:
    """Return the exponent of all elements, or None.

    It is None if the exponent is computed, is not one number, or broadcasts the base.
    """
    array = constant_array(node.inputs[1])
    if array is None or array.size != 1 or static_shape(node.inputs[0], node) != static_shape(node.outputs[0], node):
        return None
    return float(array.reshape(()))


def lower_power(low: Lowering, node: ir.Node) -> None:
    """Emit one POW; constant integer exponents become float32 for this node."""
    exponent = node.inputs[1]
    array = constant_array(exponent)
    before = low.views.get(exponent)
    if array is not None and array.dtype != np.float32:
        low.place(exponent, low.constant(array.astype(np.float32).tobytes()))
    lower_binary(Pow)(low, node)
    if before is None:
        low.views.pop(exponent)
    else:
        low.views[exponent] = before


OPERATORS = [Operator("Pow", gradient, lower, limits="exponents that are data must be float32.")]
