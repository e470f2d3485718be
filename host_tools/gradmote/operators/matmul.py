"""MatMul of operands of rank 2 and more: y[b,m,n] = sum over k of A[b,m,k] B[b,k,n]. The pass matmul_vectors makes
matrices of vectors.

dA = dy B^T, dB = A^T dy, summed over the dimensions along which an operand was broadcast.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..graph import rank, static_shape
from ..strides import broadcast_walk, collapse, contiguous
from .broadcast import sum_to
from .gemm import emit_gemm
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..lowering import Lowering, View


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


def lower(low: Lowering, node: ir.Node) -> None:
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
    else:
        lower_batches(low, node, a, b)


def lower_batches(low: Lowering, node: ir.Node, a: View, b: View) -> None:
    """One product for each element of the batch dimensions."""
    y, k = static_shape(node.outputs[0], node), static_shape(node.inputs[0], node)[-1]
    a, b = (over_batch(x, view, y[:-2]) for x, view in zip(node.inputs, (a, b), strict=True))
    dims, walks = collapse(y[:-2], a.strides[:-2], b.strides[:-2])
    if len(dims) > 1:  # a product walks one batch dimension
        shapes = [(*y[:-2], y[-2], k), (*y[:-2], k, y[-1])]
        a, b = (expanded(low, node, view, shape) for view, shape in zip((a, b), shapes, strict=True))
        dims, walks = collapse(y[:-2], a.strides[:-2], b.strides[:-2])
    a_batch, b_batch = (walk[0] if walk else 0 for walk in walks)
    matrices = (a.ref, a_batch, *a.strides[-2:]), (b.ref, b_batch, *b.strides[-2:])
    emit_gemm(low, node, *matrices, None, (math.prod(dims), y[-2], y[-1], k))


def over_batch(x: ir.Value, view: View, batch: Sequence[int]) -> View:
    """x walked as if it had all dimensions of the batch."""
    own = static_shape(x)[:-2]
    return type(view)(view.ref, [*broadcast_walk(view.strides[:-2], own, batch), *view.strides[-2:]])


def expanded(low: Lowering, node: ir.Node, view: View, shape: Sequence[int]) -> View:
    """A copy for each element of the batch, where they are not at one distance anyway."""
    if len(collapse(shape[:-2], view.strides[:-2])[0]) <= 1:
        return view
    copy = low.scratch(f"{node.outputs[0].name}.expanded", shape, contiguous(shape))
    low.move(node, shape, view, copy)
    return copy


OPERATORS = [Operator("MatMul", gradient, lower)]
