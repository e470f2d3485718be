"""The pass that turns GlobalAveragePool into a ReduceMean over all positions.

The gradient then costs one product per element; that of a pool searches windows for each element.
"""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ..ir.graph import Builder, rank, sort_nodes, take_over
from ..ir.metadata import GLOBAL_POOL
from .rewrite_reductions import reduce


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every GlobalAveragePool."""
    for node in list(graph):
        if node.op_type == "GlobalAveragePool" and not node.domain:
            x, y, builder = node.inputs[0], node.outputs[0], Builder(graph)
            axes = builder.constant(list(range(2, rank(x, node))), f"{y.name}.axes")
            made = reduce(builder, "ReduceMean", x, axes, f"{y.name}.mean")
            GLOBAL_POOL.write(made.producer(), "1")
            take_over(graph, y, made)
    sort_nodes(graph)
