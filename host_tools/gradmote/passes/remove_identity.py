"""Removes Identity, and Cast and CastLike from float32 to float32, unless they carry a graph output's name."""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ..graph import attribute, prune


def run(graph: ir.Graph, keep: Set[str]) -> None:
    for node in list(graph):
        if is_identity(node) and not node.outputs[0].is_graph_output():
            node.outputs[0].replace_all_uses_with(node.inputs[0])
    prune(graph)


def is_identity(node: ir.Node) -> bool:
    if node.domain:
        return False
    if node.op_type == "Cast":
        x = node.inputs[0]
        return x is not None and x.dtype == ir.DataType.FLOAT and attribute(node, "to") == ir.DataType.FLOAT
    if node.op_type == "CastLike":
        return all(v is not None and v.dtype == ir.DataType.FLOAT for v in node.inputs)
    return node.op_type == "Identity"
