"""QConv and QConvFloatBias, the convolutions of int8 values.

QConv has the inputs and the result of ONNX's QLinearConv, with bounds:

    y = clamp(rne((bias + sum (x - x_zero) (w - w_zero)) x_scale w_scale / y_scale) + y_zero, low, high)

The bias of QConv is int32, in units of x_scale w_scale. That of QConvFloatBias is float32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.generated.instructions import ConvS8
from ..ir.graph import DOMAIN, attribute, static_shape
from .conv import grouped_x, grouped_y, sizes, weight_strides
from .operator import Operator
from .quantized import (
    CLAMP_TOTAL,
    CLAMP_WHOLE,
    bounds,
    convolution_order,
    float_bias,
    integer_bias,
    multipliers_ref,
    weight_view,
    zero,
)
from .window import channels_last, require_fit, spatial, window_of

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

#: The inputs of a node.
X, X_SCALE, X_ZERO, W, W_SCALE, W_ZERO, Y_SCALE, Y_ZERO, BIAS = range(9)


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one CONV_S8; the output is channels-last."""
    x, w, y = node.inputs[X], node.inputs[W], node.outputs[0]
    assert x is not None
    assert w is not None
    view, layout = low.view(x), channels_last(static_shape(y, node))
    weights = weight_view(low, w, convolution_order(static_shape(w, node)))
    made = ConvS8(
        x=view.ref,
        w=weights.ref,
        bias=integer_bias(low, node, BIAS),
        multipliers=multipliers_ref(low, node, (X_SCALE, W_SCALE, Y_SCALE), static_shape(w, node)[0]),
        offsets=float_bias(low, node, BIAS, Y_SCALE),
        y=low.output(y, layout, "i8"),
        **sizes(node, x, w),
        **require_fit(node, window_of(node, spatial(x), spatial(y), attribute(node, "kernel_shape"))).params(),
        **grouped_x(view.strides, w),
        **weight_strides(weights.strides, node, w),
        **grouped_y(layout, node, w),
        x_zero=zero(node, X_ZERO),
        w_zero=zero(node, W_ZERO),
        **bounds(node, Y_ZERO),
        panel_words=1,
    )
    low.emit(node, made)


INTEGER_BIAS = f"""
QConv <group: int, kernel_shape: ints, strides: ints, dilations: ints, pads: ints, low: int, high: int>
  (X, x_scale, x_zero, W, w_scale, w_zero, y_scale, y_zero, B) => (Y) {{
  whole = QLinearConv <group: int = @group, kernel_shape: ints = @kernel_shape, strides: ints = @strides,
    dilations: ints = @dilations, pads: ints = @pads> (X, x_scale, x_zero, W, w_scale, w_zero, y_scale, y_zero, B)
{CLAMP_WHOLE}}}"""
FLOAT_BIAS = f"""
QConvFloatBias <group: int, kernel_shape: ints, strides: ints, dilations: ints, pads: ints, axes: ints, low: int,
  high: int> (X, x_scale, x_zero, W, w_scale, w_zero, y_scale, y_zero, B) => (Y) {{
  middle = Constant <value_int = 128> ()
  wide = Cast <to = 7> (X)
  moved = Add (wide, middle)
  x = Cast <to = 2> (moved)
  wide_zero = Cast <to = 7> (x_zero)
  moved_zero = Add (wide_zero, middle)
  zero = Cast <to = 2> (moved_zero)
  sums = ConvInteger <group: int = @group, kernel_shape: ints = @kernel_shape, strides: ints = @strides,
    dilations: ints = @dilations, pads: ints = @pads> (x, W, zero, w_zero)
  real = Cast <to = 1> (sums)
  product_scale = Mul (x_scale, w_scale)
  multiplier = Div (product_scale, y_scale)
  offset = Div (B, y_scale)
  positions = Constant <value_ints: ints = @axes> ()
  multipliers = Unsqueeze (multiplier, positions)
  offsets = Unsqueeze (offset, positions)
  scaled = Mul (real, multipliers)
  shifted = Add (scaled, offsets)
  rounded = Round (shifted)
  y_zero_real = Cast <to = 1> (y_zero)
  total = Add (rounded, y_zero_real)
{CLAMP_TOTAL}}}"""

OPERATORS = [
    Operator("QConv", None, lower, DOMAIN, INTEGER_BIAS, any_width=True),
    Operator("QConvFloatBias", None, lower, DOMAIN, FLOAT_BIAS, any_width=True),
]
