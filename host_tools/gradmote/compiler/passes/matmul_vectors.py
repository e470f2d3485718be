"""The pass that makes a MatMul of a vector one of matrices.

A vector (k) becomes (1, k) on the left and (k, 1) on the right; the dimension of 1 is removed from
the result.
"""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ...model.graph import Builder, rank, take_over


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every MatMul with a vector."""
    for node in list(graph):
        if node.op_type == "MatMul" and not node.domain and min(rank(x, node) for x in node.inputs) == 1:
            rewrite(Builder(graph), node)
    graph.sort()


def rewrite(builder: Builder, node: ir.Node) -> None:
    """Rewrite one MatMul as Unsqueeze, MatMul, Squeeze."""
    (a, b), y = node.inputs, node.outputs[0]
    of_rows, of_columns = rank(a, node) == 1, rank(b, node) == 1
    left = with_axis(builder, a, 0) if of_rows else a
    right = with_axis(builder, b, 1) if of_columns else b
    product = builder.op("MatMul", left, right, name=f"{y.name}.product")
    axes = builder.constant([-2] * of_rows + [-1] * of_columns, f"{y.name}.axes")
    take_over(builder.graph, y, builder.op("Squeeze", product, axes, name=f"{y.name}.squeezed"))


def with_axis(builder: Builder, vector: ir.Value, axis: int) -> ir.Value:
    """Return the vector as a matrix whose dimension `axis` is 1."""
    matrix = builder.op(
        "Unsqueeze", vector, builder.constant([axis], f"{vector.name}.axis"), name=f"{vector.name}.matrix"
    )
    size = vector.shape[0]
    matrix.shape, matrix.type = ir.Shape([1, size] if axis == 0 else [size, 1]), vector.type
    return matrix
