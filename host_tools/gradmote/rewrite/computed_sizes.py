"""Slices and Tiles whose sizes are computed from an open batch.

A Slice from 0 to the size of its dimension takes everything, whatever that size is. A Tile repeats by an Expand, whose
sizes may be computed:

    x (d0, d1) -> (1, d0, 1, d1) -> (r0, d0, r1, d1) -> (r0 d0, r1 d1)
"""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ..ir.graph import Builder, constant_array, take_over
from .partial_values import KNOWN, Partial, PartialValues

#: The end of a Slice that takes everything.
WHOLE = int(np.iinfo(np.int64).max)


def settle(graph: ir.Graph, node: ir.Node, partial: PartialValues) -> None:
    """Rewrite one node if its sizes are partly known; nodes are appended to the graph."""
    index = {"Slice": 2, "Tile": 1}.get(node.op_type) if not node.domain else None
    sizes = partial.look_up(node.inputs[index]) if index is not None and node.inputs[index] is not None else None
    if sizes is None or sizes.complete or node.inputs[0] is None or node.inputs[0].shape is None:
        return
    if node.op_type == "Tile":
        expand(graph, node)
    elif (parts := parts_of(node, sizes, partial)) is not None:
        cut(graph, node, parts)


def parts_of(node: ir.Node, ends: Partial, partial: PartialValues) -> list[tuple[int, int, int, int]] | None:
    """Return start, end, axis and step of what a Slice takes a part of.

    None if an end is neither known nor the size of its dimension, or another input is computed.
    """
    if any(given(node, index) is not None and constant_array(given(node, index)) is None for index in (1, 3, 4)):
        return None
    starts, axes, steps = (constant_array(given(node, index)) for index in (1, 3, 4))
    count, shape = ends.array.size, node.inputs[0].shape
    axes, steps = np.arange(count) if axes is None else axes, np.ones(count, np.int64) if steps is None else steps
    found = []
    for end, mark, *others in zip(ends.array, ends.marks, starts, axes, steps, strict=True):
        start, axis, step = map(int, others)
        if mark == KNOWN:
            found.append((start, int(end), axis, step))
        elif not (mark == partial.mark(shape[axis]) > KNOWN and start == 0 and step == 1):
            return None
    return found


def cut(graph: ir.Graph, node: ir.Node, parts: list[tuple[int, int, int, int]]) -> None:
    """Give a Slice constant sizes."""
    builder, name = Builder(graph), node.outputs[0].name
    columns = zip(*(parts or [(0, WHOLE, 0, 1)]), strict=True)
    sizes = [builder.constant(list(c), f"{name}.{n}") for c, n in zip(columns, ("starts", "ends", "axes", "steps"))]
    node.resize_inputs(5)
    for index, value in enumerate(sizes, 1):
        node.replace_input_with(index, value)


def given(node: ir.Node, index: int) -> ir.Value | None:
    """Return an input of a node, or None if it does not have it."""
    return node.inputs[index] if index < len(node.inputs) else None


def expand(graph: ir.Graph, node: ir.Node) -> None:
    """Replace a Tile, as shown at the top."""
    builder, (x, repeats), y = Builder(graph), node.inputs, node.outputs[0]
    count, name = len(x.shape), y.name
    apart = builder.op("Unsqueeze", x, builder.constant(list(range(0, 2 * count, 2)), f"{name}.axes"), name=f"{name}.x")
    column = builder.op("Unsqueeze", repeats, builder.constant([1], f"{name}.one"), name=f"{name}.repeats")
    ones = builder.constant(np.ones((count, 1), np.int64), f"{name}.ones")
    pairs = builder.op("Concat", column, ones, name=f"{name}.pairs", axis=1)
    sizes = builder.op("Reshape", pairs, builder.constant([-1], f"{name}.all"), name=f"{name}.sizes")
    spread = builder.op("Expand", apart, sizes, name=f"{name}.spread")
    whole = builder.op("Mul", builder.op("Shape", x, name=f"{name}.shape"), repeats, name=f"{name}.whole")
    take_over(graph, y, builder.op("Reshape", spread, whole, name=f"{name}.tiled"))
