"""Add with 16-bit gradients: the sum of two gradients of one value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ...ir.generated.instructions import Add, AddS16
from ...ir.graph import static_shape
from ..broadcast import lower_binary
from .values import MOST, is_int16, like, make, named, read, walk

if TYPE_CHECKING:
    from ...ir.lowering import Lowering

lower_float = lower_binary(Add)


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one ADD_S16 if a summand has 16 bits, else lower as for float32."""
    if not any(is_int16(low, x) for x in node.inputs):
        low.any_exponent = False
        lower_float(low, node)
        return
    layout = like(low, node.inputs[0])
    summands = [read(low, node, x) for x in node.inputs]
    shapes = [static_shape(x) for x in node.inputs]
    dims, (a, b) = walk(node, layout, *((shape, s.strides) for shape, s in zip(shapes, summands, strict=True)))
    made = make(low, node.outputs[0], layout)
    total = AddS16(
        a=summands[0].ref, a_exponent=summands[0].exponent, b=summands[1].ref, b_exponent=summands[1].exponent,
        y=made.ref, exponent=made.exponent,
        **dims, **named("a", a), **named("b", b), **named("s", [0] * 4), low=-128, high=127, limit=MOST,
    )  # fmt: skip
    low.emit(node, total)
