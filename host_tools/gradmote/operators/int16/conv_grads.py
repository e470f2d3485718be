"""QConvGradX and QConvGradW with 16-bit gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ...ir.generated.instructions import ConvGradWS16, ConvGradXS16
from ...ir.graph import static_shape
from ...ir.instruction import Buffer, Ref
from ..conv import grouped_x, grouped_y, sizes, weight_strides
from ..q_conv_grad import factors, zero_of
from ..window import channels_last, spatial, window_of
from .values import MOST, make, read

if TYPE_CHECKING:
    from ...ir.lowering import Lowering


def gain_of(value: ir.Value) -> Ref:
    """Return the word of the state that predicts a gradient's exponent (see the pass collect_gains)."""
    return Ref(Buffer(f"{value.name}.gain", 4, "statistic"))


def lower_x(low: Lowering, node: ir.Node) -> None:
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


def lower_w(low: Lowering, node: ir.Node) -> None:
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
