"""QGemmGradX and QGemmGradW with 16-bit gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ...ir.generated.instructions import ConvGradWS16, ConvGradXS16
from ...ir.graph import attribute, static_shape
from ..q_conv_grad import factors, zero_of
from ..q_gemm_grad import columns, strides_of
from .conv_grads import gain_of
from .values import MOST, make, read

if TYPE_CHECKING:
    from ...ir.lowering import Lowering


def lower_x(low: Lowering, node: ir.Node) -> None:
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


def lower_w(low: Lowering, node: ir.Node) -> None:
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
