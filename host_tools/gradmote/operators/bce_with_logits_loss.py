"""BCEWithLogitsLoss in its stable form, which stays finite for logits of any size.

    loss = (1 - t) x + (1 + (p - 1) t) (log(1 + exp(-|x|)) + max(-x, 0))
    d loss / dx = (1 - t) - (1 + (p - 1) t) sigmoid(-x)

x are the logits, t the targets, and p is the weight of the positive class (default 1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

import onnx_ir as ir

from ..errors import ModelError
from ..ir.generated.instructions import BceWithLogitsLoss, BceWithLogitsLossGrad
from ..ir.graph import describe, static_shape
from .elementwise_loss import check_shapes, operators, scale_of
from .operator import LoweringRule

if TYPE_CHECKING:
    from ..ir.instruction import Ref
    from ..ir.lowering import Lowering

FACTOR = """
  one = Constant <value_float = 1.0> ()
  negative = Sub (one, target)
  extra = Sub (pos_weight, one)
  positive = Mul (extra, target)
  factor = Add (one, positive)
  opposite = Neg (x)"""
LOSS = (
    FACTOR
    + """
  magnitude = Abs (x)
  down = Neg (magnitude)
  small = Exp (down)
  shifted = Add (one, small)
  log_term = Log (shifted)
  hinge = Relu (opposite)
  soft = Add (log_term, hinge)
  weighted = Mul (factor, soft)
  linear = Mul (negative, x)
  each = Add (linear, weighted)"""
)
SLOPE = (
    FACTOR
    + """
  wrong = Sigmoid (opposite)
  weighted = Mul (factor, wrong)
  slope = Sub (negative, weighted)"""
)


class Shared(TypedDict):
    """The operands and parameters that loss and gradient share."""

    x: Ref
    target: Ref
    pos_weight: Ref
    outer: int
    inner: int
    pos_stride: bool
    loss_outer: int
    loss_inner: int
    scale: float


def shared(low: Lowering, node: ir.Node, values: Sequence[ir.Value], reduction: str) -> Shared:
    """Return the operands and parameters that loss and gradient share.

    `values` are x, target and pos_weight; pos_weight is a scalar, or has the shape of the last
    dimensions of x.

    Raises:
        ModelError: The shapes of x and target differ, or pos_weight has another shape.
    """
    x, target, pos_weight = values
    check_shapes(node, x, target)
    shape, weights = static_shape(x, node), static_shape(pos_weight, node)
    inner = math.prod(weights)
    if weights and shape[len(shape) - len(weights) :] != weights:
        raise ModelError(
            f"pos_weight of shape {weights} does not match the output's last dimensions {shape}",
            "give one number, or one per class",
            describe(node),
        )
    one_each = reduction == "none"
    return {
        "x": low.ref(x),
        "target": low.ref(target),
        "pos_weight": low.ref(pos_weight),
        "outer": math.prod(shape) // inner,
        "inner": inner,
        "pos_stride": inner > 1,
        "loss_outer": inner if one_each else 0,
        "loss_inner": 1 if one_each else 0,
        "scale": scale_of(node, x, reduction),
    }


def lower_loss(reduction: str) -> LoweringRule:
    """Return the lowering of the loss with this reduction."""

    def lower(low: Lowering, node: ir.Node) -> None:
        given = shared(low, node, node.inputs, reduction)
        low.emit(node, BceWithLogitsLoss(**given, loss=low.output(node.outputs[0])))

    return lower


def lower_grad(reduction: str) -> LoweringRule:
    """Return the lowering of the loss's gradient with this reduction."""

    def lower(low: Lowering, node: ir.Node) -> None:
        given = shared(low, node, node.inputs[1:], reduction)
        dloss, dx = low.ref(node.inputs[0]), low.output(node.outputs[0])
        low.emit(node, BceWithLogitsLossGrad(**given, dloss=dloss, dx=dx))

    return lower


OPERATORS = operators("BCEWithLogitsLoss", lower_loss, lower_grad, LOSS, SLOPE, "x, target, pos_weight")
