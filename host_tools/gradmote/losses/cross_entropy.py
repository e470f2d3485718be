"""Softmax cross-entropy, with the settings of PyTorch's CrossEntropyLoss."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from ..errors import ModelError
from ..ir.graph import DOMAIN, Builder, rank
from .loss import Loss, check_reduction, class_label, made_by, mask_label, require_numbers


def cross_entropy(
    weight: Sequence[float] | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    labels_name: str = "labels",
    through_softmax: bool = False,
    label_smoothing: float = 0.0,
    mask: bool = False,
    mask_name: str = "mask",
) -> Loss:
    """Return softmax cross-entropy on scores, with the formula of PyTorch's CrossEntropyLoss.

    Scores are (N, C, d1, ...), labels int64 (N, d1, ...).

    weight: one number per class. ignore_index: a label that does not count. through_softmax: if the
    model's output comes from a Softmax over the classes, take the scores before it. label_smoothing:
    0 .. 1, the part of the target that is spread over all classes. mask: adds an input of the labels'
    shape that weights each position. Raises ModelError for another reduction or label_smoothing.
    """
    check_reduction(reduction)
    require_numbers("weight", weight)
    if not 0.0 <= label_smoothing <= 1.0:
        raise ModelError(f"label_smoothing {label_smoothing}", "it must be in 0 .. 1")

    def loss(builder: Builder, scores: ir.Value) -> ir.Value:
        if through_softmax:
            scores = before_softmax(scores)
        labels = class_label(builder, labels_name, scores)
        if mask or label_smoothing:
            factors = mask_label(builder, mask_name, labels.shape) if mask else builder.constant(1.0, "no_mask")
            inputs = [scores, labels, class_column(builder, weight, scores), factors]
            return own_cross_entropy(builder, inputs, reduction, ignore_index, label_smoothing)
        inputs = [scores, labels, *([class_weights(builder, weight, scores)] if weight is not None else [])]
        return builder.ops(
            "SoftmaxCrossEntropyLoss",
            *inputs,
            names=["loss", "log_prob"],
            reduction=reduction,
            ignore_index=ignore_index,
        )[0]

    return loss


def own_cross_entropy(
    builder: Builder, inputs: Sequence[ir.Value], reduction: str, ignore_index: int, label_smoothing: float
) -> ir.Value:
    """Append the cross-entropy operator of Gradmote's domain, which does more than ONNX's.

    inputs: scores, labels, class weights and mask.
    """
    return builder.ops(
        f"CrossEntropy{reduction.title()}",
        *inputs,
        names=["loss", "log_prob"],
        domain=DOMAIN,
        ignore_index=ignore_index,
        smoothing=float(label_smoothing),
    )[0]


def before_softmax(scores: ir.Value) -> ir.Value:
    """Return the input of the Softmax or LogSoftmax that made `scores`, or else `scores`."""
    node = made_by(scores, "Softmax", "LogSoftmax")
    if node is None:
        return scores
    axis = node.attributes["axis"].as_int() if "axis" in node.attributes else -1
    return node.inputs[0] if axis % rank(scores) == 1 else scores  # type: ignore[return-value]


def class_weights(builder: Builder, weight: Sequence[float], scores: ir.Value) -> ir.Value:
    """Return class weights as a constant of shape (C).

    Raises ModelError if the number of weights differs from that of classes.
    """
    classes = list(scores.shape)[1]  # type: ignore[arg-type]
    if isinstance(classes, int) and len(weight) != classes:
        raise ModelError(f"{len(weight)} class weights for {classes} classes", "give one weight per class")
    return builder.constant(np.asarray(weight, np.float32), "class_weight")


def class_column(builder: Builder, weight: Sequence[float] | None, scores: ir.Value) -> ir.Value:
    """Return class weights (ones by default) as (1, C, 1, ...).

    Raises ModelError if the number of classes is not fixed.
    """
    classes = list(scores.shape)[1]  # type: ignore[arg-type]
    if not isinstance(classes, int):
        raise ModelError(f"output '{scores.name}' has {classes} classes", "export it with a fixed number of classes")
    column = class_weights(builder, [1.0] * classes if weight is None else weight, scores)
    shape = builder.constant([1, classes, *[1] * (rank(scores) - 2)], "class_column")
    return builder.op("Reshape", column, shape, name="class_weights")
