"""The pass that moves views of constants in front of their DequantizeLinear.

    Transpose(DequantizeLinear(w))   becomes   DequantizeLinear(Transpose(w))

Reshape, Squeeze, Unsqueeze and Flatten move likewise; with a scale for each channel, only if the
channels stay one dimension. The layer then reads a DequantizeLinear, whatever the exporter did to its
weight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set

import onnx_ir as ir

from ...ir.affine import VIEWS, affine_of, is_dequantizer
from ...ir.graph import Builder, attribute, constant_array, sort_nodes, take_over


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Move every view that follows the DequantizeLinear of a constant."""
    for node in list(graph):
        dequantizer = node.inputs[0].producer() if node.inputs and node.inputs[0] is not None else None
        if node.op_type in VIEWS and not node.domain and is_dequantizer(dequantizer) and is_constant(dequantizer):
            move(graph, node, dequantizer)
    sort_nodes(graph)


def is_constant(dequantizer: ir.Node) -> bool:
    """Return whether a DequantizeLinear reads a constant, perhaps through views."""
    value = dequantizer.inputs[0]
    while value is not None and (node := value.producer()) is not None and node.op_type in VIEWS and not node.domain:
        value = node.inputs[0]
    return constant_array(value) is not None


def move(graph: ir.Graph, view: ir.Node, dequantizer: ir.Node) -> None:
    """Exchange one view and its DequantizeLinear if the view keeps the channels together."""
    affine = affine_of(dequantizer)
    axis = axis_behind(view, affine.axis) if affine is not None and affine.axis is not None else 0
    if affine is None or axis is None:
        return
    builder, y, q = Builder(graph), view.outputs[0], dequantizer.inputs[0]
    attributes = {a.name: a.value for a in view.attributes.values()}
    moved = builder.op(view.op_type, q, *view.inputs[1:], name=f"{q.name}.view", **attributes)
    moved.shape, moved.type = y.shape, q.type
    channels = {"axis": axis} if affine.axis is not None else {}
    take_over(
        graph, y, builder.op("DequantizeLinear", moved, *dequantizer.inputs[1:], name=f"{y.name}.real", **channels)
    )


def axis_behind(view: ir.Node, axis: int) -> int | None:
    """Return the position of a dimension after a view; None if it does not stay one dimension."""
    before, after = view.inputs[0].shape, view.outputs[0].shape
    if before is None or after is None or not before.is_static() or not after.is_static():
        return None
    if view.op_type == "Identity":
        return axis
    if view.op_type == "Transpose":
        perm = attribute(view, "perm", list(reversed(range(len(before)))))
        return list(perm).index(axis)
    return same_dimension([int(d) for d in before], axis, [int(d) for d in after])


def same_dimension(before: Sequence[int], axis: int, after: Sequence[int]) -> int | None:
    """Return the dimension of a reshaped tensor that has the size and the stride of `axis`, or None."""
    size, stride = before[axis], math.prod(before[axis + 1 :])
    found = [i for i, d in enumerate(after) if d == size and math.prod(after[i + 1 :]) == stride]
    return found[0] if found else None
