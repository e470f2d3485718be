"""ScaledGrad: the gradient of Quantize, multiplied by the scales of the layer's weights.

    g = (low < q < high ? dy : 0) scale[channel]

The products of g with the int8 weights, and with the int8 input, then need no scale of each weight.
QuantizeGrad is the same without scales.

QBiasGrad: the gradient of a bias, from the scaled gradient of the output.

    db[m] = (the sum of g over all axes except the channels) / scale[m]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.flat_binary import flat_binary
from ..ir.generated.instructions import Div, QuantizeGrad, ReduceSum
from ..ir.graph import DOMAIN, attribute, static_shape
from .operator import Operator
from .reduce_sum import reduced_axes, reduction_strides

if TYPE_CHECKING:
    from ..ir.instruction import Ref
    from ..ir.lowering import Lowering


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one QUANTIZE_GRAD, in the layout of dy and q."""
    dy, q = node.inputs[:2]
    scale = node.inputs[2] if len(node.inputs) > 2 else None
    layout = low.common_layout([dy, q])
    outer, channels, inner = split_channels(static_shape(dy, node), layout, scale)
    made = QuantizeGrad(
        dy=low.view(dy).ref if layout else low.ref(dy),
        q=low.view(q).ref if layout else low.ref(q),
        scale=spread(low, scale, channels),
        dx=low.output(node.outputs[0], layout),
        outer=outer,
        channels=channels,
        inner=inner,
        low=attribute(node, "low"),
        high=attribute(node, "high"),
    )
    low.emit(node, made)


def split_channels(shape: Sequence[int], strides: Sequence[int] | None, scale: ir.Value | None) -> tuple[int, int, int]:
    """Return the elements outside of a channel, the channels, and the elements within one.

    `scale` has its channels in one dimension, and broadcasts over the others. `strides` are those
    of a layout without gaps; None is row-major.
    """
    axis = channel_axis(len(shape), scale)
    if axis is None:
        return 1, 1, math.prod(shape)
    if strides is None:
        return math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    inner = math.prod(d for d, s in zip(shape, strides, strict=True) if d > 1 and s < strides[axis])
    return math.prod(shape) // (shape[axis] * inner), shape[axis], inner


def channel_axis(rank: int, scale: ir.Value | None) -> int | None:
    """Return the axis along which the scales differ; None if one scale is for all elements."""
    dims = [] if scale is None else list(static_shape(scale))
    axes = [rank - len(dims) + i for i, d in enumerate(dims) if d > 1]
    return axes[0] if axes else None


def spread(low: Lowering, scale: ir.Value | None, channels: int) -> Ref | None:
    """Return the scales, one for each channel."""
    assert scale is None or low.elements(scale) == channels
    return None if scale is None else low.ref(scale)


INSIDE = """
  lowest = Constant <value_int: int = @low> ()
  highest = Constant <value_int: int = @high> ()
  nothing = Constant <value_float = 0.0> ()
  wide = Cast <to = 7> (q)
  above = Greater (wide, lowest)
  below = Less (wide, highest)
  inside = And (above, below)
  passed = Where (inside, dY, nothing)"""

SCALED_GRAD = f"""
ScaledGrad <low: int, high: int> (dY, q, scale) => (g) {{{INSIDE}
  g = Mul (passed, scale)
}}"""


def lower_bias_grad(low: Lowering, node: ir.Node) -> None:
    """Emit REDUCE_SUM, and DIV by one scale for all channels or one for each."""
    g, scale, db = node.inputs[0], node.inputs[2], node.outputs[0]
    x, total = low.view(g), low.scratch(f"{db.name}.total", static_shape(db, node), [1]).ref
    strides = reduction_strides(node, static_shape(g, node), x.strides, reduced_axes(node))
    low.emit(node, ReduceSum(x=x.ref, y=total, **strides, scale=1.0, accumulate=False))
    step = 1 if low.elements(scale) > 1 else 0
    low.emit(node, flat_binary(Div, total, low.ref(scale), low.output(db), low.elements(db), b_step=step))


BIAS_GRAD = """
QBiasGrad (g, axes, scale) => (dB) {
  total = ReduceSum <keepdims = 0> (g, axes)
  dB = Div (total, scale)
}"""


OPERATORS = [
    Operator("ScaledGrad", None, lower, DOMAIN, SCALED_GRAD, any_width=True),
    Operator("QBiasGrad", None, lower_bias_grad, DOMAIN, BIAS_GRAD, constants=(1,)),
]
