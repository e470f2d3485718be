"""How large a model may unfold: looked at before anything is built of it, since a small file can claim a lot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import onnx

from ...errors import ModelError

MAX_NODES = 100_000  #: with every call of a function counted as what is in it
MAX_NESTING = 8  #: graphs in nodes of graphs
MAX_CALLS = 64  #: functions that call functions, deep

_SIMPLIFY = "export it without control flow, or simplify it"
_Functions = dict[tuple[str, str], onnx.FunctionProto]


def check_limits(proto: onnx.ModelProto) -> None:
    """Raises ModelError where subgraphs nest too deeply, or functions expand to too many nodes."""
    functions = {(f.domain, f.name): f for f in proto.functions}
    bodies = [proto.graph.node, *(f.node for f in proto.functions)]
    if max(nesting(body) for body in bodies) > MAX_NESTING:
        raise ModelError(f"graphs nest more than {MAX_NESTING} deep", _SIMPLIFY)
    if count_nodes(proto.graph.node, functions, {}, 0) > MAX_NODES:
        raise ModelError(f"the model has more than {MAX_NODES:,} nodes, its functions expanded", _SIMPLIFY)


def subgraphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def nesting(nodes: Iterable[onnx.NodeProto]) -> int:
    """0 without subgraphs. protobuf itself nests messages 100 deep at the most."""
    return max((1 + nesting(graph.node) for node in nodes for graph in subgraphs(node)), default=0)


def count_nodes(nodes: Iterable[onnx.NodeProto], functions: _Functions, known: dict[str, int], calls: int) -> int:
    """Once all functions are inlined. known: of functions that were counted."""
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
