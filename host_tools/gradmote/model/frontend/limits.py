"""Limits on the size of a model once its functions and subgraphs are expanded.

They are checked before anything is built of the model, because a small file can claim a large one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import onnx

from ...errors import ModelError

MAX_NODES = 100_000  #: a call of a function counts as the nodes in it
MAX_NESTING = 8  #: depth of graphs in nodes of graphs
MAX_CALLS = 64  #: depth of functions that call functions

_SIMPLIFY = "export it without control flow, or simplify it"
_Functions = dict[tuple[str, str], onnx.FunctionProto]


def check_limits(proto: onnx.ModelProto) -> None:
    """Raise ModelError where subgraphs nest too deeply, or functions expand to too many nodes."""
    functions = {(f.domain, f.name): f for f in proto.functions}
    bodies = [proto.graph.node, *(f.node for f in proto.functions)]
    if max(nesting(body) for body in bodies) > MAX_NESTING:
        raise ModelError(f"graphs nest more than {MAX_NESTING} deep", _SIMPLIFY)
    if count_nodes(proto.graph.node, functions, {}, 0) > MAX_NODES:
        raise ModelError(f"the model has more than {MAX_NODES:,} nodes, its functions expanded", _SIMPLIFY)


def subgraphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    """Yield the graphs in a node's attributes."""
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def nesting(nodes: Iterable[onnx.NodeProto]) -> int:
    """Return how deeply subgraphs nest, 0 without any.

    The recursion is safe, because protobuf refuses messages that nest more than 100 deep.
    """
    return max((1 + nesting(graph.node) for node in nodes for graph in subgraphs(node)), default=0)


def count_nodes(nodes: Iterable[onnx.NodeProto], functions: _Functions, known: dict[str, int], calls: int) -> int:
    """Return the number of nodes once all functions are inlined.

    known: the numbers of functions that were counted. Raises ModelError where calls nest too
    deeply.
    """
    if calls > MAX_CALLS:
        raise ModelError(f"functions call each other more than {MAX_CALLS} deep", _SIMPLIFY)
    total = 0
    for node in nodes:
        function = functions.get((node.domain, node.op_type))
        key = f"{node.domain}::{node.op_type}"
        if function is not None and key not in known:
            known[key] = count_nodes(function.node, functions, known, calls + 1)
        total += known[key] if function is not None else 1
        total += sum(count_nodes(graph.node, functions, known, calls) for graph in subgraphs(node))
    return total
