"""The pass that fuses a MatMul of two matrices and an Add of one number per column into a Gemm."""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ..ir.graph import Builder, sort_nodes, take_over


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Fuse every Add that can become a MatMul's bias."""
    for node in list(graph):
        if node.op_type == "Add" and not node.domain:
            match = find(node)
            if match is not None:
                fuse(graph, node, *match)
    sort_nodes(graph)


def find(add: ir.Node) -> tuple[ir.Node, ir.Value] | None:
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


def fuse(graph: ir.Graph, add: ir.Node, matmul: ir.Node, bias: ir.Value) -> None:
    """Replace the MatMul and the Add by one Gemm."""
    y = add.outputs[0]
    result = Builder(graph).op("Gemm", *matmul.inputs, bias, name=f"{y.name}.gemm")
    take_over(graph, y, result)
    graph.remove(matmul, safe=True)
