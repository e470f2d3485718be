"""BatchNormalization with its running statistics, which stay as they are; scale and bias train.

    y = (x inv - mean inv) scale + bias,  inv = 1 / sqrt(var + epsilon)

Small batches, as a device has them, make poor statistics: fine-tuning keeps those of the pre-training.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..graph import Builder, attribute, constant_array, describe, prune, rank, take_over

EPSILON = 1e-5  # ONNX's default


def run(graph: ir.Graph, keep: Set[str]) -> None:
    for node in list(graph):
        if node.op_type == "BatchNormalization" and not node.domain:
            rewrite(graph, node)
    prune(graph)
    graph.sort()


def rewrite(graph: ir.Graph, node: ir.Node) -> None:
    x, scale, bias = node.inputs[:3]
    mean, var = statistics(node)
    y, builder = node.outputs[0], Builder(graph)
    tail = [1] * (rank(x, node) - 2)  # statistics are one number a channel: (C, 1, ...)
    inverse = 1.0 / np.sqrt(var + attribute(node, "epsilon", EPSILON))
    factor = builder.constant(inverse.reshape(-1, *tail).astype(np.float32), f"{y.name}.inverse")
    shift = builder.constant((-mean * inverse).reshape(-1, *tail).astype(np.float32), f"{y.name}.shift")
    centred = builder.op("Mul", x, factor, name=f"{y.name}.scaled")
    normal = builder.op("Add", centred, shift, name=f"{y.name}.normal")
    scaled = builder.op("Mul", normal, per_channel(builder, scale, tail), name=f"{y.name}.gain")
    result = builder.op("Add", scaled, per_channel(builder, bias, tail), name=f"{y.name}.sum")
    for value in (centred, normal, scaled):
        value.shape, value.type = x.shape, x.type
    take_over(graph, y, result)


def statistics(node: ir.Node) -> tuple[np.ndarray, np.ndarray]:
    """Running mean and variance in float64. Raises UnsupportedOperator where the node would make its own."""
    found = [constant_array(v) for v in node.inputs[3:5]]
    if attribute(node, "training_mode", 0) or any(a is None for a in found):
        raise UnsupportedOperator(
            "BatchNormalization with statistics of the batch", "export the model in eval mode", describe(node)
        )
    return found[0].astype(np.float64), found[1].astype(np.float64)


def per_channel(builder: Builder, value: ir.Value, tail: list[int]) -> ir.Value:
    """(C) as (C, 1, ...)."""
    if not tail:
        return value
    axes = builder.constant(list(range(1, 1 + len(tail))), f"{value.name}.axes")
    shaped = builder.op("Unsqueeze", value, axes, name=f"{value.name}.per_channel")
    shaped.shape, shaped.type = ir.Shape([*list(value.shape), *tail]), value.type
    return shaped
