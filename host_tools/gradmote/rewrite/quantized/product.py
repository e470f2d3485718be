"""The operands that convolutions and matrix products of int8 values share."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ...ir.affine import Affine
from ...ir.graph import Builder, static_shape
from .matching import Quantized, Result, activation, dequantized, quantizer, same_scales, scale_and_zero

INT32_MAX = int(np.iinfo(np.int32).max)


@dataclass(frozen=True)
class Product:
    """A Conv, Gemm or MatMul whose inputs are dequantized, and whose output is quantized.

    `bias` is int32 in units of both inputs' scales, or float32, or None.
    """

    x: Quantized
    w: Quantized
    bias: ir.Value | None
    result: Result

    @property
    def has_float_bias(self) -> bool:
        """Return whether the bias is float32."""
        return self.bias is not None and self.bias.dtype == ir.DataType.FLOAT

    def inputs(self, graph: ir.Graph) -> list[ir.Value | None]:
        """Add the constants of all scales, and return the inputs in the order of QLinearConv."""
        builder, name = Builder(graph), self.result.node.outputs[0].name
        x = [self.x.value, *scale_and_zero(builder, f"{name}.x", self.x.affine)]
        w = [self.w.value, *scale_and_zero(builder, f"{name}.w", self.w.affine)]
        return [*x, *w, *scale_and_zero(builder, f"{name}.y", self.result.affine), self.bias]


def product_of(node: ir.Node, out_axis: int) -> Product | None:
    """Return the operands of a node (x, w, bias?), or None if int8 kernels do not take some of them.

    `out_axis` is the axis of the weights' output channels, along which their scales may differ.
    """
    x, w, result = activation(node.inputs[0]), dequantized(node.inputs[1]), quantizer(node.outputs[0])
    if x is None or w is None or result is None or w.affine.axis not in (None, out_axis):
        return None
    if np.any(w.affine.zero != w.affine.zero.ravel()[0]) or largest_sum(x, w, out_axis) > INT32_MAX:
        return None
    given = node.inputs[2] if len(node.inputs) > 2 else None
    return Product(x, w, bias_of(given, x, w, out_axis), result)


def bias_of(bias: ir.Value | None, x: Quantized, w: Quantized, out_axis: int) -> ir.Value | None:
    """Return the int32 bias whose DequantizeLinear has the products of both scales, else the bias itself.

    A bias with which a sum could overflow int32 is added as a real number. Quantizers make such biases
    for dead channels, to whose weights they give tiny scales.
    """
    found = dequantized(bias, np.int32)
    if found is None or found.affine.zero.any():
        return bias
    if largest_number(found.value) + largest_sum(x, w, out_axis) > INT32_MAX:
        return bias
    scales = found.affine.scale
    products = np.broadcast_to(x.affine.scale * w.affine.scale, np.broadcast_shapes(w.affine.scale.shape, scales.shape))
    return found.value if same_scales(scales, products) else bias


def largest_sum(x: Quantized, w: Quantized, out_axis: int) -> int:
    """Return the largest magnitude of a sum of (x - x_zero) (w - w_zero) over all x and w."""
    shape = static_shape(w.value)
    terms = math.prod(shape) // max(shape[out_axis], 1)
    return terms * largest_distance(x.affine) * largest_distance(w.affine)


def largest_distance(affine: Affine) -> int:
    """Return the largest distance of an int8 number from its zero point."""
    zero = int(affine.zero.ravel()[0])
    return max(127 - zero, zero + 128)


def largest_number(value: ir.Value) -> int:
    """Return the largest magnitude in a constant or in a parameter's initial value."""
    return 0 if value.const_value is None else int(np.abs(value.const_value.numpy().astype(np.int64)).max(initial=0))
