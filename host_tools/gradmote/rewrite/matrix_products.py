"""Passes that bring matrix products to one form.

simplify_gemm    makes every Gemm plain: alpha = beta = 1, and c absent or one number per column
fuse_gemm_bias   fuses a MatMul of two matrices and an Add of one number per column into a Gemm
matmul_vectors   turns vector operands of MatMul into matrices
"""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ..ir.graph import Builder, attribute, rank, sort_nodes, take_over

# ---- simplify_gemm ---------------------------------------------------------------------------------------------------
# alpha A' B' + beta c becomes Mul(Gemm(A', B'), alpha) + Mul(c, beta), as far as needed.


def simplify_gemm(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every Gemm that is not plain."""
    for node in list(graph):
        if node.op_type == "Gemm" and not node.domain and not is_plain(node):
            make_plain(graph, node)
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


def make_plain(graph: ir.Graph, node: ir.Node) -> None:
    """Replace one Gemm with a plain one, and with Mul and Add for the rest."""
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


# ---- fuse_gemm_bias --------------------------------------------------------------------------------------------------


def fuse_gemm_bias(graph: ir.Graph, keep: Set[str]) -> None:
    """Fuse every Add that can become a MatMul's bias."""
    for node in list(graph):
        if node.op_type == "Add" and not node.domain:
            match = find_bias(node)
            if match is not None:
                fuse_bias(graph, node, *match)
    sort_nodes(graph)


def find_bias(add: ir.Node) -> tuple[ir.Node, ir.Value] | None:
    """Return (MatMul, bias) if this Add can become its bias, else None."""
    for product, bias in (add.inputs, reversed(list(add.inputs))):
        matmul = product.producer() if product is not None else None
        if (
            bias is not None
            and matmul is not None
            and matmul.op_type == "MatMul"
            and is_matrix_product(matmul)
            and is_bias(matmul, bias)
        ):
            return matmul, bias
    return None


def is_matrix_product(matmul: ir.Node) -> bool:
    """Return whether a MatMul multiplies two matrices and has one reader."""
    ranks = [len(v.shape) for v in matmul.inputs if v is not None and v.shape is not None]
    return ranks == [2, 2] and len(list(matmul.outputs[0].uses())) == 1 and not matmul.outputs[0].is_graph_output()


def is_bias(matmul: ir.Node, bias: ir.Value) -> bool:
    """Return whether there is one number per column: shape (n) or (1, n)."""
    columns = matmul.inputs[1].shape[1]
    dims = list(bias.shape) if bias.shape is not None else []
    return isinstance(columns, int) and dims in ([columns], [1, columns])


def fuse_bias(graph: ir.Graph, add: ir.Node, matmul: ir.Node, bias: ir.Value) -> None:
    """Replace the MatMul and the Add with one Gemm."""
    y = add.outputs[0]
    result = Builder(graph).op("Gemm", *matmul.inputs, bias, name=f"{y.name}.gemm")
    take_over(graph, y, result)
    graph.remove(matmul, safe=True)


# ---- matmul_vectors --------------------------------------------------------------------------------------------------
# On the left, a vector (k) becomes a matrix (1, k); on the right, it becomes (k, 1). Squeeze removes the dimension of 1
# from the product.


def matmul_vectors(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every MatMul with a vector operand.

    `keep`, which every graph pass takes, is unused: the results keep their names.
    """
    for node in list(graph):
        if node.op_type == "MatMul" and not node.domain and min(rank(x, node) for x in node.inputs) == 1:
            with_matrices(Builder(graph), node)
    sort_nodes(graph)  # the builder appends nodes after the users of their results


def with_matrices(builder: Builder, node: ir.Node) -> None:
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
