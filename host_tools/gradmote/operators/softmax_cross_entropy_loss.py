"""SoftmaxCrossEntropyLoss and NegativeLogLikelihoodLoss, ONNX's own operators.

SoftmaxCrossEntropyLoss is over scores (N, C, d1, ...). The labels are (N, d1, ...). dscores = dloss w
(exp(log_prob) - onehot); w is the label's weight, 0 if it is ignored. For "mean" it is divided by the
total weight.

NegativeLogLikelihoodLoss is its second half, over log-probabilities (N, C, d1, ...). dx = -dloss w onehot,
divided by the total weight for "mean".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

import onnx_ir as ir

from ..errors import ModelError
from ..ir.generated.instructions import SoftmaxCrossEntropy, SoftmaxCrossEntropyGrad
from ..ir.graph import DOMAIN, attribute, describe, normalize_axis, static_shape
from ..ir.strides import contiguous
from .operator import Backward, Gradients, Operator
from .softmax import split_at

if TYPE_CHECKING:
    from ..ir.instruction import Ref
    from ..ir.lowering import Lowering

Reduction = Literal["none", "sum", "mean"]
REDUCTIONS: tuple[Reduction, ...] = ("none", "sum", "mean")
#: The operator whose scores are already log-probabilities, and its gradients.
LOG_INPUT = "NegativeLogLikelihoodLoss"
#: The default ignore_index: a label that no class has.
NO_LABEL = -100


def reduction_of(node: ir.Node) -> Reduction:
    """Return the attribute `reduction`; "mean" by default.

    Raises:
        ModelError: There is no such reduction.
    """
    given = attribute(node, "reduction", "mean")
    for reduction in REDUCTIONS:
        if reduction == given:
            return reduction
    raise ModelError(f"there is no reduction '{given}'", f"use {', '.join(REDUCTIONS)}", describe(node))


def gradient(back: Backward) -> Gradients:
    """Return dscores = dloss w (exp(log_prob) - onehot), divided by the total weight for "mean"."""
    return gradient_from(back, log_prob_output(back.node))


def gradient_from(back: Backward, log_prob: ir.Value) -> Gradients:
    """Return dscores by the gradient operator for the node's type, reduction and weights."""
    node = back.node
    scores, labels = node.inputs[:2]
    weight = node.inputs[2] if len(node.inputs) > 2 else None
    op_type = grad_op(node.op_type, reduction_of(node), weight is not None)
    inputs = [back.dy[0], log_prob, labels, *([weight] if weight is not None else [])]
    ignored = attribute(node, "ignore_index", NO_LABEL)
    return [back.op(op_type, *inputs, of=scores, domain=DOMAIN, ignore_index=ignored), None, None]


def log_prob_output(node: ir.Node) -> ir.Value:
    """Return the node's second output, log_prob; add it if the model omits it."""
    if len(node.outputs) < 2:
        node.resize_outputs(2)
    log_prob = node.outputs[1]
    if not log_prob.name:
        log_prob.name = f"{node.outputs[0].name}.log_prob"
    log_prob.shape, log_prob.type = node.inputs[0].shape, node.inputs[0].type
    return log_prob


def grad_op(op_type: str, reduction: str, weighted: bool) -> str:
    """Return the type of the gradient operator."""
    return f"{op_type}Grad{reduction.title()}{'Weighted' if weighted else ''}"


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one SOFTMAX_CROSS_ENTROPY that writes the node's log_prob."""
    emit_loss(low, node, low.output(log_prob_output(node)))


def emit_loss(low: Lowering, node: ir.Node, log_prob: Ref) -> None:
    """Emit one SOFTMAX_CROSS_ENTROPY that writes log-probabilities to `log_prob`."""
    scores = node.inputs[0]
    made = SoftmaxCrossEntropy(
        x=low.ref(scores),
        labels=low.ref(node.inputs[1]),
        weight=low.ref(node.inputs[2]) if len(node.inputs) > 2 and node.inputs[2] else None,
        log_prob=log_prob,
        loss=low.output(node.outputs[0]),
        **loss_params(node, scores, reduction_of(node)),
    )
    low.emit(node, made)


class LossParams(TypedDict):
    """The parameters that loss and gradient share."""

    outer: int
    classes: int
    inner: int
    loss_outer: int
    loss_inner: int
    reduction: Reduction
    ignore_index: int
    smoothing: float
    log_input: bool


