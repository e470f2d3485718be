"""QConvGradX and QConvGradW, QGemmGradX and QGemmGradW, QBiasGrad and ReduceSum with 16-bit gradients.

QBiasGrad and ReduceSum are the sum of g over all axes except the channels. QBiasGrad divides the sum by
the weight's scale, by which g was multiplied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ...ir.generated.instructions import ConvGradWS16, ConvGradXS16, SumS16
from ...ir.graph import attribute, constant_array, static_shape
from ...ir.instruction import Buffer, Ref
from ...ir.strides import collapse, pad_front
from ..conv import grouped_x, grouped_y, sizes, weight_strides
from ..q_conv_grad import factors, zero_of
from ..q_gemm_grad import columns, strides_of
from ..reduce_sum import lower_sum as lower_float_sum
from ..reduce_sum import reduced_axes
from ..window import channels_last, spatial, window_of
from .values import MOST, is_int16, make, read

if TYPE_CHECKING:
    from ...ir.lowering import Lowering


def gain_of(value: ir.Value) -> Ref:
    """Return the word of the state that predicts a gradient's exponent (see the pass collect_gains)."""
    return Ref(Buffer(f"{value.name}.gain", 4, "statistic"))


def lower_conv_grad_x(low: Lowering, node: ir.Node) -> None:
    """Emit one CONV_GRAD_X_S16; dx is channels-last."""
    g, w, dx = node.inputs[0], node.inputs[1], node.outputs[0]
    layout, dy = channels_last(static_shape(dx, node)), read(low, node, g)
    weights, made = low.view(w), make(low, dx, layout)
    gradient = ConvGradXS16(
        dy=dy.ref, dy_exponent=dy.exponent, w=weights.ref,
        dx=made.ref, exponent=made.exponent, gain=gain_of(dx),
        **sizes(node, dx, w),
        **window_of(node, spatial(dx), spatial(g), spatial(w)).params(),
        **grouped_x(layout, w),
        **weight_strides(weights.strides, node, w),
        **grouped_y(dy.strides, node, w),
        w_zero=zero_of(node), low=-128, high=127, limit=MOST, panel_words=1,
    )  # fmt: skip
    low.emit(node, gradient)


def lower_conv_grad_w(low: Lowering, node: ir.Node) -> None:
    """Emit one CONV_GRAD_W_S16; dw is row-major."""
    g, x, dw = node.inputs[0], node.inputs[1], node.outputs[0]
    dy = read(low, node, g)
    gradient = ConvGradWS16(
        x=low.view(x).ref, dy=dy.ref, dy_exponent=dy.exponent, factor=factors(low, node, static_shape(dw, node)[0]),
        y=low.output(dw),
        **sizes(node, x, dw),
        **window_of(node, spatial(x), spatial(g), spatial(dw)).params(),
        **grouped_x(low.view(x).strides, dw),
        **grouped_y(dy.strides, node, dw),
        x_zero=zero_of(node), dy_limit=MOST, accumulate=False, panel_words=1,
    )  # fmt: skip
    low.emit(node, gradient)


def lower_gemm_grad_x(low: Lowering, node: ir.Node) -> None:
    """Emit one CONV_GRAD_X_S16; dx is row-major."""
    dx = node.outputs[0]
    dy, w, made = read(low, node, node.inputs[0]), low.view(node.inputs[1]), make(low, dx)
    rows, in_channels = static_shape(dx, node)
    out_stride, in_stride = w.strides if not attribute(node, "transW", 0) else w.strides[::-1]
    gradient = ConvGradXS16(
        dy=dy.ref, dy_exponent=dy.exponent, w=w.ref, dx=made.ref, exponent=made.exponent, gain=gain_of(dx),
        **columns(rows), in_channels=in_channels, out_channels=static_shape(node.inputs[0], node)[1],
        **strides_of("x", [in_channels, 1]), **strides_of("y", dy.strides),
        w_group=0, w_out_channel=out_stride, w_in_channel=in_stride, w_h=0, w_w=0,
        w_zero=zero_of(node), low=-128, high=127, limit=MOST, panel_words=1,
    )  # fmt: skip
    low.emit(node, gradient)


def lower_gemm_grad_w(low: Lowering, node: ir.Node) -> None:
    """Emit one CONV_GRAD_W_S16; the gradient of the weights is row-major, a row for each output."""
    dy, x, dw = read(low, node, node.inputs[0]), low.view(node.inputs[1]), node.outputs[0]
    out_channels, in_channels = static_shape(dw, node)
    gradient = ConvGradWS16(
        x=x.ref, dy=dy.ref, dy_exponent=dy.exponent, factor=factors(low, node, out_channels), y=low.output(dw),
        **columns(static_shape(node.inputs[0], node)[0]), in_channels=in_channels, out_channels=out_channels,
        **strides_of("x", x.strides), **strides_of("y", dy.strides),
        x_zero=zero_of(node), dy_limit=MOST, accumulate=False, panel_words=1,
    )  # fmt: skip
    low.emit(node, gradient)


def lower_bias_grad(low: Lowering, node: ir.Node) -> None:
    """Emit one SUM_S16."""
    emit_sum(low, node, divisor(low, node, low.elements(node.outputs[0])))


def lower_sum(low: Lowering, node: ir.Node) -> None:
    """Emit one SUM_S16 if a 16-bit gradient is summed for each channel, else lower as for float32."""
    g = node.inputs[0]
    if is_int16(low, g) and len(reduced_axes(node)) == len(static_shape(g, node)) - 1:
        emit_sum(low, node, None)
        return
    low.any_exponent = False
    lower_float_sum(low, node)


def emit_sum(low: Lowering, node: ir.Node, divided_by: Ref | None) -> None:
    """Emit one SUM_S16 over the node's axes, which are all except one."""
    g, db = node.inputs[0], node.outputs[0]
    shape, axes = static_shape(g, node), reduced_axes(node)
    (channel,) = [axis for axis in range(len(shape)) if axis not in axes]
    source = read(low, node, g)
    kept, (merged,) = collapse([shape[a] for a in axes], [source.strides[a] for a in axes])
    if len(kept) > 2:
        low.ref(g)
        source = read(low, node, g)
        kept, (merged,) = collapse([shape[a] for a in axes], [source.strides[a] for a in axes])
    (outer, inner), (x_outer, x_inner) = pad_front(kept, 2, 1), pad_front(merged, 2, 0)
    total = SumS16(
        x=source.ref, x_exponent=source.exponent, divisor=divided_by, y=low.output(db),
        outer=outer, channels=shape[channel], inner=inner,
        x_outer=x_outer, x_channel=source.strides[channel], x_inner=x_inner, accumulate=False,
    )  # fmt: skip
    low.emit(node, total)


def divisor(low: Lowering, node: ir.Node, channels: int) -> Ref:
    """Return the operand of the scales, one for each channel."""
    array = constant_array(node.inputs[2])
    assert array is not None
    return low.constant(np.broadcast_to(array.reshape(-1), (channels,)).astype(np.float32).tobytes())
