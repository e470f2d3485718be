"""The pass that rewrites DepthToSpace and SpaceToDepth as Reshape, Transpose, Reshape.

DepthToSpace  DCR  (N, b, b, C, H, W) -> (N, C, H, b, W, b)
              CRD  (N, C, b, b, H, W) -> (N, C, H, b, W, b)
SpaceToDepth  DCR  (N, C, H, b, W, b) -> (N, b, b, C, H, W)
              CRD  (N, C, H, b, W, b) -> (N, C, b, b, H, W)
"""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.graph import Builder, attribute, describe, sort_nodes, take_over


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every DepthToSpace and SpaceToDepth."""
    for node in list(graph):
        if node.op_type in ("DepthToSpace", "SpaceToDepth") and not node.domain:
            rewrite(graph, node)
    sort_nodes(graph)


def rewrite(graph: ir.Graph, node: ir.Node) -> None:
    """Replace one node by Reshape, Transpose, Reshape."""
    x, y = node.inputs[0], node.outputs[0]
    before, perm, after = steps(node, *sizes(node))
    builder = Builder(graph)
    value = builder.op("Reshape", x, builder.constant(before, f"{y.name}.blocks"), name=f"{y.name}.blocks")
    value = builder.op("Transpose", value, name=f"{y.name}.moved", perm=perm)
    value = builder.op("Reshape", value, builder.constant(after, f"{y.name}.shape"), name=f"{y.name}.joined")
    take_over(graph, y, value)


def sizes(node: ir.Node) -> list[int]:
    """Return channels, height and width of x; raise UnsupportedOperator if one is unknown."""
    dims = list(node.inputs[0].shape or ())[1:]
    if len(dims) != 3 or not all(isinstance(d, int) for d in dims):
        raise UnsupportedOperator(
            f"{node.op_type} of shape {node.inputs[0].shape}",
            "export with fixed channels, height and width",
            describe(node),
        )
    return dims


def steps(node: ir.Node, c: int, h: int, w: int) -> tuple[list[int], list[int], list[int]]:
    """Return shape, permutation and shape of the three nodes; a size of 0 keeps the batch."""
    b = attribute(node, "blocksize")
    channels_inside = attribute(node, "mode", "DCR") == "DCR"
    if node.op_type == "SpaceToDepth":
        perm = [0, 3, 5, 1, 2, 4] if channels_inside else [0, 1, 3, 5, 2, 4]
        return [0, c, h // b, b, w // b, b], perm, [0, c * b * b, h // b, w // b]
    depth = c // (b * b)
    after = [0, depth, h * b, w * b]
    if not channels_inside:
        return [0, depth, b, b, h, w], [0, 1, 4, 2, 5, 3], after
    return [0, b, b, depth, h, w], [0, 3, 4, 1, 5, 2], after
