"""The pattern Quantize(MatMul(DequantizeLinear(a), DequantizeLinear(b))) of two computed matrices: QMatMul."""

from __future__ import annotations

import onnx_ir as ir

from ...ir.graph import Builder, rank
from .matching import activation, quantizer, replace, scale_and_zero


def fuse(graph: ir.Graph, node: ir.Node) -> bool:
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
