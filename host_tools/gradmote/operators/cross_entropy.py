"""CrossEntropyMean, ...Sum and ...None: cross entropy with label smoothing and a mask.

ONNX's SoftmaxCrossEntropyLoss has neither. Scores (N, C, d1, ...); labels (N, d1, ...); weight (1,
C, 1, ...), one for each class; mask (N, d1, ...), or the number 1. With the smoothing s, the target
distribution of a position with label l and mask m is

    t_c = m ((1 - s) weight_l [c = l] + s weight_c / C), and 0 if l is ignored

    loss = -sum over c of t_c log_prob_c; a mean is divided by the sum of m weight_l
    dscores_c = dloss (exp(log_prob_c) (sum of t) - t_c), divided by the same
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import numpy as np
import onnx_ir as ir

from ..ir.generated.instructions import SoftmaxCrossEntropy, SoftmaxCrossEntropyGrad
from ..ir.graph import DOMAIN, attribute, constant_array
from .operator import Backward, GradientRule, Gradients, LoweringRule, Operator
from .softmax_cross_entropy_loss import REDUCTIONS, Reduction, loss_params

if TYPE_CHECKING:
    from ..ir.instruction import Ref
    from ..ir.lowering import Lowering

#: Compute `target`, and the terms `counted` of the divisor, from log_prob, labels, weight and mask.
TARGET = """
  ignored = Constant <value_int: int = @ignore_index> ()
  smoothing = Constant <value_float: float = @smoothing> ()
  zero = Constant <value_int = 0> ()
  zero_f = Constant <value_float = 0.0> ()
  one_f = Constant <value_float = 1.0> ()
  all = Constant <value_ints = [-1]> ()
  class_axis = Constant <value_ints = [1]> ()
  never = Constant <value = bool {0}> ()
  wide = Cast <to = 7> (labels)
  is_ignored = Equal (wide, ignored)
  safe = Where (is_ignored, zero, wide)
  kept = Where (is_ignored, zero_f, mask)
  weights = Reshape (weight, all)
  label_weight = Gather (weights, safe)
  counted = Mul (label_weight, kept)
  zeros = Where (never, log_prob, zero_f)
  class = Unsqueeze (safe, class_axis)
  class_weight = Unsqueeze (label_weight, class_axis)
  one_hot = ScatterElements <axis = 1> (zeros, class, class_weight)
  sharpness = Sub (one_f, smoothing)
  sharp = Mul (one_hot, sharpness)
  size = Size (weight)
  classes = Cast <to = 1> (size)
  share_each = Div (smoothing, classes)
  flat = Mul (weight, share_each)
  mixed = Add (sharp, flat)
  kept_c = Unsqueeze (kept, class_axis)
  target = Mul (mixed, kept_c)"""

REDUCE = {
    "none": "loss = Identity (each)",
    "sum": "loss = ReduceSum <keepdims = 0> (each)",
    "mean": """total = ReduceSum <keepdims = 0> (counted)
  sum = ReduceSum <keepdims = 0> (each)
  loss = Div (sum, total)""",
}
SHARE = {
    "none": "share = Unsqueeze (dloss, class_axis)",
    "sum": "share = Identity (dloss)",
    "mean": """total = ReduceSum <keepdims = 0> (counted)
  share = Div (dloss, total)""",
}


def loss_type(reduction: str) -> str:
    """Return the type of the loss operator with this reduction."""
    return f"CrossEntropy{reduction.title()}"


def grad_type(reduction: str) -> str:
    """Return the type of the gradient operator with this reduction."""
    return f"CrossEntropyGrad{reduction.title()}"


def loss_body(reduction: str) -> str:
    """Return the loss with this reduction in standard ONNX."""
    return f"""
{loss_type(reduction)} <ignore_index: int, smoothing: float> (scores, labels, weight, mask) => (loss, log_prob) {{
  log_prob = LogSoftmax <axis = 1> (scores)
{TARGET}
  product = Mul (target, log_prob)
  gain = ReduceSum <keepdims = 0> (product, class_axis)
  each = Neg (gain)
  {REDUCE[reduction]}
}}"""


def grad_body(reduction: str) -> str:
    """Return the gradient with this reduction in standard ONNX."""
    return f"""
{grad_type(reduction)} <ignore_index: int, smoothing: float> (dloss, log_prob, labels, weight, mask) => (dX) {{
{TARGET}
  {SHARE[reduction]}
  probability = Exp (log_prob)
  target_sum = ReduceSum <keepdims = 1> (target, class_axis)
  expected = Mul (probability, target_sum)
  difference = Sub (expected, target)
  dX = Mul (difference, share)
}}"""


def gradient_rule(reduction: str) -> GradientRule:
    """Return the rule that gives dscores; labels, weight and mask have no gradient."""

    def gradient(back: Backward) -> Gradients:
        node = back.node
        scores, *others = node.inputs
        attributes = {name: attribute(node, name) for name in ("ignore_index", "smoothing")}
        inputs = [back.dy[0], node.outputs[1], *others]
        return [back.op(grad_type(reduction), *inputs, of=scores, domain=DOMAIN, **attributes), None, None, None]

    return gradient


class SharedOperands(TypedDict):
    """The operands that loss and gradient share; None stands for ones."""

    labels: Ref
    weight: Ref | None
    mask: Ref | None


def shared_operands(low: Lowering, labels: ir.Value, weight: ir.Value, mask: ir.Value) -> SharedOperands:
    """Return the operands that loss and gradient share."""
    return {"labels": low.ref(labels), "weight": unless_ones(low, weight), "mask": unless_ones(low, mask)}


def unless_ones(low: Lowering, value: ir.Value) -> Ref | None:
    """Return the value's operand, or None if it is constant and all ones."""
    array = constant_array(value)
    return None if array is not None and np.all(array == 1) else low.ref(value)


def lower_loss(reduction: Reduction) -> LoweringRule:
    """Return the lowering of the loss with this reduction to SOFTMAX_CROSS_ENTROPY."""

    def lower(low: Lowering, node: ir.Node) -> None:
        scores, *others = node.inputs
        loss, log_prob = node.outputs
        made = SoftmaxCrossEntropy(
            x=low.ref(scores),
            **shared_operands(low, *others),
            log_prob=low.output(log_prob),
            loss=low.output(loss),
            **loss_params(node, scores, reduction),
        )
        low.emit(node, made)

    return lower


def lower_grad(reduction: Reduction) -> LoweringRule:
    """Return the lowering of its gradient to SOFTMAX_CROSS_ENTROPY_GRAD."""

    def lower(low: Lowering, node: ir.Node) -> None:
        dloss, log_prob, *others = node.inputs
        made = SoftmaxCrossEntropyGrad(
            dloss=low.ref(dloss),
            log_prob=low.ref(log_prob),
            **shared_operands(low, *others),
            dx=low.output(node.outputs[0]),
            **loss_params(node, log_prob, reduction),
        )
        low.emit(node, made)

    return lower


OPERATORS = [
    operator
    for r in REDUCTIONS
    for operator in (
        Operator(loss_type(r), gradient_rule(r), lower_loss(r), DOMAIN, loss_body(r)),
        Operator(grad_type(r), None, lower_grad(r), DOMAIN, grad_body(r)),
    )
]
