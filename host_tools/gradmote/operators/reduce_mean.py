"""ReduceMean over axes: ReduceSum divided by the number of summed elements.

dx = dy / count, broadcast to the shape of x.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import onnx_ir as ir

from ..compiler.strides import broadcast_strides, contiguous, fit, physical_order
from ..model.graph import DOMAIN, static_shape
from .operator import Backward, Gradients, Operator
from .reduce_sum import emit_reduce, kept_dims, reduced_axes

if TYPE_CHECKING:
    from ..compiler.lowering import Lowering


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
    dims, (dy_strides,) = fit(node, [shape[i] for i in order], [repeated[i] for i in order])
    share = low.scalar(math.prod(dy_shape) / math.prod(shape))
    params = {f"d{i}": d for i, d in enumerate(dims)}
    params |= {f"a{i}": s for i, s in enumerate(dy_strides)} | {f"b{i}": 0 for i in range(4)}
    low.emit("MUL", node, {"a": low.ref(dy), "b": share, "y": low.output(node.outputs[0], layout)}, params)


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
