"""Rules shared by the operators on int8.

Their nodes have the inputs of ONNX's QLinearConv and QLinearMatMul, in the same order: each quantized
value, then its scale and its zero point, which are constants. The attributes `low` and `high` bound the
quantized result.

Frozen int8 weights are stored as kernels read them, trained ones as in ONNX.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

import numpy as np
import onnx_ir as ir

from ..errors import GradmoteError
from ..ir.generated.instructions import Div
from ..ir.graph import attribute, constant_array, describe
from ..ir.instruction import Buffer, Ref
from ..ir.lowering import View
from ..ir.strides import packed
from .elementwise import emit_with_constant

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

#: The last lines of a function body: bounds the int8 `whole` by the attributes low and high.
CLAMP_WHOLE = """\
  lowest = Constant <value_int: int = @low> ()
  highest = Constant <value_int: int = @high> ()
  least = Cast <to = 3> (lowest)
  most = Cast <to = 3> (highest)
  Y = Clip (whole, least, most)
"""
#: The last lines for a float32 result before bounds, `total`.
CLAMP_TOTAL = """\
  lowest = Constant <value_int: int = @low> ()
  highest = Constant <value_int: int = @high> ()
  least = Cast <to = 1> (lowest)
  most = Cast <to = 1> (highest)
  clamped = Clip (total, least, most)
  Y = Cast <to = 3> (clamped)
"""


class Bounds(TypedDict):
    """The parameters of a result's quantization, except its scale."""

    y_zero: int
    low: int
    high: int


def numbers(node: ir.Node, index: int) -> np.ndarray:
    """Return the data of an input that is a scale or a zero point; an absent zero point is 0."""
    value = node.inputs[index]
    array = constant_array(value) if value is not None else np.zeros((), np.int8)
    if array is None:
        raise GradmoteError(f"'{value.name}' of {describe(node)} is not a constant")
    return array


def scale(node: ir.Node, index: int) -> float:
    """Return a scale that all elements share."""
    return float(numbers(node, index).reshape(()))


def zero(node: ir.Node, index: int) -> int:
    """Return a zero point that all elements share; vectors have one number throughout."""
    return int(numbers(node, index).ravel()[0])


def bounds(node: ir.Node, zero_index: int) -> Bounds:
    """Return the parameters of the result, whose zero point is input `zero_index`."""
    return {"y_zero": zero(node, zero_index), "low": attribute(node, "low"), "high": attribute(node, "high")}


def multipliers(x_scale: np.ndarray, w_scale: np.ndarray, y_scale: np.ndarray, channels: int) -> np.ndarray:
    """Return (x_scale w_scale) / y_scale in float32, one for each channel."""
    product = x_scale.astype(np.float32) * w_scale.astype(np.float32)
    return np.ascontiguousarray(np.broadcast_to((product / y_scale.astype(np.float32)).reshape(-1), (channels,)))


def multipliers_ref(low: Lowering, node: ir.Node, scales: tuple[int, int, int], channels: int) -> Ref:
    """Return the constant operand of the multipliers; `scales` are the inputs x_scale, w_scale and y_scale."""
    x_scale, w_scale, y_scale = (numbers(node, index) for index in scales)
    found = multipliers(x_scale, w_scale, y_scale, channels)
    return low.constant(found.astype(np.float32).tobytes())


def integer_bias(low: Lowering, node: ir.Node, index: int) -> Ref | None:
    """Return the operand of an int32 bias; None if it is absent, float32 or all zeros."""
    bias = node.inputs[index] if len(node.inputs) > index else None
    if bias is None or bias.dtype != ir.DataType.INT32 or is_frozen_zero(low, bias):
        return None
    return low.ref(bias)


def is_frozen_zero(low: Lowering, value: ir.Value) -> bool:
    """Return whether a value is a constant of zeros that nothing trains."""
    array = constant_array(value)
    return array is not None and value.name not in low.shared.state and not array.any()


def float_bias(low: Lowering, node: ir.Node, index: int, y_scale: int) -> Ref | None:
    """Return the operand of a float32 bias divided by the result's scale; None if there is none."""
    bias = node.inputs[index] if len(node.inputs) > index else None
    if bias is None or bias.dtype != ir.DataType.FLOAT:
        return None
    array, divisor = constant_array(bias), np.float32(scale(node, y_scale))
    if array is not None and bias.name not in low.shared.state:
        return low.constant((array.reshape(-1) / divisor).astype(np.float32).tobytes())
    made = Ref(Buffer(f"{bias.name}.offset", 4 * low.elements(bias), "scratch"))
    emit_with_constant(low, node, Div, low.ref(bias), low.scalar(float(divisor)), made)
    return made


def weight_view(low: Lowering, w: ir.Value, order: Sequence[int]) -> View:
    """Return the view of weights; frozen ones have their axes in `order`, the longest stride first."""
    array = constant_array(w)
    if array is None or w.name in low.shared.state:
        return low.view(w)
    data = np.ascontiguousarray(array.transpose(order))
    return View(low.constant(data.tobytes()), packed(array.shape, order), "i8")


def convolution_order(shape: Sequence[int]) -> list[int]:
    """Return the order for weights (out_channels, in_channels, kernel...) of a convolution.

    In_channels are contiguous; if a group has only one, out_channels are.
    """
    kernel = list(range(2, len(shape)))
    return [*kernel, 1, 0] if shape[1] == 1 else [0, *kernel, 1]
