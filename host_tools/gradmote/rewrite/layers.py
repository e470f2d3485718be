"""Notes for reports: the user's node from which each node originates, and the weights that several nodes use.

`gradmote analyze` groups by the first. Gradients of shared weights are summed, which is right if the model ties its
weights. But some exporters also merge weights that are equal by chance, such as the ones and zeros of fresh
normalization layers.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import contextmanager
from itertools import takewhile

import onnx_ir as ir

from ..ir.graph import describe
from ..ir.metadata import BACKWARD, LAYER, SHARED_WEIGHTS, WEIGHTS


def name_layers(graph: ir.Graph) -> None:
    """Mark every node as a layer of its own; the copies of a loop's node are one."""
    for node in graph:
        if not LAYER.stands_in(node):
            LAYER.write(node, describe(node))


@contextmanager
def inherited(graph: ir.Graph) -> Iterator[None]:
    """Give each node that is added within this context the layer of an existing node.

    This is the layer of a removed node that read the same data; else of the node whose output name it
    takes over; else of its reader.
    """
    before = [(node, node.inputs[0] if node.inputs else None, [o.name for o in node.outputs]) for node in graph]
    yield
    left = set(graph)
    readers = {data: node for node, data, _ in before if node not in left}
    makers = {name: node for node, _, names in before for name in names}
    for node in reversed(list(graph)):
        if not LAYER.stands_in(node) and not BACKWARD.stands_in(node):
            replaced = [readers.get(data) for data in node.inputs[:1]] + [makers.get(o.name) for o in node.outputs]
            belong(node, [*filter(None, replaced), *(user for o in node.outputs for user, _ in o.uses())])


@contextmanager
def layer_called(graph: ir.Graph, layer: str | None, backward: bool = False) -> Iterator[None]:
    """Mark each node that is appended within this context with a layer, or as its gradient.

    If the layer is None, nodes get no mark.
    """
    last = next(reversed(graph), None)
    yield
    for node in takewhile(lambda n: n is not last, reversed(graph)):
        if layer:
            LAYER.write(node, layer)
        if backward:
            BACKWARD.write(node, "1")


def belong(node: ir.Node, relatives: list[ir.Node]) -> None:
    """Give a node the marks of the first relative that has a layer."""
    for relative in relatives:
        if LAYER.stands_in(relative):
            LAYER.copy(relative, node)
            BACKWARD.copy(relative, node)
            return


def note_shared(graph: ir.Graph, keep: Set[str]) -> None:
    """Record the weights that several layers share, and a node of each, in the graph's metadata."""
    weights = [graph.initializers[name] for name in WEIGHTS.read(graph, []) if name in graph.initializers]
    users = {
        str(w.name): {LAYER.read(use.node, describe(use.node)): describe(use.node) for use in w.uses()} for w in weights
    }
    shared = {name: list(nodes.values()) for name, nodes in users.items() if len(nodes) > 1}
    if shared:
        SHARED_WEIGHTS.write(graph, shared)
