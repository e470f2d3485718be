"""Separate copies of weights that several nodes use.

Some exporters merge equal initializers, such as the ones and zeros of fresh normalization layers.
Merged, they train as one weight; with copies, each layer has its own again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import onnx

from .free_batch import new_name

#: The text between a weight's name and the number in the names of its copies.
UNTIED = ".untied_"

#: Operators that only reshape a weight, or give its real numbers: the node after them is the user.
_VIEWS = ("Identity", "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "QuantizeLinear", "DequantizeLinear")

#: The nodes from a weight to the node that uses it: views, then the user.
Path = list[onnx.NodeProto]


def untie(graph: onnx.GraphProto, names: Sequence[str]) -> None:
    """Give each node that uses one of these initializers a copy, named after it with UNTIED and a number from 1."""
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    for name in names:
        paths = list(paths_from(graph, name))
        users = list({id(path[-1]): path[-1] for path in paths}.values())
        for number, user in enumerate(users if len(users) > 1 else [], 1):
            copy = graph.initializer.add()
            copy.CopyFrom(tensors[name])
            copy.name = new_name(graph, f"{name}{UNTIED}{number}")
            for path in paths:
                if path[-1] is user:
                    lead(graph, name, copy.name, path)
        if len(users) > 1:
            remove(graph, name)


def paths_from(graph: onnx.GraphProto, name: str) -> Iterator[Path]:
    """Yield the paths from a value to the nodes that use it."""
    outputs = {output.name for output in graph.output}
    for node in graph.node:
        if name not in node.input:
            continue
        is_view = node.op_type in _VIEWS and not node.domain and node.input[0] == name
        behind = list(paths_from(graph, node.output[0])) if is_view and node.output[0] not in outputs else []
        yield from ([node, *path] for path in behind or [[]])


def lead(graph: onnx.GraphProto, old: str, new: str, path: Path) -> None:
    """Connect the path's user to `new` instead of `old`, through copies of the views."""
    for view in path[:-1]:
        own = onnx.NodeProto()
        own.CopyFrom(view)
        own.input[0] = new
        own.output[0] = new_name(graph, f"{view.output[0]}{UNTIED.rstrip('_')}")
        own.name = own.output[0]
        behind = list(graph.node).index(view) + 1
        graph.node.insert(behind, own)
        old, new = view.output[0], own.output[0]
    user = path[-1]
    for index, name in enumerate(user.input):
        if name == old:
            user.input[index] = new


def remove(graph: onnx.GraphProto, name: str) -> None:
    """Remove the initializer that is now copied, and its views without users."""
    for node in [node for node in graph.node if name in node.input]:
        remove(graph, node.output[0])
        graph.node.remove(node)
    for tensor in [tensor for tensor in graph.initializer if tensor.name == name]:
        graph.initializer.remove(tensor)
