"""BatchNormalization with constant running statistics; scale and bias train.

y = (x - mean) inv_std scale + bias,  inv_std = 1 / sqrt(var + epsilon)
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ...ir.graph import Builder, prune, sort_nodes, take_over
from ...operators.normalize import normalize
from .shared import batch_norms, epsilon, frozen_statistics


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Replace every BatchNormalization by Normalize with constant statistics."""
    for node in batch_norms(graph):
        rewrite(graph, node)
    prune(graph)
    sort_nodes(graph)


def rewrite(graph: ir.Graph, node: ir.Node) -> None:
    """Replace one node, with its running mean and inv_std as constants."""
    builder, y, (scale, bias) = Builder(graph), node.outputs[0], node.inputs[1:3]
    mean, var = frozen_statistics(node)
    known = (("mean", mean), ("inv_std", 1.0 / np.sqrt(var + epsilon(node))))
    statistics = [builder.constant(data.astype(np.float32), f"{y.name}.{name}") for name, data in known]
    take_over(graph, y, normalize(builder, node, statistics, scale, bias, batch=False))
