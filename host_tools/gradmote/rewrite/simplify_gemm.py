"""The pass that makes every Gemm plain: alpha = beta = 1, and c absent or one number per column.

alpha A' B' + beta c   becomes   Mul(Gemm(A', B'), alpha) + Mul(c, beta)   as far as needed
"""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ..ir.graph import Builder, attribute, sort_nodes, take_over


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every Gemm that is not plain."""
    for node in list(graph):
        if node.op_type == "Gemm" and not node.domain and not is_plain(node):
            rewrite(graph, node)
    sort_nodes(graph)


def is_plain(node: ir.Node) -> bool:
    """Return whether alpha = beta = 1, and c is absent or one number per column."""
    c = node.inputs[2] if len(node.inputs) > 2 else None
    scaled = attribute(node, "alpha", 1.0) != 1.0 or (c is not None and attribute(node, "beta", 1.0) != 1.0)
    return not scaled and (c is None or is_row(node, c))


def is_row(node: ir.Node, c: ir.Value) -> bool:
    """Return whether c has exactly one number for each column of y."""
    y = node.outputs[0]
    if c.shape is None or y.shape is None or len(c.shape) == 0:
        return False
    dims = list(c.shape)
    return dims[-1] == y.shape[-1] and all(d == 1 for d in dims[:-1])


def rewrite(graph: ir.Graph, node: ir.Node) -> None:
    """Replace one Gemm by a plain one, with Mul and Add for the rest."""
    builder, y = Builder(graph), node.outputs[0]
    a, b = node.inputs[:2]
    c = node.inputs[2] if len(node.inputs) > 2 else None
    trans = {k: attribute(node, k, 0) for k in ("transA", "transB")}
    result = builder.op("Gemm", a, b, name=f"{y.name}.product", **trans)
    result = scale(builder, result, attribute(node, "alpha", 1.0), f"{y.name}.alpha")
    if c is not None and attribute(node, "beta", 1.0) != 0.0:
        result = builder.op(
            "Add", result, scale(builder, c, attribute(node, "beta", 1.0), f"{y.name}.beta"), name=f"{y.name}.sum"
        )
    take_over(graph, y, result)


def scale(builder: Builder, value: ir.Value, factor: float, name: str) -> ir.Value:
    """Return the value times the factor; a factor of 1 adds no node."""
    return value if factor == 1.0 else builder.op("Mul", value, builder.constant(float(factor), name), name=name)
