"""The pass that replaces Sum, Mean, Max and Min by chains of two operands: ((a + b) + c) + d.

A mean is the sum times 1 / count. A node with one operand becomes an Identity.
"""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ..ir.graph import Builder, sort_nodes, take_over

#: Operator with any number of operands -> the binary operator of its chain.
STEPS = {"Sum": "Add", "Mean": "Add", "Max": "Max", "Min": "Min"}


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Replace every Sum, Mean, Max and Min that does not have exactly two operands."""
    for node in list(graph):
        is_pair = node.op_type in ("Max", "Min") and len(node.inputs) == 2
        if not node.domain and node.op_type in STEPS and not is_pair:
            replace(graph, node)


def replace(graph: ir.Graph, node: ir.Node) -> None:
    """Replace one node by its chain; the output keeps its name."""
    builder, old = Builder(graph), node.outputs[0]
    result = chain(builder, node)
    if node.op_type == "Mean":
        share = builder.constant(1.0 / len(node.inputs), f"{old.name}.share")
        result = builder.op("Mul", result, share, name=f"{old.name}.mean")
    elif len(node.inputs) == 1:
        result = builder.op("Identity", result, name=f"{old.name}.same")
    take_over(graph, old, result)
    sort_nodes(graph)


def chain(builder: Builder, node: ir.Node) -> ir.Value:
    """Append the chain, from the first operand to the last."""
    result, *others = [x for x in node.inputs if x is not None]
    for operand in others:
        result = builder.op(STEPS[node.op_type], result, operand, name=f"{node.outputs[0].name}.chain")
    return result
