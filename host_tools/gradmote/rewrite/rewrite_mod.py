"""The pass that rewrites Mod of floats without fmod, whose result has the sign of the divisor.

r = fmod(a, b), or r + b if r and b differ in sign.
"""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ..ir.graph import Builder, attribute, sort_nodes, take_over


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every Mod of floats without fmod."""
    for node in list(graph):
        if node.op_type == "Mod" and not node.domain and not attribute(node, "fmod", 0):
            a, b = node.inputs
            if a is not None and a.dtype is not None and a.dtype.is_floating_point():
                take_over(graph, node.outputs[0], with_sign_of_divisor(Builder(graph), a, b, node.outputs[0]))
    sort_nodes(graph)


def with_sign_of_divisor(builder: Builder, a: ir.Value, b: ir.Value | None, y: ir.Value) -> ir.Value:
    """Append the remainder of a / b with the sign of b."""
    rest = builder.op("Mod", a, b, name=f"{y.name}.rest", fmod=1)
    signs = [builder.op("Sign", value, name=f"{y.name}.sign") for value in (rest, b)]
    product = builder.op("Mul", *signs, name=f"{y.name}.signs")
    differs = builder.op("Less", product, builder.constant(0.0, f"{y.name}.zero"), name=f"{y.name}.differs")
    moved = builder.op("Add", rest, b, name=f"{y.name}.moved")
    return builder.op("Where", differs, moved, rest, name=f"{y.name}.result")
