"""MatMul of operands of rank 2 and more: y[b,m,n] = sum over k of A[b,m,k] B[b,k,n].

The pass matmul_vectors turns vectors into matrices. dA = dy B^T and dB = A^T dy, each summed over the
dimensions along which its operand was broadcast.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..ir.generated.instructions import Matmul
from ..ir.graph import rank, static_shape
from ..ir.strides import broadcast_walk, collapse, contiguous, pad_front, same_walk
from .broadcast import sum_to
from .constants import known_dim
from .gemm import emit_gemm
from .operator import Backward, Gradients, Operator
from .views import layout_for_readers

if TYPE_CHECKING:
    from ..ir.lowering import Lowering, View

#: The number of batch dimensions of MATMUL.
BATCH_RANK = 2


def transpose_last(back: Backward, value: ir.Value) -> ir.Value:
    """Return `value` with its last two axes swapped."""
    n = rank(value, back.node)
    perm = [*range(n - 2), n - 1, n - 2]
    return back.op("Transpose", value, of=value, perm=perm)


def rows(back: Backward, value: ir.Value, like: ir.Value) -> ir.Value:
    """Return `value` as one matrix (all leading dimensions, last).

    `value` has the rank and the last dimension of `like`.
    """
    if rank(like, back.node) == 2:
        return value
    shape = back.builder.constant(np.array([-1, known_dim(like, -1, back.node)], np.int64), f"{like.name}_grad.rows")
    return back.op("Reshape", value, shape, of=like)


def gradient(back: Backward) -> Gradients:
    """Return dA = dy B^T and dB = A^T dy, each summed over its operand's broadcast dimensions."""
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
    """Return a gradient summed over batch dimensions that `target` lacks or has as 1.

    The matrix dimensions always match.
    """
    y = back.node.outputs[0]
    stand_in = ir.Value(name=target.name, shape=ir.Shape([*list(target.shape)[:-2], *list(y.shape)[-2:]]))
    return sum_to(back, grad, stand_in)


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one GEMM if the batch is one dimension and the result row-major; else a MATMUL.

    If neither is possible, the operands are copied for each element of the batch.
    """
    y = node.outputs[0]
    layout = layout_for_readers(y)
    row_major = contiguous(static_shape(y, node))
    if same_walk(static_shape(y, node), layout, row_major) and lower_gemm(low, node):
        return
    if not lower_matmul(low, node, layout):
        lower_expanded(low, node)


def lower_gemm(low: Lowering, node: ir.Node) -> bool:
    """Emit one GEMM, and return True.

    Return False if B differs between rows of A and the batch has several dimensions.
    """
    a, b = low.view(node.inputs[0]), low.view(node.inputs[1])
    y = static_shape(node.outputs[0], node)
    k = static_shape(node.inputs[0], node)[-1]
    rows, (row_strides,) = collapse(static_shape(node.inputs[0], node)[:-1], a.strides[:-1])
    if len(b.strides) == 2 and len(rows) <= 1:
        left = (a.ref, 0, row_strides[0] if rows else 0, a.strides[-1])
        emit_gemm(low, node, left, (b.ref, 0, *b.strides), None, (1, math.prod(y[:-1]), y[-1], k))
        return True
    dims, (a_strides, b_strides) = collapse(y[:-2], *batch_strides(node, a, b))
    if len(dims) > 1:
        return False
    batch, a_batch, b_batch = (v[0] if v else fill for v, fill in ((dims, 1), (a_strides, 0), (b_strides, 0)))
    matrices = (a.ref, a_batch, *a.strides[-2:]), (b.ref, b_batch, *b.strides[-2:])
    emit_gemm(low, node, *matrices, None, (batch, y[-2], y[-1], k))
    return True


def lower_matmul(low: Lowering, node: ir.Node, layout: list[int]) -> bool:
    """Emit one MATMUL whose result has the strides `layout`, and return True.

    Return False if the batch has more than two dimensions, or if neither rows nor columns of the result
    are contiguous.
    """
    a, b, y = low.view(node.inputs[0]), low.view(node.inputs[1]), node.outputs[0]
    *batch, m, n = static_shape(y, node)
    dims, strides = collapse(batch, *batch_strides(node, a, b), layout[:-2])
    swap = n > 1 and layout[-1] != 1
    if len(dims) > BATCH_RANK or (swap and m > 1 and layout[-2] != 1):
        return False
    a_batch, b_batch, (y0, y1) = (pad_front(w, BATCH_RANK, 0) for w in strides)
    left, right = (a.ref, a_batch, a.strides[-2:]), (b.ref, b_batch, b.strides[-2:])
    y_row = layout[-2]
    if swap:  # y^T = B^T A^T
        left, right = ((ref, outer, last[::-1]) for ref, outer, last in (right, left))
        m, n, y_row = n, m, layout[-1]
    (a_ref, (a0, a1), (a_row, a_col)), (b_ref, (b0, b1), (b_row, b_col)) = left, right
    d0, d1 = pad_front(dims, BATCH_RANK, 1)
    made = Matmul(
        a=a_ref, b=b_ref, y=low.output(y, layout),
        d0=d0, d1=d1, m=m, n=n, k=static_shape(node.inputs[0], node)[-1],
        a0=a0, a1=a1, a_row=a_row, a_col=a_col,
        b0=b0, b1=b1, b_row=b_row, b_col=b_col,
        y0=y0, y1=y1, y_row=y_row,
    )  # fmt: skip
    low.emit(node, made)
    return True


def batch_strides(node: ir.Node, a: View, b: View) -> list[list[int]]:
    """Return each operand's strides along the result's batch dimensions."""
    batch = static_shape(node.outputs[0], node)[:-2]
    shapes = [static_shape(v, node)[:-2] for v in node.inputs if v is not None]
    return [broadcast_walk(v.strides[:-2], shape, batch) for v, shape in zip((a, b), shapes, strict=True)]


def lower_expanded(low: Lowering, node: ir.Node) -> None:
    """Emit one GEMM of operands that are copied for each element of the batch."""
    y, k = static_shape(node.outputs[0], node), static_shape(node.inputs[0], node)[-1]
    a, b = low.view(node.inputs[0]), low.view(node.inputs[1])
    strides = batch_strides(node, a, b)
    shapes = [(*y[:-2], y[-2], k), (*y[:-2], k, y[-1])]
    a, b = (
        expanded(low, node, view.with_strides([*outer, *view.strides[-2:]]), shape)
        for view, outer, shape in zip((a, b), strides, shapes, strict=True)
    )
    _, ((a_batch,), (b_batch,)) = collapse(y[:-2], a.strides[:-2], b.strides[:-2])
    matrices = (a.ref, a_batch, *a.strides[-2:]), (b.ref, b_batch, *b.strides[-2:])
    emit_gemm(low, node, *matrices, None, (math.prod(y[:-2]), y[-2], y[-1], k))


def expanded(low: Lowering, node: ir.Node, view: View, shape: Sequence[int]) -> View:
    """Return a copy for each element of the batch, or the view if one stride reaches all."""
    if len(collapse(shape[:-2], view.strides[:-2])[0]) <= 1:
        return view
    copy = low.scratch(f"{node.outputs[0].name}.expanded", shape, contiguous(shape))
    low.move(node, shape, view, copy)
    return copy


OPERATORS = [Operator("MatMul", gradient, lower)]
