"""The pass that removes empty operands from a Concat, such as an empty Slice."""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ..ir.graph import prune


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Remove the empty operands of every Concat that has others."""
    for node in list(graph):
        if node.op_type == "Concat" and not node.domain:
            full = [x for x in node.inputs if not is_empty(x)]
            if 0 < len(full) < len(node.inputs):
                replace_inputs(node, full)
    prune(graph)


def is_empty(value: ir.Value | None) -> bool:
    """Return whether the value is known to have no elements."""
    return value is not None and value.shape is not None and 0 in value.shape


def replace_inputs(node: ir.Node, values: list[ir.Value | None]) -> None:
    """Replace all inputs of a node."""
    for index, value in enumerate(values):
        node.replace_input_with(index, value)
    node.resize_inputs(len(values))
