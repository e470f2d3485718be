"""The pass that rewrites OneHot(indices, depth, (off, on)) as comparisons.

It compares the indices with 0 .. depth - 1, and with -depth .. -1, which count from the end; an index
that equals none gives off.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.graph import Builder, attribute, constant_array, describe, rank, sort_nodes, take_over


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every OneHot."""
    for node in list(graph):
        if node.op_type == "OneHot" and not node.domain:
            take_over(graph, node.outputs[0], compared(Builder(graph), node))
    sort_nodes(graph)


def compared(builder: Builder, node: ir.Node) -> ir.Value:
    """Append the comparisons, and a Where that selects on or off."""
    indices, _, off_on = node.inputs
    name, depth = node.outputs[0].name, depth_of(node)
    axes = rank(indices, node) + 1
    axis = attribute(node, "axis", -1) % axes
    numbers = builder.op("Cast", indices, name=f"{name}.whole", to=ir.DataType.INT64.value)
    numbers = builder.op("Cast", numbers, name=f"{name}.numbers", to=ir.DataType.FLOAT.value)
    numbers = builder.op("Unsqueeze", numbers, builder.constant([axis], f"{name}.axis"), name=f"{name}.unsqueezed")
    positions = np.arange(depth, dtype=np.float32).reshape([depth if a == axis else 1 for a in range(axes)])
    hits = [
        builder.op("Equal", numbers, builder.constant(positions - back, f"{name}.places"), name=f"{name}.equal")
        for back in (0, np.float32(depth))
    ]
    hit = builder.op("Or", *hits, name=f"{name}.hit")
    on, off = (element(builder, off_on, i, f"{name}.{what}") for i, what in ((1, "on"), (0, "off")))
    return builder.op("Where", hit, on, off, name=f"{name}.chosen")


def depth_of(node: ir.Node) -> int:
    """Return the depth; raise UnsupportedOperator if it is not constant."""
    depth = constant_array(node.inputs[1])
    if depth is None or depth.size != 1:
        raise UnsupportedOperator("OneHot with a computed depth", "make the depth constant", describe(node))
    return int(depth.reshape(-1)[0])


def element(builder: Builder, values: ir.Value, index: int, name: str) -> ir.Value:
    """Return an element of a vector, as a constant if it is known."""
    known = constant_array(values)
    if known is not None:
        return builder.constant(known.reshape(-1)[index], name)
    return builder.op("Gather", values, builder.constant(np.int64(index), f"{name}.index"), name=name, axis=0)
