"""The pass that rewrites LpNormalization as a reduction and a Div.

y = x / norm, norm = sum |x| or sqrt(sum x x) along an axis. If the norm is 0, x is divided by
infinity instead: y is 0, as in ONNX, and so is the gradient.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.graph import Builder, attribute, describe, normalize_axis, sort_nodes, take_over
from .rewrite_reductions import reduce

REDUCTIONS = {1: "ReduceL1", 2: "ReduceL2"}


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every LpNormalization."""
    for node in list(graph):
        if node.op_type == "LpNormalization" and not node.domain:
            rewrite(graph, node)
    sort_nodes(graph)


def rewrite(graph: ir.Graph, node: ir.Node) -> None:
    """Replace one node; raise UnsupportedOperator if p is neither 1 nor 2."""
    x, y, builder = node.inputs[0], node.outputs[0], Builder(graph)
    p = attribute(node, "p", 2)
    if p not in REDUCTIONS:
        raise UnsupportedOperator(f"LpNormalization with p = {p}", "ONNX has 1 and 2", describe(node))
    axis = builder.constant([normalize_axis(attribute(node, "axis", -1), x, node)], f"{y.name}.axis")
    norm = reduce(builder, REDUCTIONS[p], x, axis, f"{y.name}.norm")
    is_zero = builder.op("Equal", norm, builder.constant(0.0, f"{y.name}.zero"), name=f"{y.name}.is_zero")
    infinity = builder.constant(np.float32(np.inf), f"{y.name}.infinity")
    divisor = builder.op("Where", is_zero, infinity, norm, name=f"{y.name}.divisor")
    take_over(graph, y, builder.op("Div", x, divisor, name=f"{y.name}.quotient"))
