"""The pass that reduces equal runs of rows at once, as an unrolled EmbeddingBag reduces one after the other.

    Concat(reduce(x[:n]), reduce(x[n : 2 n]), ...)     becomes   reduce(Reshape(x, (bags, n, ...)))  along axis 1

The rows are x, or those of a table that x chooses. The sum of the last run, which PyTorch's exporter divides by n, is a
mean like those before it.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace

import onnx_ir as ir

from ..ir.graph import Builder, attribute, constant_array, producer, prune, sort_nodes, take_over
from .rewrite_reductions import reduce

#: What a bag's rows become.
REDUCTIONS = ("ReduceSum", "ReduceMean", "ReduceMax")


@dataclass(frozen=True)
class Bag:
    """One reduction of a run of rows. table: what the run's elements choose rows of, or None."""

    kind: str
    table: ir.Value | None
    source: ir.Value
    start: int
    end: int


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Join the bags of every Concat of nothing else."""
    for node in list(graph):
        if node.op_type == "Concat" and not node.domain and axis_of(node) == 0 and len(node.inputs) > 1:
            bags = [found for value in node.inputs if (found := bag_of(value)) is not None]
            if len(bags) == len(node.inputs) and follow(bags):
                join(graph, node, bags)
    sort_nodes(graph)
    prune(graph)


def bag_of(value: ir.Value | None) -> Bag | None:
    """Return the bag that a value of shape (1, ...) is, or None."""
    spread = producer(value, "Unsqueeze")
    if spread is not None and constants(spread, 1) == [0]:
        value = spread.inputs[0]
    divided = producer(value, "Div")
    count = constants(divided, 1)
    node = producer(divided.inputs[0] if divided and count else value, *REDUCTIONS)
    if node is None or bool(attribute(node, "keepdims", 1)) == (spread is not None) or axes_of(node) != [0]:
        return None
    bag = run_of(node)
    if bag is None or not count:
        return bag
    return replace(bag, kind="ReduceMean") if bag.kind == "ReduceSum" and count == [bag.end - bag.start] else None


def run_of(node: ir.Node) -> Bag | None:
    """Return the bag of a reduction of a Slice's rows, or of those that it chooses of a table; None for another."""
    gather = producer(node.inputs[0], "Gather")
    part = producer(gather.inputs[1] if gather else node.inputs[0], "Slice")
    source = part.inputs[0] if part else None
    if source is None or source.shape is None or not source.shape.is_static() or (gather and axis_of(gather) != 0):
        return None
    first, last, axes, steps = (constants(part, index) for index in (1, 2, 3, 4))
    if axes not in ([0], None) or steps not in ([1], None) or not first or not last or len(first) > 1:
        return None
    start, end = int(first[0]), min(int(last[0]), int(source.shape[0]))
    return Bag(node.op_type, gather.inputs[0] if gather else None, source, start, end) if 0 <= start < end else None


def constants(node: ir.Node | None, index: int) -> list[float] | None:
    """Return the elements of a constant input; None if it is computed or missing."""
    array = constant_array(node.inputs[index]) if node is not None and len(node.inputs) > index else None
    return None if array is None else array.reshape(-1).tolist()


def axes_of(node: ir.Node) -> list[float] | None:
    """Return the axes of a reduction, an input or an attribute."""
    return list(attribute(node, "axes", [])) or constants(node, 1)


def axis_of(node: ir.Node) -> int:
    """Return the axis of a Concat or a Gather."""
    return int(attribute(node, "axis", 0))


def follow(bags: list[Bag]) -> bool:
    """Return whether bags of one kind and size cover all of their source, in order."""
    first = bags[0]
    size = first.end - first.start
    places = [(bag.start, bag.end) for bag in bags]
    same = {(bag.kind, bag.table, bag.source) for bag in bags}
    covers = len(bags) * size == first.source.shape[0]
    return len(same) == 1 and covers and places == [(i * size, (i + 1) * size) for i in range(len(bags))]


def join(graph: ir.Graph, node: ir.Node, bags: list[Bag]) -> None:
    """Replace a Concat of bags with one reduction."""
    builder, first, y = Builder(graph), bags[0], node.outputs[0]
    sizes = builder.constant([len(bags), first.end, *first.source.shape[1:]], f"{y.name}.sizes")
    rows = builder.op("Reshape", first.source, sizes, name=f"{y.name}.bags")
    if first.table is not None:
        rows = builder.op("Gather", first.table, rows, name=f"{y.name}.rows", axis=0)
    axis = builder.constant([1], f"{y.name}.axis")
    if first.kind == "ReduceSum":
        take_over(graph, y, builder.op("ReduceSum", rows, axis, name=f"{y.name}.sum", keepdims=0))
    else:
        take_over(graph, y, reduce(builder, first.kind, rows, axis, f"{y.name}.reduced", keepdims=0))
