"""The pass that recognizes a group normalization in the form that exporters write.

InstanceNormalization of (N, G, -1) with scale 1 and bias 0 between two Reshapes becomes Standardize
of (N, G, C / G, ...). Channels-last tensors then need no copy, and that scale and bias, which are
not weights of the model, do not train.
"""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ..ir.graph import Builder, prune, sort_nodes, take_over
from .rewrite_normalizations import check_attributes, is_filled, join_groups, standardize_groups


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Replace every group normalization that is written as an InstanceNormalization."""
    for node in list(graph):
        if node.op_type == "InstanceNormalization" and not node.domain:
            before, after = neighbours(node)
            if before is not None and after is not None and is_group_norm(node, before, after):
                rewrite(graph, node, before, after)
    prune(graph)
    sort_nodes(graph)


def neighbours(node: ir.Node) -> tuple[ir.Node | None, ir.Node | None]:
    """Return the Reshapes before and after a node, None for each that is absent."""
    x, y = node.inputs[0], node.outputs[0]
    users = [use.node for use in y.uses()] if not y.is_graph_output() else []
    return reshape(x.producer() if x is not None else None), reshape(users[0] if len(users) == 1 else None)


def reshape(node: ir.Node | None) -> ir.Node | None:
    """Return the node if it is a Reshape, else None."""
    return node if node is not None and node.op_type == "Reshape" and not node.domain else None


def is_group_norm(node: ir.Node, before: ir.Node, after: ir.Node) -> bool:
    """Return whether shapes are (N, C, ...), (N, G, -1), (N, C, ...), with scale 1 and bias 0."""
    outer, inner, back = (v.shape for v in (before.inputs[0], before.outputs[0], after.outputs[0]))
    if outer is None or inner is None or back is None or len(inner) != 3 or not isinstance(inner[1], int):
        return False
    same = list(outer) == list(back) and outer[0] == inner[0]
    fixed = len(outer) > 1 and all(isinstance(d, int) for d in list(outer)[1:])
    neutral = is_filled(node.inputs[1], 1, set()) and is_filled(node.inputs[2], 0, set())
    return same and fixed and outer[1] % inner[1] == 0 and neutral


def rewrite(graph: ir.Graph, node: ir.Node, before: ir.Node, after: ir.Node) -> None:
    """Replace the three nodes with Standardize over groups."""
    check_attributes(node)
    builder, x, y = Builder(graph), before.inputs[0], after.outputs[0]
    groups = standardize_groups(builder, node, x, node.inputs[0].shape[1], str(y.name))
    take_over(graph, y, join_groups(builder, node, groups, x, str(y.name)))
