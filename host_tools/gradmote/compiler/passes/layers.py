"""The record of the user's node from which each node came; `gradmote analyze` groups by it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile

import onnx_ir as ir

from ...model.graph import BACKWARD, LAYER, describe


def name_layers(graph: ir.Graph) -> None:
    """Mark every node as a layer of its own."""
    for node in graph:
        node.metadata_props[LAYER] = describe(node)


@contextmanager
def inherited(graph: ir.Graph) -> Iterator[None]:
    """Give each node that is added within this context the layer of a node that was there.

    This is the layer of a removed node that read the same data; else of the node whose output's
    name it takes over; else of its reader.
    """
    before = [(node, node.inputs[0] if node.inputs else None, [o.name for o in node.outputs]) for node in graph]
    yield
    left = set(graph)
    readers = {data: node for node, data, _ in before if node not in left}
    makers = {name: node for node, _, names in before for name in names}
    for node in reversed(list(graph)):
        if not marks(node):
            replaced = [readers.get(data) for data in node.inputs[:1]] + [makers.get(o.name) for o in node.outputs]
            belong(node, [*filter(None, replaced), *(user for o in node.outputs for user, _ in o.uses())])


@contextmanager
def layer_called(graph: ir.Graph, layer: str | None, backward: bool = False) -> Iterator[None]:
    """Mark each node that is appended within this context with a layer, or as its gradient.

    The layer None marks no layer.
    """
    last = next(reversed(graph), None)
    yield
    for node in takewhile(lambda n: n is not last, reversed(graph)):
        node.metadata_props.update({LAYER: layer} if layer else {})
        node.metadata_props.update({BACKWARD: "1"} if backward else {})


def belong(node: ir.Node, relatives: list[ir.Node]) -> None:
    """Give a node the marks of the first relative that has a layer."""
    for relative in relatives:
        if LAYER in relative.metadata_props:
            node.metadata_props.update(marks(relative))
            return


def marks(node: ir.Node) -> dict[str, str]:
    """Return the metadata that record the layer of a node, and whether it is backward."""
    return {key: node.metadata_props[key] for key in (LAYER, BACKWARD) if key in node.metadata_props}
