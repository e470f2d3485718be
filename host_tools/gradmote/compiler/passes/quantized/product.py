"""The operands that convolutions and matrix products of int8 values share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ....model.affine import Affine
from ....model.graph import Builder
from .matching import Quantized, Result, activation, dequantized, quantizer, same_scales, scale_and_zero


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
        """Tell whether the bias is float32."""
        return self.bias is not None and self.bias.dtype == ir.DataType.FLOAT

    def inputs(self, graph: ir.Graph) -> list[ir.Value | None]:
        """Add the constants of all scales, and return the inputs in the order of QLinearConv."""
        builder, name = Builder(graph), self.result.node.outputs[0].name
        x = [self.x.value, *scale_and_zero(builder, f"{name}.x", self.x.affine)]
        w = [self.w.value, *scale_and_zero(builder, f"{name}.w", self.w.affine)]
        return [*x, *w, *scale_and_zero(builder, f"{name}.y", self.result.affine), self.bias]


def product_of(node: ir.Node, out_axis: int) -> Product | None:
    """Return the operands of a node (x, w, bias?), or None where some are unlike what int8 kernels take.

    `out_axis` is the axis of the weights' output channels, along which their scales may differ.
    """
    x, w, result = activation(node.inputs[0]), dequantized(node.inputs[1]), quantizer(node.outputs[0])
    if x is None or w is None or result is None or w.affine.axis not in (None, out_axis):
        return None
    if np.any(w.affine.zero != w.affine.zero.ravel()[0]):
        return None
    given = node.inputs[2] if len(node.inputs) > 2 else None
    return Product(x, w, bias_of(given, x.affine, w.affine), result)


def bias_of(bias: ir.Value | None, x: Affine, w: Affine) -> ir.Value | None:
    """Return the int32 bias behind a DequantizeLinear with the products of both scales, else the bias itself."""
    found = dequantized(bias, np.int32)
    if found is None or found.affine.zero.any():
        return bias
    products = np.broadcast_to(x.scale * w.scale, np.broadcast_shapes(w.scale.shape, found.affine.scale.shape))
    return found.value if same_scales(found.affine.scale, products) else bias
