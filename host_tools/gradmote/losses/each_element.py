"""Losses of each element and its target, optionally masked, reduced: mse, l1 and bce_with_logits."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ..errors import ModelError
from ..ir.graph import DOMAIN, Builder, rank
from .loss import Loss, check_reduction, label, made_by, mask_label, require_numbers

log = logging.getLogger(__name__)

#: Appends the operator's inputs after an output and its target.
FurtherInputs = Callable[[Builder, ir.Value], list[ir.Value]]


@dataclass(frozen=True)
class Mask:
    """An input that weights positions, and the axes of the output that it has (None: all)."""

    name: str
    axes: tuple[int, ...] | None


def masking(mask: bool, name: str, axes: int | Sequence[int] | None) -> Mask | None:
    """Return the mask that the options ask for, or None.

    Raises ModelError for axes without a mask.
    """
    if not mask:
        if axes is not None:
            raise ModelError("mask_axes without mask", "say mask=True (--mask) too")
        return None
    return Mask(name, None if axes is None else tuple(np.atleast_1d(axes).tolist()))


def elementwise(
    op: str, reduction: str, target_name: str, mask: Mask | None, further_inputs: FurtherInputs = lambda builder, x: []
) -> Loss:
    """Return a loss of each element and its target, reduced.

    op: the operator without its reduction. Raises ModelError for another reduction than "none",
    "sum" or "mean".
    """
    check_reduction(reduction)

    def loss(builder: Builder, x: ir.Value) -> ir.Value:
        target = label(builder, target_name, like=x)
        inputs = [x, target, *further_inputs(builder, x)]
        if mask is None:
            return builder.op(f"{op}{reduction.title()}", *inputs, name="loss", domain=DOMAIN)
        each = builder.op(f"{op}None", *inputs, name="each", domain=DOMAIN)
        return masked(builder, each, x, mask, reduction)

    return loss


def masked(builder: Builder, each: ir.Value, x: ir.Value, mask: Mask, reduction: str) -> ir.Value:
    """Return the reduction of the loss of each element of x, weighted by a mask."""
    dims, axes = list(x.shape), mask_positions(x, mask)  # type: ignore[arg-type]
    weights = mask_label(builder, mask.name, ir.Shape([dims[a] for a in axes]))
    rest = [a for a in range(len(dims)) if a not in axes]
    column = weights
    if rest:
        column = builder.op("Unsqueeze", weights, builder.constant(rest, "mask_rest"), name="mask_column")
    if reduction == "none":
        return builder.op("Mul", each, column, name="loss")
    product = builder.op("Mul", each, column, name="masked")
    if reduction == "sum":
        return builder.op("ReduceSum", product, name="loss", keepdims=0)
    return weighted_mean(builder, product, weights)


def weighted_mean(builder: Builder, product: ir.Value, weights: ir.Value) -> ir.Value:
    """Return mean(product) / mean(weights), and 0 if all weights are 0."""
    share = builder.op("ReduceMean", weights, name="mask_share", keepdims=0)
    smallest = builder.constant(float(np.finfo(np.float32).tiny), "smallest")
    divisor = builder.op("Max", share, smallest, name="mask_divisor")
    return builder.op("Div", builder.op("ReduceMean", product, name="masked_mean", keepdims=0), divisor, name="loss")


def mask_positions(x: ir.Value, mask: Mask) -> list[int]:
    """Return the mask's axes, counted from the front, in ascending order; the first is the batch.

    Raises ModelError for axes that the output lacks, repeated axes, or a missing batch axis.
    """
    n = rank(x)
    named = range(n) if mask.axes is None else mask.axes
    axes = sorted({a % n for a in named if -n <= a < n})
    if len(axes) != len(named) or 0 not in axes:
        raise ModelError(
            f"mask_axes {list(named)} for output '{x.name}' of shape {x.shape}",
            "name axes of the output, each once, with the batch: 0,1 for the steps of sequences (N, T, features)",
        )
    return axes


def mse(
    reduction: str = "mean",
    target_name: str = "target",
    mask: bool = False,
    mask_name: str = "mask",
    mask_axes: int | Sequence[int] | None = None,
) -> Loss:
    """Return the loss (x - t)^2, with a target of the output's shape.

    mask: adds an input that weights each element. mask_axes: the axes of the output that the mask has,
    including the batch; all by default. (0, 1) is one number per step of a sequence (N, T, features),
    (0, 2, 3) one per pixel of an image (N, C, H, W).
    """
    return elementwise("MSELoss", reduction, target_name, masking(mask, mask_name, mask_axes))


def l1(
    reduction: str = "mean",
    target_name: str = "target",
    mask: bool = False,
    mask_name: str = "mask",
    mask_axes: int | Sequence[int] | None = None,
) -> Loss:
    """Return the loss |x - t|, with a target of the output's shape.

    mask, mask_axes: as for mse.
    """
    return elementwise("L1Loss", reduction, target_name, masking(mask, mask_name, mask_axes))


def bce_with_logits(
    pos_weight: float | Sequence[float] = 1.0,
    reduction: str = "mean",
    target_name: str = "target",
    mask: bool = False,
    mask_name: str = "mask",
    mask_axes: int | Sequence[int] | None = None,
    through_sigmoid: bool = False,
) -> Loss:
    """Return binary cross-entropy on logits in its stable form (PyTorch's BCEWithLogitsLoss).

    Targets are in 0 .. 1. pos_weight: weight of the positive class, one number or one for each element of
    the last dimension. mask, mask_axes: as for mse. through_sigmoid: if the model's output comes from a
    Sigmoid, take the scores before it; otherwise such an output is taken as scores, with a warning.
    """
    require_numbers("pos_weight", pos_weight)
    weight = np.asarray(pos_weight, np.float32)
    on_scores = elementwise(
        "BCEWithLogitsLoss",
        reduction,
        target_name,
        masking(mask, mask_name, mask_axes),
        lambda builder, x: [positive_weight(builder, weight, x)],
    )
    return lambda builder, x: on_scores(builder, before_sigmoid(x, through_sigmoid))


def before_sigmoid(scores: ir.Value, through_sigmoid: bool) -> ir.Value:
    """Return the input of the Sigmoid that made `scores`, if it is wanted and there is one, else `scores`."""
    node = made_by(scores, "Sigmoid")
    if node is not None and not through_sigmoid:
        log.warning(
            "'%s' is the result of a Sigmoid, and bce_with_logits applies a second one: "
            "through_sigmoid=True takes the scores before it",
            scores.name,
        )
    return scores if node is None or not through_sigmoid else node.inputs[0]  # type: ignore[return-value]


def positive_weight(builder: Builder, weight: np.ndarray, scores: ir.Value) -> ir.Value:
    """Return pos_weight as a constant.

    Raises ModelError for a shape that would change the output's shape by broadcasting.
    """
    last = list(scores.shape)[-1] if scores.shape else 1
    if weight.ndim > 1 or (weight.ndim == 1 and weight.size != last):
        raise ModelError(
            f"pos_weight of shape {weight.shape} for output '{scores.name}' of shape {scores.shape}",
            "give one number, or one for each element of the last dimension",
        )
    return builder.constant(weight, "pos_weight")
