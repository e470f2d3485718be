"""ReduceMean over axes: ReduceSum divided by the number of summed elements.

dx = dy / count, broadcast to the shape of x.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.generated.instructions import Mul
from ..ir.graph import DOMAIN, static_shape
from ..ir.strides import broadcast_strides, contiguous, fit, physical_order
from .operator import Backward, Gradients, Operator
from .reduce_sum import emit_reduce, kept_dims, reduced_axes

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def gradient(back: Backward) -> Gradients:
    """Return dx = dy / count, broadcast to the shape of x."""
    x = back.node.inputs[0]
    return [back.op("ReduceMeanGrad", kept_dims(back, back.dy[0]), x, of=x, domain=DOMAIN), None]


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one REDUCE_SUM with the scale 1 / count."""
    shape = static_shape(node.inputs[0], node)
    emit_reduce(low, node, 1.0 / math.prod(shape[a] for a in reduced_axes(node)))


def lower_grad(low: Lowering, node: ir.Node) -> None:
    """Emit one MUL of dy and 1 / count, broadcast to the shape of x; dx has the strides of x."""
    dy, x = node.inputs
    shape, dy_shape = static_shape(x, node), static_shape(dy, node)
    layout = low.common_layout([x]) or contiguous(shape)
    order, repeated = physical_order(shape, layout), broadcast_strides(dy_shape, shape)
    (d0, d1, d2, d3), ((a0, a1, a2, a3),) = fit(node, [shape[i] for i in order], [repeated[i] for i in order])
    share = low.scalar(math.prod(dy_shape) / math.prod(shape))
    made = Mul(
        a=low.ref(dy), b=share, y=low.output(node.outputs[0], layout),
        d0=d0, d1=d1, d2=d2, d3=d3,
        a0=a0, a1=a1, a2=a2, a3=a3,
        b0=0, b1=0, b2=0, b3=0,
    )  # fmt: skip
    low.emit(node, made)


GRAD = """
ReduceMeanGrad (dY, X) => (dX) {
  shape = Shape (X)
  size_x = Size (X)
  size_dy = Size (dY)
  count_int = Div (size_x, size_dy)
  count = Cast <to = 1> (count_int)
  share = Div (dY, count)
  dX = Expand (share, shape)
}"""

OPERATORS = [
    Operator("ReduceMean", gradient, lower, constants=(1,)),
    Operator("ReduceMeanGrad", None, lower_grad, DOMAIN, GRAD),
]
