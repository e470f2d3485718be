"""QAdd, QMul and QLookup, functions of each int8 value by itself.

QAdd and QMul are the sum and the product of int8 values, with broadcasting.

    y = clamp(rne(((a - a_zero) a_scale + (b - b_zero) b_scale) / y_scale) + y_zero, low, high)

Every operation rounds as in the graph of DequantizeLinear, Add and QuantizeLinear.

QLookup is any function of one int8 number as a table of its 256 results: y = table[x + 128].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..ir.copies import flat_copy
from ..ir.generated.instructions import AddS8, AddS8Like, MulS8
from ..ir.graph import DOMAIN, static_shape
from ..ir.strides import broadcast_walk, fit, physical_order
from .broadcast import broadcastable, output_layout
from .elementwise import flat_operand
from .operator import LoweringRule, Operator
from .quantized import CLAMP_WHOLE, bounds, numbers, scale, zero

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

#: The inputs of a node.
A, A_SCALE, A_ZERO, B, B_SCALE, B_ZERO, Y_SCALE, Y_ZERO = range(8)


def lower_as(kind: type[AddS8Like]) -> LoweringRule:
    """Return the lowering to an instruction like ADD_S8."""

    def lower(low: Lowering, node: ir.Node) -> None:
        y = node.outputs[0]
        shape, operands = static_shape(y, node), (node.inputs[A], node.inputs[B])
        views = [low.view(x) for x in operands]
        strides = [
            broadcast_walk(v.strides, broadcastable(x, shape, node), shape)
            for v, x in zip(views, operands, strict=True)
        ]
        layout = output_layout(shape, strides)
        order = physical_order(shape, layout)
        dims, (of_a, of_b) = fit(node, [shape[i] for i in order], *([s[i] for i in order] for s in strides))
        sides = {"d": dims, "a": of_a, "b": of_b}
        made = kind(
            a=views[0].ref,
            b=views[1].ref,
            y=low.output(y, layout, "i8"),
            **{f"{letter}{i}": n for letter, own in sides.items() for i, n in enumerate(own)},
            a_scale=scale(node, A_SCALE),
            a_zero=zero(node, A_ZERO),
            b_scale=scale(node, B_SCALE),
            b_zero=zero(node, B_ZERO),
            y_scale=scale(node, Y_SCALE),
            **bounds(node, Y_ZERO),
        )
        low.emit(node, made)

    return lower


def body(name: str, op_type: str) -> str:
    """Return the function of an operator that computes with `op_type`."""
    return f"""
{name} <low: int, high: int> (A, a_scale, a_zero, B, b_scale, b_zero, y_scale, y_zero) => (Y) {{
  a = DequantizeLinear (A, a_scale, a_zero)
  b = DequantizeLinear (B, b_scale, b_zero)
  y = {op_type} (a, b)
  whole = QuantizeLinear (y, y_scale, y_zero)
{CLAMP_WHOLE}}}"""


def lower_lookup(low: Lowering, node: ir.Node) -> None:
    """Emit one COPY_S8 with a table; the output has the layout of the input."""
    x, layout = flat_operand(low, node.inputs[0])
    y, table = node.outputs[0], low.constant(numbers(node, 1).astype(np.int8).tobytes())
    low.emit(node, flat_copy(x, low.output(y, layout, "i8"), low.elements(y), "i8", table))


LOOKUP = """
QLookup (X, table) => (Y) {
  middle = Constant <value_int = 128> ()
  wide = Cast <to = 7> (X)
  index = Add (wide, middle)
  Y = Gather (table, index)
}"""


OPERATORS = [
    Operator("QAdd", None, lower_as(AddS8), DOMAIN, body("QAdd", "Add"), any_width=True),
    Operator("QMul", None, lower_as(MulS8), DOMAIN, body("QMul", "Mul"), any_width=True),
    Operator("QLookup", None, lower_lookup, DOMAIN, LOOKUP, any_width=True),
]
