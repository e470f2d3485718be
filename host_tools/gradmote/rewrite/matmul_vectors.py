"""The pass that turns vector operands of MatMul into matrices.

On the left, a vector (k) becomes a matrix (1, k); on the right, it becomes (k, 1). Squeeze removes
the dimension of 1 from the product.
"""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ..ir.graph import Builder, rank, sort_nodes, take_over


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every MatMul with a vector operand.

    `keep`, which every graph pass takes, is unused: the results keep their names.
    """
    for node in list(graph):
        if node.op_type == "MatMul" and not node.domain and min(rank(x, node) for x in node.inputs) == 1:
            rewrite(Builder(graph), node)
    sort_nodes(graph)  # the builder appends nodes after the users of their results


def rewrite(builder: Builder, node: ir.Node) -> None:
    """Rewrite one MatMul as Unsqueeze, MatMul, Squeeze."""
    (a, b), y = node.inputs, node.outputs[0]
    a_is_vector, b_is_vector = rank(a, node) == 1, rank(b, node) == 1
    left = as_matrix(builder, a, 0) if a_is_vector else a
    right = as_matrix(builder, b, 1) if b_is_vector else b
    product = builder.op("MatMul", left, right, name=f"{y.name}.product")
    # Before Squeeze, the product is (..., 1, n) for a vector a, and (..., m, 1) for a vector b.
    axes = builder.constant([-2] * a_is_vector + [-1] * b_is_vector, f"{y.name}.axes")
    take_over(builder.graph, y, builder.op("Squeeze", product, axes, name=f"{y.name}.squeezed"))


def as_matrix(builder: Builder, vector: ir.Value, axis: int) -> ir.Value:
    """Return the vector as a matrix whose dimension `axis` (0 or 1) is 1."""
    matrix = builder.op(
        "Unsqueeze", vector, builder.constant([axis], f"{vector.name}.axis"), name=f"{vector.name}.matrix"
    )
    length = vector.shape[0]
    matrix.shape, matrix.type = ir.Shape([1, length] if axis == 0 else [length, 1]), vector.type
    return matrix
