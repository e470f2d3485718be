"""The pass that splits pools over three spatial dimensions into two, over the plane and the depth.

A maximum is the largest of the maxima, and an average the mean of the means, since the taps of a
window are the product of those along its axes.

    (N, C, D, H, W) -> (N, C D, H, W), pooled over H and W
    -> (N, C, D, H' W'), pooled over D -> (N, C, D', H', W')
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

import onnx_ir as ir

from ..ir.graph import Builder, attribute, sort_nodes, take_over
from ..operators.selection import known_dims

GLOBAL = {"GlobalMaxPool": "MaxPool", "GlobalAveragePool": "AveragePool"}
#: Attributes that are the same for every axis.
SHARED = ("auto_pad", "ceil_mode", "count_include_pad")


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every pool over three dimensions."""
    for node in list(graph):
        if node.op_type in (*GLOBAL, *GLOBAL.values()) and not node.domain and is_deep(node):
            rewrite(Builder(graph), node)
    sort_nodes(graph)


def is_deep(node: ir.Node) -> bool:
    """Return whether a node has three spatial dimensions of known sizes, and uses one output."""
    x, y = node.inputs[0], node.outputs[0]
    dims = [*known_dims(x)[1:], *known_dims(y)[2:]] if x.shape is not None and y.shape is not None else []
    return len(dims) == 7 and min(dims) > 0 and not any(o.uses() or o.is_graph_output() for o in node.outputs[1:])


def rewrite(builder: Builder, node: ir.Node) -> None:
    """Replace one pool with a pool over height and width, then one over the depth."""
    x, y = node.inputs[0], node.outputs[0]
    channels, depth, height, width = known_dims(x)[1:]
    out_depth, out_height, out_width = known_dims(y)[2:]
    planes = reshaped(builder, x, [0, channels * depth, height, width], f"{y.name}.planes")
    planes = pool(builder, node, planes, [1, 2], f"{y.name}.planar")
    columns = reshaped(builder, planes, [0, channels, depth, out_height * out_width], f"{y.name}.columns")
    columns = pool(builder, node, columns, [0], f"{y.name}.pooled")
    shape = [0, channels, out_depth, out_height, out_width]
    take_over(builder.graph, y, reshaped(builder, columns, shape, f"{y.name}.shaped"))


def reshaped(builder: Builder, x: ir.Value, shape: Sequence[int], name: str) -> ir.Value:
    """Append a Reshape; a size of 0 keeps the batch."""
    return builder.op("Reshape", x, builder.constant(shape, f"{name}.shape"), name=name)


def pool(builder: Builder, node: ir.Node, x: ir.Value, axes: Sequence[int], name: str) -> ir.Value:
    """Append the node's pool along some of its axes.

    Along the depth, the pool has a second axis of width 1.
    """
    attributes: dict[str, Any] = {k: attribute(node, k) for k in SHARED if k in node.attributes}
    kernel = attribute(node, "kernel_shape", known_dims(node.inputs[0])[2:])
    attributes["kernel_shape"] = along(axes, kernel, 1)
    for key in ("strides", "dilations"):
        if key in node.attributes:
            attributes[key] = along(axes, attribute(node, key), 1)
    if "pads" in node.attributes:
        pads = attribute(node, "pads")
        attributes["pads"] = [*along(axes, pads[:3], 0), *along(axes, pads[3:], 0)]
    return builder.op(GLOBAL.get(node.op_type, node.op_type), x, name=name, **attributes)


def along(axes: Sequence[int], numbers: Sequence[int], still: int) -> list[int]:
    """Return the numbers of these axes, with `still` for an axis that is not pooled."""
    return [*(numbers[a] for a in axes), *[still] * (2 - len(axes))]
