"""ScaledGrad and QuantizeGrad with 16-bit gradients: g = (low < q < high ? dy : 0) scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ...ir.generated.instructions import AddS16, QuantizeGradS16
from ...ir.graph import attribute, static_shape
from ...ir.strides import contiguous
from ..scaled_grad import split_channels, spread
from .values import MOST, is_int16, like, make, named, read, walk

if TYPE_CHECKING:
    from ...ir.lowering import Lowering


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one QUANTIZE_GRAD_S16 if dy is float32, and one ADD_S16 if it has 16 bits."""
    (lower_int16 if is_int16(low, node.inputs[0]) else lower_float)(low, node)


def lower_float(low: Lowering, node: ir.Node) -> None:
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


def lower_int16(low: Lowering, node: ir.Node) -> None:
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