def loss_params(node: ir.Node, scores: ir.Value, reduction: Reduction) -> LossParams:
    """Return the parameters that loss and gradient share."""
    sizes = split_at(static_shape(scores, node), normalize_axis(1, scores, node))
    one_each = reduction == "none"
    return {
        **sizes,
        "loss_outer": sizes["inner"] if one_each else 0,
        "loss_inner": 1 if one_each else 0,
        "reduction": reduction,
        "ignore_index": attribute(node, "ignore_index", NO_LABEL),
        "smoothing": attribute(node, "smoothing", 0.0),
        "log_input": node.op_type.startswith(LOG_INPUT),
    }


def lower_grad(low: Lowering, node: ir.Node, reduction: Reduction) -> None:
    """Emit one SOFTMAX_CROSS_ENTROPY_GRAD."""
    made = SoftmaxCrossEntropyGrad(
        dloss=low.ref(node.inputs[0]),
        log_prob=low.ref(node.inputs[1]),
        labels=low.ref(node.inputs[2]),
        weight=low.ref(node.inputs[3]) if len(node.inputs) > 3 else None,
        dx=low.output(node.outputs[0]),
        **loss_params(node, node.inputs[1], reduction),
    )
    low.emit(node, made)


def body(op_type: str, reduction: str, weighted: bool) -> str:
    """Return the gradient in standard ONNX; `share` is each label's part of dloss."""
    probability = "Identity (zeros)" if op_type == LOG_INPUT else "Exp (log_prob)"
    weight = "label_weight = Gather (weight, safe)" if weighted else "label_weight = Cast <to = 1> (kept)"
    share = {
        "none": "share = Mul (dloss, counted)",
        "sum": "share = Mul (dloss, counted)",
        "mean": """total = ReduceSum <keepdims = 0> (counted)
  part = Div (counted, total)
  share = Mul (dloss, part)""",
    }[reduction]
    inputs = "dloss, log_prob, labels" + (", weight" if weighted else "")
    return f"""
{grad_op(op_type, reduction, weighted)} <ignore_index: int = {NO_LABEL}> ({inputs}) => (dX) {{
  ignored = Constant <value_int: int = @ignore_index> ()
  zero = Constant <value_int = 0> ()
  zero_f = Constant <value_float = 0.0> ()
  one_at = Constant <value_ints = [1]> ()
  never = Constant <value = bool {{0}}> ()
  wide = Cast <to = 7> (labels)
  is_ignored = Equal (wide, ignored)
  kept = Not (is_ignored)
  safe = Where (is_ignored, zero, wide)
  {weight}
  counted = Where (is_ignored, zero_f, label_weight)
  {share}
  share_c = Unsqueeze (share, one_at)
  zeros = Where (never, log_prob, zero_f)
  class = Unsqueeze (safe, one_at)
  kept_f = Cast <to = 1> (kept)
  one = Unsqueeze (kept_f, one_at)
  one_hot = ScatterElements <axis = 1> (zeros, class, one)
  probability = {probability}
  difference = Sub (probability, one_hot)
  dX = Mul (difference, share_c)
}}"""


def grad_operator(op_type: str, reduction: Reduction, weighted: bool) -> Operator:
    """Return the gradient operator for a loss, a reduction, and labels with or without weights."""
    return Operator(
        grad_op(op_type, reduction, weighted),
        None,
        lambda low, node: lower_grad(low, node, reduction),
        DOMAIN,
        body(op_type, reduction, weighted),
    )


def grad_operators(op_type: str) -> list[Operator]:
    """Return the gradient operators of a loss, for all reductions, with and without weights."""
    return [grad_operator(op_type, reduction, weighted) for reduction in REDUCTIONS for weighted in (False, True)]


def likelihood_gradient(back: Backward) -> Gradients:
    """Return dx = -dloss w onehot, divided by the total weight for "mean"."""
    return gradient_from(back, back.node.inputs[0])


def lower_likelihood(low: Lowering, node: ir.Node) -> None:
    """Emit one SOFTMAX_CROSS_ENTROPY that takes logarithms of probabilities as they are."""
    shape = static_shape(node.inputs[0], node)
    emit_loss(low, node, low.scratch(f"{node.outputs[0].name}.log_prob", shape, contiguous(shape)).ref)


OPERATORS = [
    Operator("SoftmaxCrossEntropyLoss", gradient, lower),
    *grad_operators("SoftmaxCrossEntropyLoss"),
    Operator(LOG_INPUT, likelihood_gradient, lower_likelihood),
    *grad_operators(LOG_INPUT),
]
