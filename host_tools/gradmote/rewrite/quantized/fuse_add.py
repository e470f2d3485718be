"""The patterns Quantize(Add(...)) and Quantize(Mul(...)) of dequantized values, which become QAdd and QMul."""

from __future__ import annotations

import onnx_ir as ir

from ...ir.graph import Builder
from .matching import activation, quantizer, replace, scale_and_zero

FUSED = {"Add": "QAdd", "Mul": "QMul"}


def fuse(graph: ir.Graph, node: ir.Node) -> bool:
    """Fuse one Add or Mul if both operands are quantized; return whether they are."""
    if node.domain or node.op_type not in FUSED:
        return False
    a, b, result = activation(node.inputs[0]), activation(node.inputs[1]), quantizer(node.outputs[0])
    if a is None or b is None or result is None:
        return False
    builder, name = Builder(graph), result.node.outputs[0].name
    inputs = [a.value, *scale_and_zero(builder, f"{name}.a", a.affine)]
    inputs += [b.value, *scale_and_zero(builder, f"{name}.b", b.affine)]
    inputs += scale_and_zero(builder, f"{name}.y", result.affine)
    replace(graph, node, result, FUSED[node.op_type], inputs)
    return True
