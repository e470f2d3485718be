"""The lowering of operators that make and read single quantized values: Quantize, DequantizeLinear, FlipSign."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.affine import Affine, affine_of
from ..ir.copies import flat_copy
from ..ir.flat_binary import flat_binary
from ..ir.generated.instructions import Dequantize, IntToFloat, Mul, Quantize
from ..ir.graph import attribute, constant_array, describe, static_shape
from ..ir.instruction import Buffer, Ref
from ..ir.strides import contiguous, same_walk
from .elementwise import flat_operand

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def affine(node: ir.Node) -> Affine:
    """Return the quantization of a node.

    Raises:
        UnsupportedOperator: It is computed, has blocks, or is of a type that no kernel takes.
    """
    found = affine_of(node)
    if found is None:
        raise UnsupportedOperator(
            f"the scale or the type of {node.op_type}",
            "quantize to int8 or uint8, with constant scales for the tensor or for each channel",
            describe(node),
        )
    return found


def lower_quantize(low: Lowering, node: ir.Node) -> None:
    """Emit one QUANTIZE; the output has the layout of the input."""
    found, (x, layout) = affine(node), flat_operand(low, node.inputs[0])
    y = node.outputs[0]
    made = Quantize(
        x=x,
        y=low.output(y, layout, "i8"),
        n=low.elements(y),
        scale=float(found.scale),
        zero=int(found.zero),
        low=attribute(node, "low"),
        high=attribute(node, "high"),
    )
    low.emit(node, made)


def lower_dequantize(low: Lowering, node: ir.Node) -> None:
    """Emit one DEQUANTIZE. Frozen numbers become a constant, and int32 ones take two instructions."""
    x, y, found = node.inputs[0], node.outputs[0], affine(node)
    assert x is not None
    array = constant_array(x)
    if array is not None and x.name not in low.shared.state:
        low.place(y, low.constant(np.ascontiguousarray(found.dequantize(array)).tobytes()))
    elif x.dtype == ir.DataType.INT32:
        dequantize_words(low, node, found)
    elif found.axis is None:
        dequantize_flat(low, node, found)
    else:
        dequantize_channels(low, node, found)


def dequantize_flat(low: Lowering, node: ir.Node, found: Affine) -> None:
    """Emit one DEQUANTIZE with one scale; the output has the layout of the input."""
    x, y = node.inputs[0], node.outputs[0]
    step = even_step(low, x)
    ref, layout = (low.view(x).ref, None) if step is not None else flat_operand(low, x)
    made = Dequantize(
        x=ref,
        scale=low.scalar(float(found.scale)),
        zero=zeros(low, found),
        y=low.output(y, layout),
        outer=1, channels=1, inner=low.elements(y),
        x_outer=0, x_channel=0, x_inner=step or 1,
    )  # fmt: skip
    low.emit(node, made)


def dequantize_channels(low: Lowering, node: ir.Node, found: Affine) -> None:
    """Emit one DEQUANTIZE with a scale for each channel; the output is row-major."""
    x, y = node.inputs[0], node.outputs[0]
    shape, axis = static_shape(y, node), int(found.axis)
    step, inner = even_step(low, x), math.prod(shape[axis + 1 :])
    ref, step = (low.ref(x), 1) if step is None else (low.view(x).ref, step)
    made = Dequantize(
        x=ref,
        scale=low.constant(found.scale.astype(np.float32).tobytes()),
        zero=zeros(low, found),
        y=low.output(y),
        outer=math.prod(shape[:axis]), channels=shape[axis], inner=inner,
        x_outer=step * shape[axis] * inner, x_channel=step * inner, x_inner=step,
    )  # fmt: skip
    low.emit(node, made)


def even_step(low: Lowering, x: ir.Value | None) -> int | None:
    """Return the distance between row-major elements; None if they are in another order.

    Those of an int16 master are two bytes apart.
    """
    shape, strides = static_shape(x), low.view(x).strides
    step = min((s for d, s in zip(shape, strides, strict=True) if d > 1), default=1)
    return step if step and same_walk(shape, strides, [step * s for s in contiguous(shape)]) else None


def zeros(low: Lowering, found: Affine) -> Ref | None:
    """Return the operand of the zero points; None if all are 0."""
    return low.constant(found.zero.astype(np.int8).tobytes()) if found.zero.any() else None


def dequantize_words(low: Lowering, node: ir.Node, found: Affine) -> None:
    """Emit INT_TO_FLOAT and a product with the scale, for trained int32 numbers.

    Raises:
        UnsupportedOperator: The zero point is not 0.
    """
    x, y = node.inputs[0], node.outputs[0]
    if found.zero.any():
        raise UnsupportedOperator(
            "a zero point of int32 numbers that are trained", "quantize biases with the zero point 0", describe(node)
        )
    shape, n = static_shape(y, node), low.elements(y)
    whole = Ref(Buffer(f"{y.name}.whole", 4 * n, "scratch"))
    low.emit(node, IntToFloat(x=low.ref(x), y=whole, n=n))
    scale = low.constant(np.ascontiguousarray(np.broadcast_to(found.scale, shape), np.float32).tobytes())
    low.emit(node, flat_binary(Mul, whole, scale, low.output(y), n))


def lower_flip_sign(low: Lowering, node: ir.Node) -> None:
    """Emit one COPY_S8 with a table that flips the highest bit; the output has the layout of the input."""
    x, layout = flat_operand(low, node.inputs[0])
    y = node.outputs[0]
    dtype = "i8" if attribute(node, "to") == ir.DataType.INT8.value else "u8"
    flipped = np.arange(-128, 128).astype(np.int8).view(np.uint8) ^ 0x80
    table = low.constant(flipped.tobytes())
    low.emit(node, flat_copy(x, low.output(y, layout, dtype), low.elements(y), dtype, table))
