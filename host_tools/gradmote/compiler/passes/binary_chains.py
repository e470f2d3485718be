"""Sum, Mean, Max and Min of any number of operands become chains of two: ((a + b) + c) + d. A mean is the sum times
1 / count; one operand alone is an Identity."""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ...model.graph import Builder, take_over

#: The operator of two operands that each is a chain of.
STEPS = {"Sum": "Add", "Mean": "Add", "Max": "Max", "Min": "Min"}


def run(graph: ir.Graph, keep: Set[str]) -> None:
    for node in list(graph):
        is_pair = node.op_type in ("Max", "Min") and len(node.inputs) == 2
        if not node.domain and node.op_type in STEPS and not is_pair:
            replace(graph, node)


def replace(graph: ir.Graph, node: ir.Node) -> None:
    """The node's output keeps its name."""
    builder, old = Builder(graph), node.outputs[0]
    result = chain(builder, node)
    if node.op_type == "Mean":
        share = builder.constant(1.0 / len(node.inputs), f"{old.name}.share")
        result = builder.op("Mul", result, share, name=f"{old.name}.mean")
    elif len(node.inputs) == 1:
        result = builder.op("Identity", result, name=f"{old.name}.same")
    take_over(graph, old, result)
    graph.sort()


def chain(builder: Builder, node: ir.Node) -> ir.Value:
    result, *others = [x for x in node.inputs if x is not None]
    for operand in others:
        result = builder.op(STEPS[node.op_type], result, operand, name=f"{node.outputs[0].name}.chain")
    return result
