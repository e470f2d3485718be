"""Gemm: y = A' B' + c; A' and B' are A and B, optionally transposed.

alpha and beta are 1 after the pass simplify_gemm. dA' = dy B'^T, dB' = A'^T dy, and dc is dy summed
over rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.generated.instructions import Gemm
from ..ir.graph import attribute, static_shape
from .broadcast import sum_to
from .operator import Backward, Gradients, Operator
from .views import layout_for_readers

if TYPE_CHECKING:
    from ..ir.instruction import Ref
    from ..ir.lowering import Lowering, View


def gradient(back: Backward) -> Gradients:
    """Return dA and dB, and dc, which is dy summed to the shape of c.

    dA' = dy B'^T and dB' = A'^T dy; the gradient of a transposed A or B is transposed too.
    """
    a, b = back.node.inputs[:2]
    trans_a, trans_b = attribute(back.node, "transA", 0), attribute(back.node, "transB", 0)
    dy = back.dy[0]
    da = db = dc = None
    if back.needs(0):  # (B' dy^T) or (dy B'^T)
        da = (
            back.op("Gemm", b, dy, of=a, transA=trans_b, transB=1)
            if trans_a
            else back.op("Gemm", dy, b, of=a, transB=1 - trans_b)
        )
    if back.needs(1):  # (dy^T A') or (A'^T dy)
        db = (
            back.op("Gemm", dy, a, of=b, transA=1, transB=trans_a)
            if trans_b
            else back.op("Gemm", a, dy, of=b, transA=1 - trans_a)
        )
    if back.needs(2):
        dc = sum_to(back, dy, back.node.inputs[2])
    return [da, db, dc]


def swap(view: View, transposed: int) -> list[int]:
    """Return the view's strides, reversed if `transposed` is not 0."""
    return list(reversed(view.strides)) if transposed else list(view.strides)


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one GEMM; it computes y^T if the readers of y transpose it."""
    a, b = low.view(node.inputs[0]), low.view(node.inputs[1])
    y = node.outputs[0]
    m, n = static_shape(y, node)
    trans_a = attribute(node, "transA", 0)
    k = static_shape(node.inputs[0], node)[0 if trans_a else 1]
    bias = node.inputs[2] if len(node.inputs) > 2 else None
    a_strides, b_strides = swap(a, trans_a), swap(b, attribute(node, "transB", 0))
    layout = layout_for_readers(y)
    # y^T = B'^T A'^T: the readers of y transpose it, as for the gradient of a transposed weight.
    if bias is None and n > 1 and layout[1] != 1:
        left, right = (b.ref, 0, *b_strides[::-1]), (a.ref, 0, *a_strides[::-1])
        emit_gemm(low, node, left, right, None, (1, n, m, k), layout)
        return
    left, right = (a.ref, 0, *a_strides), (b.ref, 0, *b_strides)
    emit_gemm(low, node, left, right, low.ref(bias) if bias is not None else None, (1, m, n, k))


#: (ref, batch stride, row stride, column stride)
Matrix = tuple["Ref", int, int, int]


def emit_gemm(
    low: Lowering,
    node: ir.Node,
    a: Matrix,
    b: Matrix,
    bias: Ref | None,
    sizes: tuple[int, int, int, int],
    layout: list[int] | None = None,
) -> None:
    """Emit one GEMM of sizes (batch, m, n, k).

    `layout` holds the strides of the output if they are not row-major.
    """
    (a_ref, a_batch, a_row, a_col), (b_ref, b_batch, b_row, b_col) = a, b
    batch, m, n, k = sizes
    made = Gemm(
        a=a_ref,
        b=b_ref,
        bias=bias,
        y=low.output(node.outputs[0], layout),
        batch=batch,
        m=m,
        n=n,
        k=k,
        a_batch=a_batch,
        a_row=a_row,
        a_col=a_col,
        b_batch=b_batch,
        b_row=b_row,
        b_col=b_col,
        accumulate=False,
        activation="none",
    )
    low.emit(node, made)


OPERATORS = [Operator("Gemm", gradient, lower)]
