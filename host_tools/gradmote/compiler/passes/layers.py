"""Remembers through all rewrites which node of the user's model a node came from: `gradmote analyze` groups by it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile

import onnx_ir as ir

from ...model.graph import BACKWARD, LAYER, describe


def name_layers(graph: ir.Graph) -> None:
    """Every node is a layer of its own."""
    for node in graph:
        node.metadata_props[LAYER] = describe(node)


@contextmanager
def inherited(graph: ir.Graph) -> Iterator[None]:
    """Nodes that are added meanwhile take the layer of a node that went and read the same data, else of the one whose
    output's name they take over, else of their reader."""
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
    """Nodes that are appended meanwhile belong to this layer (None: to none), or to its gradient."""
    last = next(reversed(graph), None)
    yield
    for node in takewhile(lambda n: n is not last, reversed(graph)):
        node.metadata_props.update({LAYER: layer} if layer else {})
        node.metadata_props.update({BACKWARD: "1"} if backward else {})


def belong(node: ir.Node, relatives: list[ir.Node]) -> None:
    """Gives a node the marks of the first relative that has a layer."""
    for relative in relatives:
        if LAYER in relative.metadata_props:
            node.metadata_props.update(marks(relative))
            return


def marks(node: ir.Node) -> dict[str, str]:
    """What says of a node where it came from."""
    return {key: node.metadata_props[key] for key in (LAYER, BACKWARD) if key in node.metadata_props}
