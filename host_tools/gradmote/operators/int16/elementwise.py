"""Operators on each element with 16-bit gradients, by ADD_S16.

Add                        the sum of two gradients of one value
Mul                        dy times constant numbers, as for a layer whose gradient has other readers too
ReduceMeanGrad             dx = dy / count, broadcast to the shape of x
AveragePoolGrad            the same, for a pool with one window over the whole input
ScaledGrad, QuantizeGrad   g = (low < q < high ? dy : 0) scale; QUANTIZE_GRAD_S16 if dy is float32
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import onnx_ir as ir

from ...ir.generated.instructions import Add, AddS16, Mul, QuantizeGradS16
from ...ir.graph import attribute, constant_array, static_shape
from ...ir.strides import contiguous
from ..average_pool import lower_grad as lower_float_average_pool_grad
from ..broadcast import lower_binary
from ..reduce_sum import lower_mean_grad as lower_float_mean_grad
from ..scaled_grad import split_channels, spread
from ..window import spatial, window_of
from .values import MOST, is_int16, like, make, named, read, walk

if TYPE_CHECKING:
    from ...ir.lowering import Lowering

lower_float_add = lower_binary(Add)


def lower_add(low: Lowering, node: ir.Node) -> None:
    """Emit one ADD_S16 if a summand has 16 bits, else lower as for float32."""
    if not any(is_int16(low, x) for x in node.inputs):
        low.any_exponent = False
        lower_float_add(low, node)
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


lower_float_mul = lower_binary(Mul)


def lower_mul(low: Lowering, node: ir.Node) -> None:
    """Emit one ADD_S16 of dy alone, scaled by the numbers, else lower as for float32."""
    dy, factor = sorted(node.inputs, key=lambda x: not is_int16(low, x))
    if not is_int16(low, dy) or constant_array(factor) is None or static_shape(dy) != static_shape(node.outputs[0]):
        low.any_exponent = False
        lower_float_mul(low, node)
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


def lower_mean_grad(low: Lowering, node: ir.Node) -> None:
    """Emit one ADD_S16 of dy alone, scaled by 1 / count; dx has the layout of x."""
    dy, x = node.inputs
    if not is_int16(low, dy):
        low.any_exponent = False
        lower_float_mean_grad(low, node)
        return
    emit_mean_grad(low, node, dy, x)


def emit_mean_grad(low: Lowering, node: ir.Node, dy: ir.Value, x: ir.Value) -> None:
    """Emit one ADD_S16 of each element's share of dy."""
    layout, source, shape = like(low, x), read(low, node, dy), static_shape(dy)
    dims, (a,) = walk(node, layout, (shape, source.strides))
    made = make(low, node.outputs[0], layout)
    share = AddS16(
        a=source.ref, a_exponent=source.exponent,
        scale=low.scalar(math.prod(shape) / math.prod(static_shape(node.outputs[0]))),
        y=made.ref, exponent=made.exponent,
        **dims, **named("a", a), **named("b", [0] * 4), **named("s", [0] * 4), low=-128, high=127, limit=MOST,
    )  # fmt: skip
    low.emit(node, share)


def lower_average_pool_grad(low: Lowering, node: ir.Node) -> None:
    """Emit one ADD_S16 if one window covers the input, else lower as for float32."""
    dy, x = node.inputs[:2]
    window = window_of(node, spatial(x), spatial(dy), attribute(node, "kernel_shape"))
    covers = window.kernel == window.inputs and not any(window.pads) and set(window.outputs) == {1}
    if is_int16(low, dy) and covers and set(window.dilations) == {1}:
        emit_mean_grad(low, node, dy, x)
        return
    low.any_exponent = False
    lower_float_average_pool_grad(low, node)


def lower_scaled_grad(low: Lowering, node: ir.Node) -> None:
    """Emit one QUANTIZE_GRAD_S16 if dy is float32, and one ADD_S16 if it has 16 bits."""
    (lower_scaled_grad_of_int16 if is_int16(low, node.inputs[0]) else lower_scaled_grad_of_float)(low, node)


def lower_scaled_grad_of_float(low: Lowering, node: ir.Node) -> None:
    """Emit one QUANTIZE_GRAD_S16, in the layout of dy and q."""
    dy, q, *scale = node.inputs
    layout = low.common_layout([dy, q])
    outer, channels, inner = split_channels(static_shape(dy, node), layout, scale[0] if scale else None)
    source, mask = (low.view(v).ref if layout else low.ref(v) for v in (dy, q))
    made = make(low, node.outputs[0], layout)
    quantized = QuantizeGradS16(
        dy=source, q=mask, scale=spread(low, scale[0], channels) if scale else None,
        y=made.ref, exponent=made.exponent,
        outer=outer, channels=channels, inner=inner,
        low=attribute(node, "low"), high=attribute(node, "high"), limit=MOST,
    )  # fmt: skip
    low.emit(node, quantized)


def lower_scaled_grad_of_int16(low: Lowering, node: ir.Node) -> None:
    """Emit one ADD_S16 of dy alone, in the layout of q."""
    dy, q, *scale = node.inputs
    layout = like(low, q)
    mask = low.ref(q) if layout == contiguous(static_shape(q)) else low.view(q).ref
    source, shape = read(low, node, dy), static_shape(dy)
    factors = static_shape(scale[0]) if scale else ()
    dims, (a, s) = walk(node, layout, (shape, source.strides), (factors, contiguous(factors)))
    made = make(low, node.outputs[0], layout)
    masked = AddS16(
        a=source.ref, a_exponent=source.exponent, q=mask, scale=low.ref(scale[0]) if scale else None,
        y=made.ref, exponent=made.exponent,
        **dims, **named("a", a), **named("b", [0] * 4), **named("s", s),
        low=attribute(node, "low"), high=attribute(node, "high"), limit=MOST,
    )  # fmt: skip
    low.emit(node, masked)
