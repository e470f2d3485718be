"""QConvTranspose and QConvTransposeFloatBias, the transposed convolutions of int8 values.

    y = clamp(rne((bias + sum (x - x_zero) (w - w_zero)) x_scale w_scale / y_scale) + y_zero, low, high)

The weights have the shape (in_channels, out_channels / group, kernel...). The bias of QConvTranspose is
int32, in units of x_scale w_scale. The instruction counts channels and windows like the convolution that
it transposes, whose input is the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.generated.instructions import ConvTransposeS8
from ..ir.graph import DOMAIN, attribute, static_shape
from .conv import grouped_x, grouped_y, sizes, weight_strides
from .operator import Operator
from .quantized import (
    CLAMP_WHOLE,
    bounds,
    convolution_order,
    float_bias,
    integer_bias,
    multipliers_ref,
    weight_view,
    zero,
)
from .window import channels_last, spatial, window_of

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

#: The inputs of a node.
X, X_SCALE, X_ZERO, W, W_SCALE, W_ZERO, Y_SCALE, Y_ZERO, BIAS = range(9)


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one CONV_TRANSPOSE_S8; the output is channels-last."""
    x, w, y = node.inputs[X], node.inputs[W], node.outputs[0]
    assert x is not None
    assert w is not None
    view, layout = low.view(x), channels_last(static_shape(y, node))
    weights = weight_view(low, w, convolution_order(static_shape(w, node)))
    result = bounds(node, Y_ZERO)
    made = ConvTransposeS8(
        y=view.ref,
        w=weights.ref,
        bias=integer_bias(low, node, BIAS),
        multipliers=multipliers_ref(low, node, (X_SCALE, W_SCALE, Y_SCALE), static_shape(y, node)[1]),
        offsets=float_bias(low, node, BIAS, Y_SCALE),
        x=low.output(y, layout, "i8"),
        **sizes(node, y, w),
        **window_of(node, spatial(y), spatial(x), attribute(node, "kernel_shape")).params(),
        **grouped_x(layout, w),
        **weight_strides(weights.strides, node, w),
        **grouped_y(view.strides, node, w),
        y_zero=zero(node, X_ZERO),
        w_zero=zero(node, W_ZERO),
        x_zero=result["y_zero"],
        low=result["low"],
        high=result["high"],
        panel_words=1,
    )
    low.emit(node, made)


def body(name: str, bias: str) -> str:
    """Return the function; `bias` is the line that converts B to the float bias b."""
    return f"""
{name} <group: int, kernel_shape: ints, strides: ints, dilations: ints, pads: ints, output_padding: ints,
  low: int, high: int> (X, x_scale, x_zero, W, w_scale, w_zero, y_scale, y_zero, B) => (Y) {{
  x = DequantizeLinear (X, x_scale, x_zero)
  w = DequantizeLinear <axis = 1> (W, w_scale, w_zero)
  {bias}
  y = ConvTranspose <group: int = @group, kernel_shape: ints = @kernel_shape, strides: ints = @strides,
    dilations: ints = @dilations, pads: ints = @pads, output_padding: ints = @output_padding> (x, w, b)
  whole = QuantizeLinear (y, y_scale, y_zero)
{CLAMP_WHOLE}}}"""


INTEGER_BIAS = body("QConvTranspose", "unit = Mul (x_scale, w_scale)\n  b = DequantizeLinear <axis = 0> (B, unit)")
FLOAT_BIAS = body("QConvTransposeFloatBias", "b = Identity (B)")

OPERATORS = [
    Operator("QConvTranspose", None, lower, DOMAIN, INTEGER_BIAS, any_width=True),
    Operator("QConvTransposeFloatBias", None, lower, DOMAIN, FLOAT_BIAS, any_width=True),
]
