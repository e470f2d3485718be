"""EmbeddingBags whose bags have one size, as an Embedding and a reduction: the exporter makes a loop of each."""

from __future__ import annotations

import math
from operator import getitem
from typing import Any

import torch
from torch.fx import Graph, Node

from ..errors import ModelError

_ATEN = torch.ops.aten
_BAG = _ATEN.embedding_bag.padding_idx
#: A bag's mode -> its reduction of the rows (samples, bag, size) over axis 1.
_REDUCTIONS: list[Any] = [_ATEN.sum.dim_IntList, _ATEN.mean.dim, _ATEN.amax.default]


def open_bags(program: torch.export.ExportedProgram) -> None:
    """Replace each EmbeddingBag of indices (samples, bag). Raises ModelError for another kind."""
    bags = [node for node in program.graph.nodes if node.target is _BAG]
    for bag in bags:
        open_bag(program, bag)
    if bags:
        program.graph.eliminate_dead_code()
        program.graph_module.recompile()


def open_bag(program: torch.export.ExportedProgram, bag: Node) -> None:
    """Replace one EmbeddingBag."""
    weight, _, _, by_frequency, mode, _, weights, last, padding = bag.args
    indices = rows_of(bag)
    if indices is None or weights is not None or last or padding not in (None, -1):
        raise ModelError(
            "an EmbeddingBag with offsets, per_sample_weights or padding_idx",
            "call it with indices (samples, bag) alone, or write Embedding and .sum(1), .mean(1) or .amax(1)",
        )
    graph = program.graph
    with graph.inserting_after(bag):
        rows = called(graph, _ATEN.embedding.default, weight, indices, -1, by_frequency)
    with graph.inserting_after(rows):
        assert isinstance(mode, int)
        result = called(graph, _REDUCTIONS[mode], rows, [1])
    for user in [user for user in bag.users if user.target is getitem and user.args[1] == 0]:
        user.replace_all_uses_with(result)
        program.graph_signature.replace_all_uses(user.name, result.name)


def rows_of(bag: Node) -> Node | None:
    """Return the indices (samples, bag) that a bag has as one vector, with offsets 0, n, 2 n, ...; None for others."""
    flat, offsets = bag.args[1:3]
    assert isinstance(flat, Node) and isinstance(offsets, Node)
    indices = flat.args[0] if flat.target in (_ATEN.reshape.default, _ATEN.view.default) else None
    if not isinstance(indices, Node) or offsets.target is not _ATEN.arange.start_step:
        return None
    shape, (start, end, step) = indices.meta["val"].shape, offsets.args
    is_end = end.args == (indices,) if isinstance(end, Node) else end == math.prod(shape)
    is_size = isinstance(end, int) or getattr(end, "target", None) is _ATEN.sym_numel.default
    return indices if len(shape) == 2 and start == 0 and step == shape[1] and is_end and is_size else None


def called(graph: Graph, target: Any, *arguments: Any) -> Node:
    """Append a call, with its result's type and shape."""
    node = graph.call_function(target, arguments)
    node.meta = {"val": target(*(a.meta["val"] if isinstance(a, Node) else a for a in arguments))}
    return node
