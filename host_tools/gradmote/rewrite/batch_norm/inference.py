"""BatchNormalization of a graph that does not train, with running statistics that are state.

The statistics are not constant, so the graph computes inv_std:

y = (x - mean) inv_std scale + bias,  inv_std = 1 / sqrt(var + epsilon)
"""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ...ir.graph import Builder, sort_nodes, take_over
from ...operators.normalize import normalize
from .shared import batch_norms, epsilon


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Replace every BatchNormalization by Normalize with the running statistics."""
    for node in batch_norms(graph):
        rewrite(graph, node)
    sort_nodes(graph)


def rewrite(graph: ir.Graph, node: ir.Node) -> None:
    """Replace one node, and compute inv_std from its running variance."""
    builder, y = Builder(graph), node.outputs[0]
    _, scale, bias, mean, var = node.inputs
    above_zero = builder.op("Add", var, builder.constant(epsilon(node), f"{y.name}.epsilon"), name=f"{y.name}.variance")
    std = builder.op("Sqrt", above_zero, name=f"{y.name}.std")
    inv_std = builder.op("Reciprocal", std, name=f"{y.name}.inv_std")
    for value in (above_zero, std, inv_std):
        value.shape, value.type = var.shape, var.type
    take_over(graph, y, normalize(builder, node, (mean, inv_std), scale, bias, batch=False))
