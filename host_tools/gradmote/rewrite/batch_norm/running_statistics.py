"""BatchNormalization with running statistics.

y = (x - mean) inv_std scale + bias,  inv_std = 1 / sqrt(var + epsilon)

run_frozen      The statistics are constant; scale and bias train.
run_inference   A graph that does not train, with running statistics that are state. They are not
                constant, so the graph computes inv_std.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ...ir.graph import Builder, prune, sort_nodes, take_over
from ...operators.normalize import normalize
from .shared import batch_norms, epsilon, frozen_statistics

# ---- run_frozen ------------------------------------------------------------------------------------------------------


def run_frozen(graph: ir.Graph, keep: Set[str]) -> None:
    """Replace every BatchNormalization with a Normalize of constant statistics."""
    for node in batch_norms(graph):
        freeze(graph, node)
    prune(graph)
    sort_nodes(graph)


def freeze(graph: ir.Graph, node: ir.Node) -> None:
    """Replace one node, with its running mean and inv_std as constants."""
    builder, y, (scale, bias) = Builder(graph), node.outputs[0], node.inputs[1:3]
    mean, var = frozen_statistics(node)
    known = (("mean", mean), ("inv_std", 1.0 / np.sqrt(var + epsilon(node))))
    statistics = [builder.constant(data.astype(np.float32), f"{y.name}.{name}") for name, data in known]
    take_over(graph, y, normalize(builder, node, statistics, scale, bias, batch=False))


# ---- run_inference ---------------------------------------------------------------------------------------------------


def run_inference(graph: ir.Graph, keep: Set[str]) -> None:
    """Replace every BatchNormalization with a Normalize of the running statistics."""
    for node in batch_norms(graph):
        use_state(graph, node)
    sort_nodes(graph)


def use_state(graph: ir.Graph, node: ir.Node) -> None:
    """Replace one node, and compute inv_std from its running variance."""
    builder, y = Builder(graph), node.outputs[0]
    _, scale, bias, mean, var = node.inputs
    above_zero = builder.op("Add", var, builder.constant(epsilon(node), f"{y.name}.epsilon"), name=f"{y.name}.variance")
    std = builder.op("Sqrt", above_zero, name=f"{y.name}.std")
    inv_std = builder.op("Reciprocal", std, name=f"{y.name}.inv_std")
    for value in (above_zero, std, inv_std):
        value.shape, value.type = var.shape, var.type
    take_over(graph, y, normalize(builder, node, (mean, inv_std), scale, bias, batch=False))
