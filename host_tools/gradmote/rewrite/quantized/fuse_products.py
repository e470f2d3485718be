"""Patterns of convolutions and matrix products of int8 values, and the operands that they share.

Quantize(Conv(DequantizeLinear(x), DequantizeLinear(w), b))            becomes   QConv
Quantize(ConvTranspose(DequantizeLinear(x), DequantizeLinear(w), b))   becomes   QConvTranspose
Quantize(Gemm(...)) and Quantize(MatMul(...)) with weights             become    QGemm
Quantize(MatMul(DequantizeLinear(a), DequantizeLinear(b)))             becomes   QMatMul
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from dataclasses import replace as with_fields

import numpy as np
import onnx_ir as ir

from ...ir.affine import Affine
from ...ir.graph import Builder, attribute, rank, static_shape
from ...operators.conv import conv_attributes, conv_window
from ...operators.conv_transpose import transposed_window
from .matching import Quantized, Result, activation, dequantized, quantizer, replace, same_scales, scale_and_zero

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


def fuse_conv(graph: ir.Graph, node: ir.Node) -> bool:
    """Fuse one Conv if its operands are quantized; return whether they are."""
    found = product_of(node, 0) if node.op_type == "Conv" and not node.domain else None
    if found is None:
        return False
    window = conv_window(node)
    attributes = conv_attributes(window, attribute(node, "group", 1)) | {"kernel_shape": window.kernel}
    if not found.has_float_bias:
        replace(graph, node, found.result, "QConv", found.inputs(graph), **attributes)
        return True
    channels = by_channels(found, static_shape(node.inputs[1], node)[0])
    positions = list(range(1, 1 + len(window.kernel)))
    replace(graph, node, found.result, "QConvFloatBias", channels.inputs(graph), axes=positions, **attributes)
    return True


def by_channels(found: Product, channels: int) -> Product:
    """Return the operands with a weight scale for each output channel, and one zero point, as the body needs them."""
    scales = np.broadcast_to(found.w.affine.scale.reshape(-1), (channels,)).copy()
    one = found.w.affine.zero.ravel()[0]
    return with_fields(found, w=Quantized(found.w.value, Affine(scales, np.asarray(one), 0)))


def fuse_conv_transpose(graph: ir.Graph, node: ir.Node) -> bool:
    """Fuse one ConvTranspose if its operands are quantized; return whether they are."""
    found = product_of(node, 1) if node.op_type == "ConvTranspose" and not node.domain else None
    group = attribute(node, "group", 1)
    if found is None or (found.w.affine.axis is not None and group > 1):
        return False
    window, inputs = transposed_window(node), found.inputs(graph)
    if found.bias is None:
        channels = static_shape(node.outputs[0], node)[1]
        inputs[-1] = Builder(graph).constant(np.zeros(channels, np.int32), f"{node.outputs[0].name}.bias")
    attributes = conv_attributes(window, group) | {"kernel_shape": window.kernel, "output_padding": window.uncovered}
    op_type = "QConvTransposeFloatBias" if found.has_float_bias else "QConvTranspose"
    replace(graph, node, found.result, op_type, inputs, **attributes)
    return True


def fuse_gemm(graph: ir.Graph, node: ir.Node) -> bool:
    """Fuse one Gemm or MatMul if its operands are quantized; return whether they are."""
    if node.domain or node.op_type not in ("Gemm", "MatMul") or not is_plain(node):
        return False
    out_axis = 0 if attribute(node, "transB", 0) else 1
    found = product_of(node, out_axis)
    if found is None or not is_vector(found):
        return False
    inputs = found.inputs(graph)
    if found.bias is None:
        outputs = static_shape(found.w.value, node)[out_axis]
        inputs[-1] = Builder(graph).constant(np.zeros(outputs, np.int32), f"{node.outputs[0].name}.bias")
    op_type = "QGemmFloatBias" if found.has_float_bias else "QGemm"
    replace(graph, node, found.result, op_type, inputs, perm=[out_axis ^ 1, out_axis])
    return True


def is_plain(node: ir.Node) -> bool:
    """Return whether the node multiplies by a matrix, without factors or a transposed first operand."""
    w = node.inputs[1]
    factors = (attribute(node, "alpha", 1.0), attribute(node, "beta", 1.0), attribute(node, "transA", 0))
    return w is not None and w.shape is not None and len(w.shape) == 2 and factors == (1.0, 1.0, 0)


def is_vector(found: Product) -> bool:
    """Return whether the bias has one number per column."""
    shape = None if found.bias is None else static_shape(found.bias)
    outputs = static_shape(found.result.node.outputs[0])[-1]
    return shape is None or shape == (outputs,)


def fuse_matmul(graph: ir.Graph, node: ir.Node) -> bool:
    """Fuse one MatMul if both operands are quantized; return whether they are."""
    if node.domain or node.op_type != "MatMul":
        return False
    a, b, result = activation(node.inputs[0]), activation(node.inputs[1]), quantizer(node.outputs[0])
    if a is None or b is None or result is None or min(rank(a.value), rank(b.value)) < 2:
        return False
    builder, name = Builder(graph), result.node.outputs[0].name
    inputs: list[ir.Value | None] = [a.value, *scale_and_zero(builder, f"{name}.a", a.affine)]
    inputs += [b.value, *scale_and_zero(builder, f"{name}.b", b.affine)]
    inputs += scale_and_zero(builder, f"{name}.y", result.affine)
    replace(graph, node, result, "QMatMul", inputs)
    return True
