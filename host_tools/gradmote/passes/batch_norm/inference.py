"""BatchNormalization of a graph that does not train, where the running statistics are state and so no constants:

    y = x factor + (bias - mean factor),  factor = scale / sqrt(var + epsilon)
"""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ...graph import Builder, take_over
from .shared import batch_norms, epsilon, scale_and_shift


def run(graph: ir.Graph, keep: Set[str]) -> None:
    for node in batch_norms(graph):
        rewrite(graph, node)
    graph.sort()


def rewrite(graph: ir.Graph, node: ir.Node) -> None:
    builder, y = Builder(graph), node.outputs[0]
    x, scale, bias, mean, var = node.inputs

    def op(op_type: str, a: ir.Value, b: ir.Value | None, name: str) -> ir.Value:
        result = builder.op(op_type, *([a] if b is None else [a, b]), name=f"{y.name}.{name}")
        result.shape, result.type = mean.shape, mean.type
        return result

    above_zero = op("Add", var, builder.constant(epsilon(node), f"{y.name}.epsilon"), "variance")
    factor = op("Div", scale, op("Sqrt", above_zero, None, "deviation"), "factor")
    shift = op("Sub", bias, op("Mul", mean, factor, "offset"), "shift")
    take_over(graph, y, scale_and_shift(builder, node, x, factor, shift))
