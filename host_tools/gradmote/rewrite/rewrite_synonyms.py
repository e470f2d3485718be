"""The pass that rewrites operators that exporters use as synonyms of others.

CastLike(x, like)                          Cast to the type of `like`
Clip(x, low, high), one of them computed   Min(Max(x, low), high)
IsNaN(x)                                   Not(Equal(x, x))
SequenceAt(SplitToSequence(x, sizes), i)   Slice of x
"""

from __future__ import annotations

from collections.abc import Callable, Set

import numpy as np
import onnx_ir as ir

from ..ir.graph import Builder, attribute, constant_array, prune, sort_nodes, take_over
from ..operators.constants import given


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every node that a rule applies to."""
    for node in list(graph):
        rule = RULES.get(node.op_type) if not node.domain else None
        result = rule(Builder(graph), node) if rule is not None else None
        if result is not None:
            take_over(graph, node.outputs[0], result)
    prune(graph)
    sort_nodes(graph)


def cast_like(builder: Builder, node: ir.Node) -> ir.Value | None:
    """Return a Cast, or None if the type is unknown."""
    dtype = node.inputs[1].dtype
    return builder.op("Cast", node.inputs[0], name=stem(node), to=dtype.value) if dtype is not None else None


def clip(builder: Builder, node: ir.Node) -> ir.Value | None:
    """Return Min(Max(x, low), high), or None if both bounds are constant or absent.

    There is an instruction for constant bounds.
    """
    bounds = [(op_type, given(node, index)) for op_type, index in (("Max", 1), ("Min", 2))]
    if all(bound is None or constant_array(bound) is not None for _, bound in bounds):
        return None
    result = node.inputs[0]
    for op_type, bound in bounds:
        if bound is not None:
            result = builder.op(op_type, result, bound, name=f"{stem(node)}.{op_type.lower()}")
            result.shape, result.type = node.outputs[0].shape, node.outputs[0].type
    return result


def is_nan(builder: Builder, node: ir.Node) -> ir.Value:
    """Return Not(Equal(x, x)): only a NaN differs from itself."""
    x = node.inputs[0]
    equal = builder.op("Equal", x, x, name=f"{stem(node)}.equal")
    equal.shape, equal.type = node.outputs[0].shape, node.outputs[0].type
    return builder.op("Not", equal, name=stem(node))


def sequence_at(builder: Builder, node: ir.Node) -> ir.Value | None:
    """Return a Slice, or None if the sequence is not a Split, or its sizes or the index are unknown."""
    split = node.inputs[0].producer()
    position = constant_array(node.inputs[1])
    if split is None or split.op_type != "SplitToSequence" or len(split.inputs) < 2 or position is None:
        return None
    sizes, i = constant_array(split.inputs[1]), int(position)
    if sizes is None or i < 0:
        return None
    start, end = (i * int(sizes), (i + 1) * int(sizes)) if sizes.ndim == 0 else part(sizes, i)
    limits = {"start": start, "end": end, "axis": attribute(split, "axis", 0)}
    inputs = [builder.constant([v], f"{stem(node)}.{k}") for k, v in limits.items()]
    return builder.op("Slice", split.inputs[0], *inputs, name=stem(node))


def part(sizes: np.ndarray, i: int) -> tuple[int, int]:
    """Return the range of part i of a tensor that is split into these sizes."""
    return int(sizes[:i].sum()), int(sizes[: i + 1].sum())


def stem(node: ir.Node) -> str:
    """Return the name of the node's output, the prefix of new names."""
    return str(node.outputs[0].name)


RULES: dict[str, Callable[[Builder, ir.Node], ir.Value | None]] = {
    "CastLike": cast_like,
    "Clip": clip,
    "IsNaN": is_nan,
    "SequenceAt": sequence_at,
}
