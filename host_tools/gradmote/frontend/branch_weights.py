"""The tensors of a model, including those in the branches of an If, each under a unique name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import onnx


@dataclass
class Tensor:
    """A constant tensor of a graph, with a name that is unique in the whole model.

    The name starts with that of the branch if other graphs have a tensor of the same name.
    """

    name: str
    original: str
    graph: onnx.GraphProto
    data: onnx.TensorProto


def tensors_of(graph: onnx.GraphProto) -> Iterator[Tensor]:
    """Yield initializers and the tensors of Constant nodes, outer graphs before inner ones."""
    taken: set[str] = set()
    for prefix, inner in graphs_of(graph):
        found = [(t.name, t) for t in inner.initializer]
        found += [(n.output[0], n.attribute[0].t) for n in inner.node if is_tensor(n)]
        for original, data in found:
            name = original
            while name in taken:
                name = f"{prefix}.{name}"
            taken.add(name)
            yield Tensor(name, original, inner, data)


def graphs_of(graph: onnx.GraphProto, prefix: str = "graph") -> Iterator[tuple[str, onnx.GraphProto]]:
    """Yield the graph and the graphs in its nodes, each with a distinguishing prefix."""
    yield prefix, graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from graphs_of(attribute.g, f"{node.name or node.output[0]}.{attribute.name}")


def is_tensor(node: onnx.NodeProto) -> bool:
    """Return whether the node is a Constant that holds a tensor."""
    return node.op_type == "Constant" and not node.domain and node.attribute[0].name == "value"


def separate(graph: onnx.GraphProto) -> None:
    """Give each tensor a name that is unique in the model."""
    for tensor in [t for t in tensors_of(graph) if t.name != t.original]:
        rename(tensor.graph, tensor.original, tensor.name)


def rename(graph: onnx.GraphProto, old: str, new: str) -> None:
    """Rename a value of the graph wherever the graph and the graphs in it use it."""
    for value in (*graph.initializer, *graph.output):
        if value.name == old:
            value.name = new
    for node in graph.node:
        for names in (node.input, node.output):
            names[:] = [new if name == old else name for name in names]
        for attribute in node.attribute:
            if attribute.HasField("g"):
                rename(attribute.g, old, new)
