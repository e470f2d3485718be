"""QConvGradX and QConvGradW: the gradients of a convolution of int8 numbers.

    dx = convT(g, w - w_zero)
    dw = factor[m] corr(x - x_zero, g)

g is the gradient of the real output times the scale of the weight, s_w[m] (see ScaledGrad). So dx
needs no further scale, and factor = s_x / s_w. Both results are gradients of real numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.generated.instructions import ConvGradWS8, ConvGradXS8
from ..ir.graph import DOMAIN, constant_array, describe, static_shape
from .conv import GRAD_W, GRAD_X, grouped_x, grouped_y, sizes, weight_strides
from .operator import Operator
from .quantized import convolution_order, weight_view
from .window import channels_last, spatial, window_of

if TYPE_CHECKING:
    from ..ir.instruction import Ref
    from ..ir.lowering import Lowering


def zero_of(node: ir.Node, index: int = 2) -> int:
    """Return the node's zero point, which is one constant."""
    array = constant_array(node.inputs[index])
    if array is None or array.size != 1:
        raise UnsupportedOperator("a computed zero point, or one for each channel", "", describe(node))
    return int(array.reshape(()))


def factors(low: Lowering, node: ir.Node, channels: int) -> Ref:
    """Return the factor of each output channel."""
    array = constant_array(node.inputs[3])
    assert array is not None
    return low.constant(np.broadcast_to(array.reshape(-1), (channels,)).astype(np.float32).tobytes())


def lower_grad_x(low: Lowering, node: ir.Node) -> None:
    """Emit one CONV_GRAD_X_S8; dx is channels-last."""
    g, w, dx = node.inputs[0], node.inputs[1], node.outputs[0]
    assert w is not None
    layout, weights = channels_last(static_shape(dx, node)), weight_view(low, w, convolution_order(static_shape(w)))
    made = ConvGradXS8(
        y=low.view(g).ref,
        w=weights.ref,
        x=low.output(dx, layout),
        **sizes(node, dx, w),
        **window_of(node, spatial(dx), spatial(g), spatial(w)).params(),
        **grouped_x(layout, w),
        **weight_strides(weights.strides, node, w),
        **grouped_y(low.view(g).strides, node, w),
        w_zero=zero_of(node),
        accumulate=False,
    )
    low.emit(node, made)


def lower_grad_w(low: Lowering, node: ir.Node) -> None:
    """Emit one CONV_GRAD_W_S8; dw is row-major."""
    g, x, dw = node.inputs[0], node.inputs[1], node.outputs[0]
    made = ConvGradWS8(
        x=low.view(x).ref,
        dy=low.view(g).ref,
        factor=factors(low, node, static_shape(dw, node)[0]),
        y=low.output(dw),
        **sizes(node, x, dw),
        **window_of(node, spatial(x), spatial(g), spatial(dw)).params(),
        **grouped_x(low.view(x).strides, dw),
        **grouped_y(low.view(g).strides, node, dw),
        x_zero=zero_of(node),
        accumulate=False,
    )
    low.emit(node, made)


#: The int8 operand `q` minus its zero point, as float32 numbers.
CENTRED = """
  wide = Cast <to = 6> (q)
  shift = Cast <to = 6> (zero)
  moved = Sub (wide, shift)
  centred = Cast <to = 1> (moved)"""


_X_HEAD, _X_LINES = GRAD_X.split("(dY, W) => (dX) {")
_W_HEAD, _W_LINES = GRAD_W.split("(dY, X) => (dW) {")

Q_GRAD_X = f"""{_X_HEAD.replace("ConvGradX", "QConvGradX")}(dY, q, zero) => (dX) {{{CENTRED}
{_X_LINES.replace("(dY, W)", "(dY, centred)")}"""

Q_GRAD_W = f"""{_W_HEAD.replace("ConvGradW", "QConvGradW")}(dY, q, zero, factor) => (dW) {{{CENTRED}
{_W_LINES.replace("(X, split_shape)", "(centred, split_shape)").replace("dW = ", "sums = ").rstrip("}")}
  dW = Mul (sums, factor)
}}"""

OPERATORS = [
    Operator("QConvGradX", None, lower_grad_x, DOMAIN, Q_GRAD_X, any_width=True),
    Operator("QConvGradW", None, lower_grad_w, DOMAIN, Q_GRAD_W, any_width=True),
]
