"""Rules shared by losses that compute each element by itself: one instruction, three reductions.

A loss L(x, t) becomes the operators LMean, LSum, LNone and LGradMean, LGradSum, LGradNone of our
domain. Their bodies are a formula for each element (`each` and its derivative `slope`) and the
reduction around it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import onnx_ir as ir

from ..errors import ModelError
from ..model.graph import DOMAIN, describe, static_shape
from .operator import Backward, GradientRule, Gradients, LoweringRule, Operator

if TYPE_CHECKING:
    from ..compiler.lowering import Lowering
    from ..generated.instructions import MseLossGradLike, MseLossLike

REDUCTIONS = ("none", "sum", "mean")

REDUCE = {
    "none": "loss = Identity (each)",
    "sum": "loss = ReduceSum <keepdims = 0> (each)",
    "mean": "loss = ReduceMean <keepdims = 0> (each)",
}
SHARE = {
    "none": "share = Identity (dloss)",
    "sum": "share = Identity (dloss)",
    "mean": "size = Size (x)\n  count = Cast <to = 1> (size)\n  share = Div (dloss, count)",
}


def gradient_rule(grad_type: str) -> GradientRule:
    """Return the rule dx = grad_type(dloss, inputs); the target has no gradient."""

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
    """Return the factor of the sum: 1 / the number of elements for "mean", else 1."""
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
    """Return the lowering of the loss with this reduction to `kind`."""

    def lower(low: Lowering, node: ir.Node) -> None:
        x, target = node.inputs[:2]
        check_shapes(node, x, target)
        made = kind(
            x=low.ref(x),
            target=low.ref(target),
            loss=low.output(node.outputs[0]),
            n=low.elements(x),
            loss_stride=reduction == "none",
            scale=scale_of(node, x, reduction),
        )
        low.emit(node, made)

    return lower


def lower_grad(kind: type[MseLossGradLike], reduction: str) -> LoweringRule:
    """Return the lowering of the loss's gradient with this reduction to `kind`."""

    def lower(low: Lowering, node: ir.Node) -> None:
        dloss, x, target = node.inputs[:3]
        made = kind(
            dloss=low.ref(dloss),
            x=low.ref(x),
            target=low.ref(target),
            dx=low.output(node.outputs[0]),
            n=low.elements(x),
            loss_stride=reduction == "none",
            scale=scale_of(node, x, reduction),
        )
        low.emit(node, made)

    return lower


def operators(
    name: str,
    make_loss: Callable[[str], LoweringRule],
    make_grad: Callable[[str], LoweringRule],
    loss: str,
    slope: str,
    inputs: str = "x, target",
) -> list[Operator]:
    """Return the six operators of a loss: forward and gradient for each reduction.

    `make_loss` and `make_grad` make the lowering of loss and gradient from the reduction. `loss`
    and `slope` are ONNX text that computes `each` and `slope` from `inputs`.
    """
    found = []
    for r in REDUCTIONS:
        forward, backward = f"{name}{r.title()}", f"{name}Grad{r.title()}"
        loss_body = f"{forward} ({inputs}) => (loss) {{\n{loss}\n  {REDUCE[r]}\n}}"
        grad_body = f"{backward} (dloss, {inputs}) => (dX) {{\n{slope}\n  {SHARE[r]}\n  dX = Mul (slope, share)\n}}"
        found.append(Operator(forward, gradient_rule(backward), make_loss(r), DOMAIN, loss_body))
        found.append(Operator(backward, None, make_grad(r), DOMAIN, grad_body))
    return found
