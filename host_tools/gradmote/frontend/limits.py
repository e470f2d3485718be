"""Limits on the size of a model once its functions and subgraphs are expanded.

They are checked before anything is built from the model, because a small file can claim a large one.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Sequence

import onnx

from ..errors import ModelError
from .branch_weights import tensors_of

MAX_NODES = 100_000  #: a call of a function counts as the nodes in it
MAX_NESTING = 8  #: depth of graphs in nodes of graphs
MAX_CALLS = 64  #: depth of functions that call functions
MAX_RANK = 64  #: dimensions of a tensor, at most those of numpy
MAX_SIZE = 1 << 30  #: numbers in a tensor: an arena has at most 1 GiB
#: Numbers that onnx may propagate through computations of shapes; it takes some 100 bytes for each.
MAX_PROPAGATED = 1 << 20

#: Bytes of tensors in other files that are always read, and how often the same bytes may be read beyond that.
SMALL_EXTERNAL, MAX_SHARED = 64 << 20, 4

_SIMPLIFY = "export it without control flow, or simplify it"
_Functions = dict[tuple[str, str], onnx.FunctionProto]


def check_limits(proto: onnx.ModelProto) -> None:
    """Raise ModelError for subgraphs that nest too deeply, too many nodes, or tensors with too many dimensions."""
    functions = {(f.domain, f.name): f for f in proto.functions}
    bodies = [proto.graph.node, *(f.node for f in proto.functions)]
    if max(nesting(body) for body in bodies) > MAX_NESTING:
        raise ModelError(f"graphs nest more than {MAX_NESTING} deep", _SIMPLIFY)
    if count_nodes(proto.graph.node, functions, {}, 0) > MAX_NODES:
        raise ModelError(f"the model has more than {MAX_NODES:,} nodes, its functions expanded", _SIMPLIFY)
    for name, rank in ranks(proto.graph):
        check_rank(name, rank)


def check_rank(name: str, rank: int) -> None:
    """Raise ModelError for a tensor with too many dimensions."""
    if rank > MAX_RANK:
        raise ModelError(f"'{name}' has {rank} dimensions, more than {MAX_RANK}", "give it a shape of fewer")


def check_size(name: str, dims: Sequence[int]) -> None:
    """Raise ModelError for a tensor that no memory holds."""
    check_rank(name, len(dims))
    if math.prod(dims) > MAX_SIZE:
        raise ModelError(f"'{name}' has {math.prod(dims):,} numbers, more than {MAX_SIZE:,}", "take a smaller model")


def check_external_data(proto: onnx.ModelProto, folder: str) -> None:
    """Raise ModelError if tensors claim far more bytes of other files than these have, by sharing them."""
    claimed, files = 0, dict[str, int]()
    for tensor in (found.data for found in tensors_of(proto.graph)):
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            where = {entry.key: entry.value for entry in tensor.external_data}
            path = os.path.join(folder, where.get("location", ""))
            files[path] = os.path.getsize(path) if os.path.isfile(path) else 0
            length, offset = where.get("length", ""), where.get("offset", "")
            claimed += int(length) if length.isdecimal() else files[path] - (int(offset) if offset.isdecimal() else 0)
    if claimed > max(SMALL_EXTERNAL, MAX_SHARED * sum(files.values())):
        raise ModelError(
            f"the model's tensors claim {claimed:,} bytes of files that have {sum(files.values()):,}",
            "let the nodes share one initializer, and not many initializers the same bytes",
        )


def propagates_little(inferred: onnx.GraphProto) -> bool:
    """Return whether the vectors that a graph joins are short enough to propagate their numbers as shapes."""
    joined = {output for node in inferred.node if node.op_type == "Concat" for output in node.output}
    lengths = (info.type.tensor_type.shape.dim for info in inferred.value_info if info.name in joined)
    return all(dims[0].dim_value <= MAX_PROPAGATED for dims in lengths if len(dims) == 1)


def ranks(graph: onnx.GraphProto) -> Iterator[tuple[str, int]]:
    """Yield name and rank of a graph's tensors, including those in attributes and subgraphs."""
    for tensor in graph.initializer:
        yield tensor.name, len(tensor.dims)
    for sparse in graph.sparse_initializer:
        yield sparse.values.name, len(sparse.dims)
    for info in (*graph.input, *graph.output, *graph.value_info):
        yield info.name, len(info.type.tensor_type.shape.dim)
    for node in graph.node:
        for attribute in node.attribute:
            yield from (
                (f"{node.name}.{attribute.name}", len(tensor.dims)) for tensor in (attribute.t, *attribute.tensors)
            )
        for subgraph in subgraphs(node):
            yield from ranks(subgraph)


def subgraphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    """Yield the graphs in a node's attributes."""
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def nesting(nodes: Iterable[onnx.NodeProto]) -> int:
    """Return how deeply subgraphs nest, 0 without any.

    The recursion is safe because protobuf refuses messages that nest more than 100 deep.
    """
    return max((1 + nesting(graph.node) for node in nodes for graph in subgraphs(node)), default=0)


def count_nodes(nodes: Iterable[onnx.NodeProto], functions: _Functions, known: dict[str, int], calls: int) -> int:
    """Return the number of nodes once all functions are inlined.

    known: the node counts of functions counted so far. Raises ModelError if calls nest too deeply.
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
