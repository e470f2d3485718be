"""The pass that records which weights several nodes use.

Their gradients add up, as they should where a model ties its weights. But some exporters also merge
weights that are equal by chance, such as the ones and zeros of fresh normalization layers.
"""

from __future__ import annotations

import json
from collections.abc import Set

import onnx_ir as ir

from ...model.graph import describe, noted_weights

_SHARED = "gradmote.shared_weights"


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Record the shared weights and their nodes in the graph's metadata."""
    weights = [graph.initializers[name] for name in noted_weights(graph) or () if name in graph.initializers]
    users = {str(w.name): {id(use.node): describe(use.node) for use in w.uses()} for w in weights}
    shared = {name: list(nodes.values()) for name, nodes in users.items() if len(nodes) > 1}
    if shared:
        graph.metadata_props[_SHARED] = json.dumps(shared)


def shared_weights(metadata: dict[str, str]) -> dict[str, list[str]]:
    """Return, for each shared weight of a model that was read, the nodes that use it."""
    return dict(json.loads(metadata.get(_SHARED, "{}")))
