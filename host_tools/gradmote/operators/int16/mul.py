"""Mul with a 16-bit gradient: dy times constant numbers, as for a layer whose gradient has other readers too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ...ir.generated.instructions import AddS16, Mul
from ...ir.graph import constant_array, static_shape
from ...ir.strides import contiguous
from ..broadcast import lower_binary
from .values import MOST, is_int16, like, make, named, read, walk

if TYPE_CHECKING:
    from ...ir.lowering import Lowering

lower_float = lower_binary(Mul)


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one ADD_S16 of dy alone, scaled by the numbers, else lower as for float32."""
    dy, factor = sorted(node.inputs, key=lambda x: not is_int16(low, x))
    if not is_int16(low, dy) or constant_array(factor) is None or static_shape(dy) != static_shape(node.outputs[0]):
        low.any_exponent = False
        lower_float(low, node)
        return
    layout, source, shape = like(low, dy), read(low, node, dy), static_shape(factor)
    dims, (a, s) = walk(node, layout, (static_shape(dy), source.strides), (shape, contiguous(shape)))
    made = make(low, node.outputs[0], layout)
    scaled = AddS16(
        a=source.ref, a_exponent=source.exponent, scale=low.ref(factor),
        y=made.ref, exponent=made.exponent,
        **dims, **named("a", a), **named("b", [0] * 4), **named("s", s), low=-128, high=127, limit=MOST,
    )  # fmt: skip
    low.emit(node, scaled)
