"""BatchNormalization folded into the preceding Conv, ConvTranspose or Gemm.

    W' = W a,  b' = bias + (b - mean) a,  a = scale / sqrt(var + epsilon)  for each output channel

A node without such a predecessor becomes y = x a + (bias - mean a), with both vectors trained. New
weights are named after the old ones, with FOLDED appended.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ...ir.graph import Builder, attribute, constant_array, prune, sort_nodes, take_over
from ...ir.metadata import WEIGHTS
from .running_statistics import freeze
from .shared import batch_norms, epsilon, frozen_statistics, known, scale_and_shift

#: The suffix of a weight with a BatchNormalization folded into it. `gradmote export` folds the model if it finds one.
FOLDED = ".batch_norm_folded"


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Fold every BatchNormalization."""
    for node in batch_norms(graph):
        rewrite(graph, node)
    prune(graph)
    sort_nodes(graph)


def run_for_inference(graph: ir.Graph, keep: Set[str]) -> None:
    """Fold every BatchNormalization of a model that only infers.

    A node with a computed scale or bias cannot be folded, and is treated as frozen.
    """
    for node in batch_norms(graph):
        computed = any(constant_array(value) is None for value in node.inputs[1:3])
        (freeze if computed else rewrite)(graph, node)
    prune(graph)
    sort_nodes(graph)


def rewrite(graph: ir.Graph, node: ir.Node) -> None:
    """Fold a node into the preceding layer, or replace it with a scale and a shift."""
    mean, var = frozen_statistics(node)
    factor = known(node, 1) / np.sqrt(var + epsilon(node))
    linear = node.inputs[0].producer()
    if linear is not None and is_foldable(linear):
        fold(graph, node, linear, factor, mean)
    else:
        replace(graph, node, factor, known(node, 2) - mean * factor)


def is_foldable(linear: ir.Node) -> bool:
    """Return whether only this layer uses its weights, and only one node reads its output."""
    y, weights = linear.outputs[0], [v for v in linear.inputs[1:3] if v is not None]
    return (
        linear.op_type in ("Conv", "ConvTranspose", "Gemm")
        and not linear.domain
        and len(list(y.uses())) == 1
        and not y.is_graph_output()
        and all(constant_array(w) is not None and len(list(w.uses())) == 1 for w in weights)
    )


def fold(graph: ir.Graph, node: ir.Node, linear: ir.Node, factor: np.ndarray, mean: np.ndarray) -> None:
    """Replace the layer and its BatchNormalization with one layer with new weights and bias."""
    w, y = linear.inputs[1], node.outputs[0]
    b = linear.inputs[2] if len(linear.inputs) > 2 else None
    old_bias = known(linear, 2).reshape(-1) if b is not None else 0.0
    weight = weight_of(graph, w, known(linear, 1) * output_channels(linear, factor))
    bias = weight_of(graph, b or node.inputs[2], known(node, 2) + (old_bias - mean) * factor)
    attributes = {a.name: a.value for a in linear.attributes.values()}
    result = Builder(graph).op(linear.op_type, linear.inputs[0], weight, bias, name=f"{y.name}.folded", **attributes)
    take_over(graph, y, result)


def output_channels(linear: ir.Node, factor: np.ndarray) -> np.ndarray:
    """Return one factor per output channel, shaped to multiply the weight."""
    ones = [1] * (len(linear.inputs[1].shape) - 2)
    if linear.op_type == "Conv":  # (M, C / group, k...)
        return factor.reshape(-1, 1, *ones)
    if linear.op_type == "Gemm":  # (K, N), or (N, K) if transB
        return factor.reshape(-1, 1) if attribute(linear, "transB", 0) else factor
    # ConvTranspose: (C, M / group, k...), with the channels of a group side by side
    group = attribute(linear, "group", 1)
    rows = int(linear.inputs[1].shape[0]) // group
    return np.repeat(factor.reshape(group, -1), rows, axis=0).reshape(group * rows, -1, *ones)


def replace(graph: ir.Graph, node: ir.Node, factor: np.ndarray, shift: np.ndarray) -> None:
    """Replace a node without a foldable predecessor with y = x factor + shift."""
    scale, bias = (weight_of(graph, v, a) for v, a in zip(node.inputs[1:3], (factor, shift), strict=True))
    take_over(graph, node.outputs[0], scale_and_shift(Builder(graph), node, node.inputs[0], scale, bias))


def weight_of(graph: ir.Graph, old: ir.Value, data: np.ndarray) -> ir.Value:
    """Return a new weight that takes the old one's position among the recorded weights."""
    value = Builder(graph).constant(data.astype(np.float32), f"{old.name}{FOLDED}")
    WEIGHTS.write(graph, [str(value.name) if n == old.name else n for n in WEIGHTS.read(graph, [])])
    return value
