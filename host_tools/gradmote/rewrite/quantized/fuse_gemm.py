"""The patterns Quantize(Gemm(...)) and Quantize(MatMul(...)) with weights, which become QGemm."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ...ir.graph import Builder, attribute, static_shape
from .matching import replace
from .product import Product, product_of


def fuse(graph: ir.Graph, node: ir.Node) -> bool:
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
