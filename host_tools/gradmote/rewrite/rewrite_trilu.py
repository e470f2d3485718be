"""The pass that rewrites Trilu of a known shape as a Where with a constant mask."""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ..ir.graph import Builder, attribute, sort_nodes, static_shape, take_over
from ..operators.trilu import diagonal_of


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every Trilu."""
    for node in list(graph):
        if node.op_type == "Trilu" and not node.domain:
            take_over(graph, node.outputs[0], masked(Builder(graph), node))
    sort_nodes(graph)


def masked(builder: Builder, node: ir.Node) -> ir.Value:
    """Append Where(mask, x, 0), with the part above or below the diagonal as the mask."""
    x, y = node.inputs[0], node.outputs[0]
    everything = np.ones(static_shape(x, node)[-2:], np.bool_)
    part = np.triu if attribute(node, "upper", 1) else np.tril
    mask = builder.constant(part(everything, diagonal_of(node)), f"{y.name}.mask")
    zero = builder.constant(np.zeros((), x.dtype.numpy()), f"{y.name}.zero")
    return builder.op("Where", mask, x, zero, name=f"{y.name}.masked")
