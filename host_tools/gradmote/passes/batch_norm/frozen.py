"""BatchNormalization with its running statistics, which stay as they are; scale and bias train.

    y = (x inv - mean inv) scale + bias,  inv = 1 / sqrt(var + epsilon)
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ...graph import Builder, prune, take_over
from .shared import batch_norms, epsilon, frozen_statistics, scale_and_shift, tail


def run(graph: ir.Graph, keep: Set[str]) -> None:
    for node in batch_norms(graph):
        rewrite(graph, node)
    prune(graph)
    graph.sort()


def rewrite(graph: ir.Graph, node: ir.Node) -> None:
    x, scale, bias = node.inputs[:3]
    mean, var = frozen_statistics(node)
    y, builder, ones = node.outputs[0], Builder(graph), tail(node)
    inverse = 1.0 / np.sqrt(var + epsilon(node))
    factor = builder.constant(inverse.reshape(-1, *ones).astype(np.float32), f"{y.name}.inverse")
    shift = builder.constant((-mean * inverse).reshape(-1, *ones).astype(np.float32), f"{y.name}.shift")
    centred = builder.op("Mul", x, factor, name=f"{y.name}.scaled")
    normal = builder.op("Add", centred, shift, name=f"{y.name}.normal")
    for value in (centred, normal):
        value.shape, value.type = x.shape, x.type
    take_over(graph, y, scale_and_shift(builder, node, normal, scale, bias))
