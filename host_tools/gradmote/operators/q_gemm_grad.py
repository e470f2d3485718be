"""QGemmGradX and QGemmGradW: the gradients of a matrix product of int8 numbers, y = x W'^T.

    dx = g (W' - w_zero)                 W' is w, (out_channels, in_channels), or with transW w^T
    dW' = factor[m] g^T (x - x_zero)

They are those of a convolution with a kernel of 1 over an image of one row, with a column for each row
of x. See QConvGradX for g and factor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.generated.instructions import ConvGradWS8, ConvGradXS8
from ..ir.graph import DOMAIN, attribute, static_shape
from .operator import Operator
from .q_conv_grad import CENTRED, factors, zero_of
from .quantized import weight_view

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

#: The window of a kernel of 1, without the columns.
POINT = {
    "batch": 1, "groups": 1, "in_h": 1, "out_h": 1, "kernel_h": 1, "kernel_w": 1, "stride_h": 1, "stride_w": 1,
    "dilation_h": 1, "dilation_w": 1, "pad_h": 0, "pad_w": 0,
}  # fmt: skip


def strides_of(name: str, strides: list[int]) -> dict[str, int]:
    """Return the strides of a matrix (rows, channels) as an image with one row of pixels."""
    row, channel = strides
    return {f"{name}_batch": 0, f"{name}_h": 0, f"{name}_w": row, f"{name}_group": 0, f"{name}_channel": channel}


def columns(rows: int) -> dict[str, int]:
    """Return the sizes of an image that has a column for each row of the matrices."""
    return {**POINT, "in_w": rows, "out_w": rows}


def lower_grad_x(low: Lowering, node: ir.Node) -> None:
    """Emit one CONV_GRAD_X_S8; dx is row-major."""
    g, w, dx = low.view(node.inputs[0]), node.inputs[1], node.outputs[0]
    assert w is not None
    rows, in_channels = static_shape(dx, node)
    order = [1, 0] if attribute(node, "transW", 0) else [0, 1]
    weights = weight_view(low, w, order)
    out_stride, in_stride = (weights.strides[axis] for axis in order)
    made = ConvGradXS8(
        y=g.ref,
        w=weights.ref,
        x=low.output(dx),
        **columns(rows),
        in_channels=in_channels,
        out_channels=static_shape(node.inputs[0], node)[1],
        **strides_of("x", [in_channels, 1]),
        **strides_of("y", g.strides),
        w_group=0,
        w_out_channel=out_stride,
        w_in_channel=in_stride,
        w_h=0,
        w_w=0,
        w_zero=zero_of(node),
        accumulate=False,
    )
    low.emit(node, made)


def lower_grad_w(low: Lowering, node: ir.Node) -> None:
    """Emit one CONV_GRAD_W_S8; the gradient of W' is row-major."""
    g, x, dw = low.view(node.inputs[0]), low.view(node.inputs[1]), node.outputs[0]
    out_channels, in_channels = static_shape(dw, node)
    made = ConvGradWS8(
        x=x.ref,
        dy=g.ref,
        factor=factors(low, node, out_channels),
        y=low.output(dw),
        **columns(static_shape(node.inputs[0], node)[0]),
        in_channels=in_channels,
        out_channels=out_channels,
        **strides_of("x", x.strides),
        **strides_of("y", g.strides),
        x_zero=zero_of(node),
        accumulate=False,
    )
    low.emit(node, made)


GRAD_X = f"""
QGemmGradX <transW: int> (dY, q, zero) => (dX) {{{CENTRED}
  dX = Gemm <transB: int = @transW> (dY, centred)
}}"""

GRAD_W = f"""
QGemmGradW (dY, q, zero, factor) => (dW) {{{CENTRED}
  sums = Gemm <transA = 1> (dY, centred)
  dW = Mul (sums, factor)
}}"""

OPERATORS = [
    Operator("QGemmGradX", None, lower_grad_x, DOMAIN, GRAD_X, any_width=True),
    Operator("QGemmGradW", None, lower_grad_w, DOMAIN, GRAD_W, any_width=True),
]
