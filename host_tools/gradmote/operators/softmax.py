"""Softmax and LogSoftmax along an axis. The rules view a tensor as (outer, classes, inner).

Softmax       dx = y (dy - sum(dy y))
LogSoftmax    dx = dy - exp(y) sum(dy)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypedDict

import onnx_ir as ir

from ..ir.generated.instructions import LogSoftmax, LogSoftmaxGrad, Softmax, SoftmaxGrad
from ..ir.graph import DOMAIN, attribute, normalize_axis, static_shape
from .operator import Backward, GradientRule, Gradients, LoweringRule, Operator

if TYPE_CHECKING:
    from ..ir.generated.instructions import SoftmaxGradLike, SoftmaxLike
    from ..ir.lowering import Lowering


class AroundAxis(TypedDict):
    """The numbers of elements before, at and after an axis."""

    outer: int
    classes: int
    inner: int


def split_at(shape: tuple[int, ...], axis: int) -> AroundAxis:
    """Return the numbers of elements before, at and after `axis`."""
    return {"outer": math.prod(shape[:axis]), "classes": shape[axis], "inner": math.prod(shape[axis + 1 :])}


def gradient_along_axis(op_type: str) -> GradientRule:
    """Return the rule dx = op_type(dy, y) along the node's attribute `axis`.

    op_type is an operator of our own domain.
    """

    def gradient(back: Backward) -> Gradients:
        (x,), (y,) = back.node.inputs, back.node.outputs
        return [back.op(op_type, back.dy[0], y, of=x, domain=DOMAIN, axes=[attribute(back.node, "axis", -1)])]

    return gradient


def lower_along_axis(kind: type[SoftmaxLike | SoftmaxGradLike]) -> LoweringRule:
    """Return the lowering of an operator along one axis to one instruction.

    The axis is the attribute `axis` (default -1); gradient operators have it as a list, `axes`.
    The instruction's operands are the node's inputs in their order, then its output.
    """
    *inputs, output = kind.extents

    def lower(low: Lowering, node: ir.Node) -> None:
        y = node.outputs[0]
        axis = normalize_axis(attribute(node, "axes", [attribute(node, "axis", -1)])[0], y, node)
        refs = {name: low.ref(value) for name, value in zip(inputs, node.inputs, strict=True)}
        refs[output] = low.output(y)
        low.emit(node, kind(**refs, **split_at(static_shape(y, node), axis)))

    return lower


SOFTMAX_GRAD = """
SoftmaxGrad <axes: ints> (dY, Y) => (dX) {
  axes_input = Constant <value_ints: ints = @axes> ()
  product = Mul (dY, Y)
  total = ReduceSum <keepdims = 1> (product, axes_input)
  centred = Sub (dY, total)
  dX = Mul (Y, centred)
}"""


LOG_SOFTMAX_GRAD = """
LogSoftmaxGrad <axes: ints> (dY, Y) => (dX) {
  axes_input = Constant <value_ints: ints = @axes> ()
  total = ReduceSum <keepdims = 1> (dY, axes_input)
  probability = Exp (Y)
  share = Mul (probability, total)
  dX = Sub (dY, share)
}"""


OPERATORS = [
    Operator("Softmax", gradient_along_axis("SoftmaxGrad"), lower_along_axis(Softmax)),
    Operator("SoftmaxGrad", None, lower_along_axis(SoftmaxGrad), DOMAIN, SOFTMAX_GRAD),
    Operator("LogSoftmax", gradient_along_axis("LogSoftmaxGrad"), lower_along_axis(LogSoftmax)),
    Operator("LogSoftmaxGrad", None, lower_along_axis(LogSoftmaxGrad), DOMAIN, LOG_SOFTMAX_GRAD),
]
