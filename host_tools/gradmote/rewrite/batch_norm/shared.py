"""Helpers shared by the passes over BatchNormalization."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ...errors import UnsupportedOperator
from ...ir.graph import Builder, attribute, constant_array, describe, rank
from ..rewrite_normalizations import per_channel

#: ONNX's defaults.
EPSILON, MOMENTUM = 1e-5, 0.9


def batch_norms(graph: ir.Graph) -> list[ir.Node]:
    """Return the BatchNormalization nodes of a graph."""
    return [node for node in graph if node.op_type == "BatchNormalization" and not node.domain]


def epsilon(node: ir.Node) -> float:
    """Return the node's epsilon, or ONNX's default."""
    return attribute(node, "epsilon", EPSILON)


def frozen_statistics(node: ir.Node) -> tuple[np.ndarray, np.ndarray]:
    """Return the running mean and variance in float64.

    Raises UnsupportedOperator if the node computes statistics of its own.
    """
    if attribute(node, "training_mode", 0):
        raise UnsupportedOperator(
            "BatchNormalization with statistics of the batch",
            "export the model in eval mode, or choose them: --batch-norm batch (batch_norm='batch')",
            describe(node),
        )
    return known(node, 3), known(node, 4)


def known(node: ir.Node, index: int) -> np.ndarray:
    """Return an input's data in float64; raise UnsupportedOperator if the model computes it."""
    array = constant_array(node.inputs[index])
    if array is None:
        raise UnsupportedOperator(
            f"BatchNormalization with a computed '{node.inputs[index].name}'", "make it an initializer", describe(node)
        )
    return array.astype(np.float64)


def tail(node: ir.Node) -> list[int]:
    """Return a 1 for each dimension after the channels, to reshape (C) to (C, 1, ...)."""
    return [1] * (rank(node.inputs[0], node) - 2)


def scale_and_shift(builder: Builder, node: ir.Node, x: ir.Value, scale: ir.Value, shift: ir.Value) -> ir.Value:
    """Append x scale + shift, with one scale and one shift per channel."""
    y, ones = node.outputs[0], tail(node)
    scaled = builder.op("Mul", x, per_channel(builder, scale, ones), name=f"{y.name}.gain")
    scaled.shape, scaled.type = x.shape, x.type
    return builder.op("Add", scaled, per_channel(builder, shift, ones), name=f"{y.name}.sum")
