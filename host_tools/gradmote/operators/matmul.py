"""MatMul of operands of rank 2 and more: y[b,m,n] = sum over k of A[b,m,k] B[b,k,n].

dA = dy B^T, dB = A^T dy, summed over the dimensions along which an operand was broadcast.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..graph import describe, rank, static_shape
from ..strides import broadcast_strides, collapse
from .broadcast import sum_to
from .gemm import emit_gemm
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..lowering import Lowering


def transpose_last(back: Backward, value: ir.Value) -> ir.Value:
    """`value` with its last two axes swapped."""
    n = rank(value, back.node)
    perm = [*range(n - 2), n - 1, n - 2]
    return back.op("Transpose", value, of=value, perm=perm)


def rows(back: Backward, value: ir.Value, like: ir.Value) -> ir.Value:
    """`value`, of the rank and the last dimension of `like`, as one matrix (all leading dimensions, last)."""
    if rank(like, back.node) == 2:
        return value
    shape = back.builder.constant(np.array([-1, int(like.shape[-1])], np.int64), f"{like.name}_grad.rows")
    return back.op("Reshape", value, shape, of=like)


def gradient(back: Backward) -> Gradients:
    a, b = back.node.inputs
    check_ranks(back.node)
    dy, y = back.dy[0], back.node.outputs[0]
    da = db = None
    if back.needs(0):
        da = sum_batch(back, back.op("MatMul", dy, transpose_last(back, b), of=a), a)
    if back.needs(1) and rank(b) == 2:
        db = back.op("Gemm", rows(back, a, a), rows(back, dy, y), of=b, transA=1)
    elif back.needs(1):
        db = sum_batch(back, back.op("MatMul", transpose_last(back, a), dy, of=b), b)
    return [da, db]


def sum_batch(back: Backward, grad: ir.Value, target: ir.Value) -> ir.Value:
    """Sums a gradient over batch dimensions that `target` lacks or has as 1; the matrix dimensions always match."""
    y = back.node.outputs[0]
    stand_in = ir.Value(name=target.name, shape=ir.Shape([*list(target.shape)[:-2], *list(y.shape)[-2:]]))
    return sum_to(back, grad, stand_in)


def check_ranks(node: ir.Node) -> None:
    if min(rank(v, node) for v in node.inputs) < 2:
        raise UnsupportedOperator(
            "MatMul of a vector", "use Unsqueeze so that both operands are matrices", describe(node)
        )


def lower(low: Lowering, node: ir.Node) -> None:
    check_ranks(node)
    a, b = low.view(node.inputs[0]), low.view(node.inputs[1])
    y = static_shape(node.outputs[0], node)
    k = static_shape(node.inputs[0], node)[-1]
    rows, row_strides = collapse(static_shape(node.inputs[0], node)[:-1], a.strides[:-1])
    if len(b.strides) == 2 and len(rows) <= 1:  # B serves every row of A
        row_stride = row_strides[0][0] if rows else 0
        emit_gemm(
            low,
            node,
            (a.ref, 0, row_stride, a.strides[-1]),
            (b.ref, 0, *b.strides),
            None,
            (1, math.prod(y[:-1]), y[-1], k),
        )
        return
    batch, (a_batch, b_batch) = batch_walk(node, y[:-2], a.strides, b.strides)
    emit_gemm(
        low, node, (a.ref, a_batch, *a.strides[-2:]), (b.ref, b_batch, *b.strides[-2:]), None, (batch, y[-2], y[-1], k)
    )


def batch_walk(node: ir.Node, batch_shape: tuple[int, ...], *strides: list[int]) -> tuple[int, list[int]]:
    """The batch dimensions as one, with each operand's stride."""
    shapes = [static_shape(v, node)[:-2] for v in node.inputs if v is not None]
    walks = []
    for shape, stride in zip(shapes, strides, strict=True):
        contiguous = broadcast_strides(shape, batch_shape)
        own = [0] * (len(batch_shape) - len(shape)) + list(stride[:-2])
        walks.append([o if c else 0 for o, c in zip(own, contiguous, strict=True)])
    dims, merged = collapse(batch_shape, *walks)
    if len(dims) > 1:
        raise UnsupportedOperator(
            f"MatMul broadcasts over {len(dims)} independent batch dimensions",
            "expand one operand first",
            describe(node),
        )
    return (dims[0], [w[0] for w in merged]) if dims else (1, [0 for _ in merged])


OPERATORS = [Operator("MatMul", gradient, lower)]
