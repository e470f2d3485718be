"""ReduceMax and ReduceMin over axes; dx is dy in equal shares to the elements that equal y."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.generated.instructions import ReduceExtremumGrad, ReduceMax, ReduceMaxLike, ReduceMin
from ..ir.graph import DOMAIN, attribute, static_shape
from .operator import Backward, Gradients, LoweringRule, Operator
from .reduce_sum import kept_dims, reduced_axes, reduction_strides
from .selection import gapless

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def gradient(back: Backward) -> Gradients:
    """Return dx: dy in equal shares to the elements that equal the result."""
    x, axes = back.node.inputs[0], reduced_axes(back.node)
    dy, y = (kept_dims(back, value) for value in (back.dy[0], back.node.outputs[0]))
    return [back.op("ReduceExtremumGrad", dy, y, x, of=x, domain=DOMAIN, axes=axes), None]


def lower_extremum(kind: type[ReduceMaxLike]) -> LoweringRule:
    """Return the lowering to `kind`, REDUCE_MAX or REDUCE_MIN."""

    def lower(low: Lowering, node: ir.Node) -> None:
        x = low.view(node.inputs[0])
        strides = reduction_strides(node, static_shape(node.inputs[0], node), x.strides, reduced_axes(node))
        low.emit(node, kind(x=x.ref, y=low.output(node.outputs[0]), **strides))

    return lower


def lower_grad(low: Lowering, node: ir.Node) -> None:
    """Emit one REDUCE_EXTREMUM_GRAD; dx has the strides of x."""
    dy, y, x = node.inputs
    shape = static_shape(x, node)
    view = gapless(low, node, low.view(x), shape)
    made = ReduceExtremumGrad(
        dy=low.ref(dy),
        y=low.ref(y),
        x=view.ref,
        dx=low.output(node.outputs[0], view.strides),
        **reduction_strides(node, shape, view.strides, attribute(node, "axes")),
    )
    low.emit(node, made)


GRAD = """
ReduceExtremumGrad <axes: ints> (dY, Y, X) => (dX) {
  axes_input = Constant <value_ints: ints = @axes> ()
  equal = Equal (X, Y)
  mask = Cast <to = 1> (equal)
  count = ReduceSum <keepdims = 1, noop_with_empty_axes = 1> (mask, axes_input)
  part = Div (dY, count)
  dX = Mul (mask, part)
}"""

OPERATORS = [
    Operator("ReduceMax", gradient, lower_extremum(ReduceMax), constants=(1,)),
    Operator("ReduceMin", gradient, lower_extremum(ReduceMin), constants=(1,)),
    Operator("ReduceExtremumGrad", None, lower_grad, DOMAIN, GRAD),
]
