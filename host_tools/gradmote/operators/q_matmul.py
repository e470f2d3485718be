"""QMatMul, the product of two computed matrices of int8 values.

It has the inputs and the result of ONNX's QLinearMatMul, with bounds:

    y[m, n] = clamp(rne(sum over k of (a[m, k] - a_zero) (b[k, n] - b_zero) a_scale b_scale / y_scale)
                    + y_zero, low, high)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.generated.instructions import MatmulS8
from ..ir.graph import DOMAIN, describe, static_shape
from ..ir.strides import broadcast_walk, collapse, contiguous, pad_front
from .matmul import BATCH_RANK
from .operator import Operator
from .quantized import CLAMP_WHOLE, bounds, multipliers, numbers, zero

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

#: The inputs of a node.
A, A_SCALE, A_ZERO, B, B_SCALE, B_ZERO, Y_SCALE, Y_ZERO = range(8)


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one MATMUL_S8; the output is row-major.

    Raises:
        UnsupportedOperator: The batch has more dimensions than the instruction.
    """
    y = node.outputs[0]
    *batch, m, n = shape = static_shape(y, node)
    a, b = (low.view(node.inputs[i]) for i in (A, B))
    shapes = [static_shape(node.inputs[i], node)[:-2] for i in (A, B)]
    outer = [broadcast_walk(v.strides[:-2], s, batch) for v, s in zip((a, b), shapes, strict=True)]
    dims, strides = collapse(batch, *outer, contiguous(shape)[:-2])
    if len(dims) > BATCH_RANK:
        raise UnsupportedOperator(
            f"a product of int8 matrices over {len(dims)} batch dimensions",
            "reshape the operands to one batch dimension",
            describe(node),
        )
    d0, d1 = pad_front(dims, BATCH_RANK, 1)
    (a0, a1), (b0, b1), (y0, y1) = (pad_front(s, BATCH_RANK, 0) for s in strides)
    a_scale, b_scale, y_scale = (numbers(node, i) for i in (A_SCALE, B_SCALE, Y_SCALE))
    made = MatmulS8(
        a=a.ref, b=b.ref, y=low.output(y, dtype="i8"),
        d0=d0, d1=d1, m=m, n=n, k=static_shape(node.inputs[A], node)[-1],
        a0=a0, a1=a1, a_row=a.strides[-2], a_col=a.strides[-1],
        b0=b0, b1=b1, b_row=b.strides[-2], b_col=b.strides[-1],
        y0=y0, y1=y1, y_row=n,
        multiplier=float(multipliers(a_scale, b_scale, y_scale, 1)[0]),
        a_zero=zero(node, A_ZERO), b_zero=zero(node, B_ZERO), **bounds(node, Y_ZERO), panel_words=1,
    )  # fmt: skip
    low.emit(node, made)


BODY = f"""
QMatMul <low: int, high: int> (A, a_scale, a_zero, B, b_scale, b_zero, y_scale, y_zero) => (Y) {{
  whole = QLinearMatMul (A, a_scale, a_zero, B, b_scale, b_zero, y_scale, y_zero)
{CLAMP_WHOLE}}}"""

OPERATORS = [Operator("QMatMul", None, lower, DOMAIN, BODY, any_width=True)]
