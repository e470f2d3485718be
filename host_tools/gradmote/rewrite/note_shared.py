"""The pass that records which weights several nodes use.

Their gradients are summed, which is right if the model ties its weights. But some exporters also
merge weights that are equal by chance, such as the ones and zeros of fresh normalization layers.
"""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ..ir.graph import describe
from ..ir.metadata import SHARED_WEIGHTS, WEIGHTS


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Record the shared weights and their nodes in the graph's metadata."""
    weights = [graph.initializers[name] for name in WEIGHTS.read(graph, []) if name in graph.initializers]
    users = {str(w.name): {id(use.node): describe(use.node) for use in w.uses()} for w in weights}
    shared = {name: list(nodes.values()) for name, nodes in users.items() if len(nodes) > 1}
    if shared:
        SHARED_WEIGHTS.write(graph, shared)
