"""QGemm and QGemmFloatBias, the products of int8 rows and a matrix of weights.

    y[..., n] = clamp(rne((bias[n] + sum over k of (x[..., k] - x_zero) (w[k, n] - w_zero))
                          x_scale w_scale[n] / y_scale) + y_zero, low, high)

`perm` is the transposition that turns the weights as stored into w[k, n]: [1, 0] or [0, 1]. The
instruction is a convolution with one tap, whose columns are the rows of x.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.generated.instructions import ConvS8
from ..ir.graph import DOMAIN, attribute, static_shape
from ..ir.strides import collapse, contiguous
from .operator import Operator
from .quantized import CLAMP_TOTAL, bounds, float_bias, integer_bias, multipliers_ref, weight_view, zero

if TYPE_CHECKING:
    from ..ir.instruction import Ref
    from ..ir.lowering import Lowering

#: The inputs of a node.
X, X_SCALE, X_ZERO, W, W_SCALE, W_ZERO, Y_SCALE, Y_ZERO, BIAS = range(9)


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one CONV_S8 of kernel 1; the output is row-major."""
    x, w, y = node.inputs[X], node.inputs[W], node.outputs[0]
    assert x is not None
    assert w is not None
    out_axis = 0 if list(attribute(node, "perm")) == [1, 0] else 1
    weights = weight_view(low, w, [out_axis, 1 - out_axis])
    outputs, inputs = static_shape(w, node)[out_axis], static_shape(w, node)[1 - out_axis]
    first, row, step = rows(low, x)
    count = low.elements(x) // inputs
    made = ConvS8(
        x=first,
        w=weights.ref,
        bias=integer_bias(low, node, BIAS),
        multipliers=multipliers_ref(low, node, (X_SCALE, W_SCALE, Y_SCALE), outputs),
        offsets=float_bias(low, node, BIAS, Y_SCALE),
        y=low.output(y, dtype="i8"),
        batch=1, groups=1, in_channels=inputs, out_channels=outputs,
        in_h=1, in_w=count, out_h=1, out_w=count, kernel_h=1, kernel_w=1,
        stride_h=1, stride_w=1, dilation_h=1, dilation_w=1, pad_h=0, pad_w=0,
        x_batch=0, x_h=0, x_w=row, x_group=0, x_channel=step,
        w_group=0, w_out_channel=weights.strides[out_axis], w_in_channel=weights.strides[1 - out_axis], w_h=0, w_w=0,
        y_batch=0, y_h=0, y_w=outputs, y_group=0, y_channel=1,
        x_zero=zero(node, X_ZERO),
        w_zero=zero(node, W_ZERO),
        **bounds(node, Y_ZERO),
        panel_words=1,
    )  # fmt: skip
    low.emit(node, made)


def rows(low: Lowering, x: ir.Value) -> tuple[Ref, int, int]:
    """Return the operand of x as rows, with the strides from row to row and from element to element.

    If the layout of x does not allow this, it is made row-major first.
    """
    shape = static_shape(x)
    view = low.view(x)
    leading, (merged,) = collapse(shape[:-1], view.strides[:-1])
    if len(leading) <= 1:
        return view.ref, merged[0] if merged else 0, view.strides[-1]
    return low.ref(x), contiguous(shape)[-2] if math.prod(shape) > 1 else 0, 1


def body(name: str, total: str) -> str:
    """Return the function; `total` are the lines that compute the float32 `scaled` from the int32 sums and B."""
    return f"""
{name} <perm: ints, low: int, high: int> (X, x_scale, x_zero, W, w_scale, w_zero, y_scale, y_zero, B) => (Y) {{
  w = Transpose <perm: ints = @perm> (W)
  sums = MatMulInteger (X, w, x_zero, w_zero)
  product_scale = Mul (x_scale, w_scale)
  multiplier = Div (product_scale, y_scale)
{total}
  rounded = Round (scaled)
  zero = Cast <to = 1> (y_zero)
  total = Add (rounded, zero)
{CLAMP_TOTAL}}}"""


INTEGER_BIAS = body(
    "QGemm",
    """\
  whole = Add (sums, B)
  real = Cast <to = 1> (whole)
  scaled = Mul (real, multiplier)""",
)
FLOAT_BIAS = body(
    "QGemmFloatBias",
    """\
  real = Cast <to = 1> (sums)
  product = Mul (real, multiplier)
  offset = Div (B, y_scale)
  scaled = Add (product, offset)""",
)

OPERATORS = [
    Operator("QGemm", None, lower, DOMAIN, INTEGER_BIAS, any_width=True),
    Operator("QGemmFloatBias", None, lower, DOMAIN, FLOAT_BIAS, any_width=True),
]
