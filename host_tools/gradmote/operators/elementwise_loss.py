"""Losses that are a function of each element by itself, under three reductions, and the rules that they share.

A loss L(x, target) becomes six operators of our domain: LNone, LSum and LMean, and their gradients
LGradNone, LGradSum and LGradMean. One instruction computes the first three, another the gradients.

Each operator also has a body in standard ONNX, as text. It computes `each`, the loss of every
element, or `slope`, the derivative of `each` with respect to x, and then:

    loss = the elements of `each`, their sum or their mean
    dX = slope * share,  share = dloss, or dloss / size(x) for "mean"

MSELoss and L1Loss are here; bce_with_logits_loss.py has a third one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import onnx_ir as ir

from ..errors import ModelError
from ..ir.generated.instructions import L1Loss, L1LossGrad, MseLoss, MseLossGrad
from ..ir.graph import DOMAIN, describe, static_shape
from .operator import Backward, GradientRule, Gradients, LoweringRule, Operator

if TYPE_CHECKING:
    from ..ir.generated.instructions import MseLossGradLike, MseLossLike
    from ..ir.lowering import Lowering

REDUCTIONS = ("none", "sum", "mean")

#: ONNX text that computes `loss` from `each`, by reduction.
REDUCE = {
    "none": "loss = Identity (each)",
    "sum": "loss = ReduceSum <keepdims = 0> (each)",
    "mean": "loss = ReduceMean <keepdims = 0> (each)",
}
#: ONNX text that computes `share`, the gradient of the loss with respect to `each`, by reduction.
SHARE = {
    "none": "share = Identity (dloss)",
    "sum": "share = Identity (dloss)",
    "mean": "size = Size (x)\n  count = Cast <to = 1> (size)\n  share = Div (dloss, count)",
}


def gradient_rule(grad_type: str) -> GradientRule:
    """Return the rule that appends dx = grad_type(dloss, *inputs), a node of that operator.

    The rule refuses a target that needs a gradient. Further inputs, such as weights, get none.
    """

    def gradient(back: Backward) -> Gradients:
        node = back.node
        if back.needs(1):
            raise ModelError(
                f"{node.op_type} has no gradient for its target",
                "make the target independent of trained parameters",
                describe(node),
            )
        return [
            back.op(grad_type, back.dy[0], *node.inputs, of=node.inputs[0], domain=DOMAIN),
            *[None] * len(node.inputs[1:]),
        ]

    return gradient


def scale_of(node: ir.Node, x: ir.Value, reduction: str) -> float:
    """Return the factor of every element's loss: 1 / size(x) for "mean", else 1."""
    return 1.0 / math.prod(static_shape(x, node)) if reduction == "mean" else 1.0


def check_shapes(node: ir.Node, x: ir.Value, target: ir.Value) -> None:
    """Check that x and the target have equal shapes.

    Raises:
        ModelError: The shapes differ.
    """
    if static_shape(x, node) != static_shape(target, node):
        raise ModelError(
            f"the output has shape {static_shape(x, node)}, the target {static_shape(target, node)}",
            "a loss on each element needs equal shapes",
            describe(node),
        )


def lower_loss(kind: type[MseLossLike], reduction: str) -> LoweringRule:
    """Return the rule that emits an instruction `kind` for the loss under this reduction."""

    def lower(low: Lowering, node: ir.Node) -> None:
        x, target = node.inputs[:2]
        check_shapes(node, x, target)
        instruction = kind(
            x=low.ref(x),
            target=low.ref(target),
            loss=low.output(node.outputs[0]),
            n=low.elements(x),
            loss_stride=reduction == "none",  # stride 0: all elements add to one loss
            scale=scale_of(node, x, reduction),
        )
        low.emit(node, instruction)

    return lower


def lower_grad(kind: type[MseLossGradLike], reduction: str) -> LoweringRule:
    """Return the rule that emits an instruction `kind` for the gradient under this reduction."""

    def lower(low: Lowering, node: ir.Node) -> None:
        dloss, x, target = node.inputs[:3]
        instruction = kind(
            dloss=low.ref(dloss),
            x=low.ref(x),
            target=low.ref(target),
            dx=low.output(node.outputs[0]),
            n=low.elements(x),
            loss_stride=reduction == "none",  # stride 0: all elements read one dloss
            scale=scale_of(node, x, reduction),
        )
        low.emit(node, instruction)

    return lower


def operators(
    name: str,
    make_loss: Callable[[str], LoweringRule],
    make_grad: Callable[[str], LoweringRule],
    loss: str,
    slope: str,
    inputs: str = "x, target",
) -> list[Operator]:
    """Return the six operators of a loss: the loss and its gradient under each reduction.

    `make_loss` and `make_grad` return the lowering rule of loss and gradient under a reduction.
    `loss` and `slope` are ONNX text that computes `each` and `slope` from `inputs`, the names of
    the loss's inputs.
    """
    result = []
    for reduction in REDUCTIONS:
        loss_type, grad_type = f"{name}{reduction.title()}", f"{name}Grad{reduction.title()}"
        loss_body = f"{loss_type} ({inputs}) => (loss) {{\n{loss}\n  {REDUCE[reduction]}\n}}"
        grad_body = (
            f"{grad_type} (dloss, {inputs}) => (dX) {{\n{slope}\n  {SHARE[reduction]}\n  dX = Mul (slope, share)\n}}"
        )
        result.append(Operator(loss_type, gradient_rule(grad_type), make_loss(reduction), DOMAIN, loss_body))
        result.append(Operator(grad_type, None, make_grad(reduction), DOMAIN, grad_body))
    return result


# MSELoss: (x - t)^2, with the derivative 2 (x - t).

MSE = """
  difference = Sub (x, target)
  each = Mul (difference, difference)"""
MSE_SLOPE = """
  difference = Sub (x, target)
  slope = Add (difference, difference)"""


# L1Loss: |x - t|, with the derivative sign(x - t), 0 at 0.

L1 = """
  difference = Sub (x, target)
  each = Abs (difference)"""
L1_SLOPE = """
  difference = Sub (x, target)
  slope = Sign (difference)"""


OPERATORS = [
    *operators("MSELoss", partial(lower_loss, MseLoss), partial(lower_grad, MseLossGrad), MSE, MSE_SLOPE),
    *operators("L1Loss", partial(lower_loss, L1Loss), partial(lower_grad, L1LossGrad), L1, L1_SLOPE),
]
