"""Losses: functions that append a scalar to the forward graph.

A loss is any callable `loss(builder, *outputs) -> ir.Value` that builds on the model's outputs with
`builder.op(...)`, `builder.constant(...)` and `label(builder, ...)`. A custom one is written the same way:

    def weighted_mse(builder, prediction):
        target = label(builder, "target", like=prediction)
        error = builder.op("Sub", prediction, target, name="error")
        square = builder.op("Mul", error, error, name="square")
        weights = builder.constant([0.1, 1.0, 3.0], "weights")
        weighted = builder.op("Mul", square, weights, name="weighted")
        return builder.op("ReduceMean", weighted, name="loss", keepdims=0)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import onnx_ir as ir

from .errors import ModelError
from .graph import DOMAIN, Builder, rank

Loss = Callable[..., ir.Value]
REDUCTIONS = ("none", "sum", "mean")


def label(builder: Builder, name: str, like: ir.Value) -> ir.Value:
    """A float32 graph input of the shape of `like` that the caller fills with targets."""
    if like.shape is None:
        raise ModelError(f"the shape of output '{like.name}' is unknown", "run onnx shape inference on the model")
    return mark(builder.input(name, ir.DataType.FLOAT, like.shape))


def class_label(builder: Builder, name: str, scores: ir.Value) -> ir.Value:
    """An int64 graph input of class indices for `scores` of shape (N, C, d1, ...): shape (N, d1, ...)."""
    if rank(scores) < 2:
        raise ModelError(
            f"output '{scores.name}' has shape {scores.shape}; cross-entropy needs (N, classes, ...)",
            "give the model a batch dimension and one score a class",
        )
    dims = list(scores.shape)  # type: ignore[arg-type]
    return mark(builder.input(name, ir.DataType.INT64, ir.Shape([dims[0], *dims[2:]])))


def mark(value: ir.Value) -> ir.Value:
    """Marks an input as a label, so that tools tell it from data."""
    value.meta["gradmote.label"] = True
    return value


def cross_entropy(
    weight: Sequence[float] | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    labels_name: str = "labels",
    through_softmax: bool = False,
) -> Loss:
    """Softmax cross-entropy on scores (N, C, d1, ...); labels int64 (N, d1, ...). Formula: PyTorch's CrossEntropyLoss.

    weight: one number a class. ignore_index: label that counts nothing. through_softmax: where the model's output
    comes from a Softmax over the classes, take the scores before it.
    """
    check_reduction(reduction)

    def loss(builder: Builder, scores: ir.Value) -> ir.Value:
        if through_softmax:
            scores = before_softmax(scores)
        labels = class_label(builder, labels_name, scores)
        inputs = [scores, labels, *([class_weights(builder, weight, scores)] if weight is not None else [])]
        return builder.ops(
            "SoftmaxCrossEntropyLoss",
            *inputs,
            names=["loss", "log_prob"],
            reduction=reduction,
            ignore_index=ignore_index,
        )[0]

    return loss


def before_softmax(scores: ir.Value) -> ir.Value:
    """The input of the Softmax or LogSoftmax that made `scores`, or `scores` where there is none."""
    node = scores.producer()
    while node is not None and node.op_type == "Identity":
        node = node.inputs[0].producer()  # type: ignore[union-attr]
    if node is None or node.op_type not in ("Softmax", "LogSoftmax"):
        return scores
    axis = node.attributes["axis"].as_int() if "axis" in node.attributes else -1
    return node.inputs[0] if axis % rank(scores) == 1 else scores  # type: ignore[return-value]


def class_weights(builder: Builder, weight: Sequence[float], scores: ir.Value) -> ir.Value:
    classes = list(scores.shape)[1]  # type: ignore[arg-type]
    if isinstance(classes, int) and len(weight) != classes:
        raise ModelError(f"{len(weight)} class weights for {classes} classes", "give one weight a class")
    return builder.constant(np.asarray(weight, np.float32), "class_weight")


def mse(reduction: str = "mean", target_name: str = "target") -> Loss:
    """(x - t)^2, target of the output's shape."""
    return elementwise("MSELoss", reduction, target_name)


def l1(reduction: str = "mean", target_name: str = "target") -> Loss:
    """|x - t|, target of the output's shape."""
    return elementwise("L1Loss", reduction, target_name)


def bce_with_logits(
    pos_weight: float | Sequence[float] = 1.0, reduction: str = "mean", target_name: str = "target"
) -> Loss:
    """Binary cross-entropy on logits in its stable form (PyTorch's BCEWithLogitsLoss); targets in 0 .. 1.

    pos_weight: weight of the positive class, one number or one for each element of the last dimension.
    """
    return elementwise("BCEWithLogitsLoss", reduction, target_name, np.asarray(pos_weight, np.float32))


def elementwise(op: str, reduction: str, target_name: str, *constants: np.ndarray) -> Loss:
    check_reduction(reduction)

    def loss(builder: Builder, x: ir.Value) -> ir.Value:
        target = label(builder, target_name, like=x)
        extra = [positive_weight(builder, c, x) for c in constants]
        return builder.op(f"{op}{reduction.title()}", x, target, *extra, name="loss", domain=DOMAIN)

    return loss


def positive_weight(builder: Builder, weight: np.ndarray, scores: ir.Value) -> ir.Value:
    """pos_weight as a constant, which must not broadcast the output to another shape."""
    last = list(scores.shape)[-1] if scores.shape else 1
    if weight.ndim > 1 or (weight.ndim == 1 and weight.size != last):
        raise ModelError(
            f"pos_weight of shape {weight.shape} for output '{scores.name}' of shape {scores.shape}",
            "give one number, or one for each element of the last dimension",
        )
    return builder.constant(weight, "pos_weight")


def check_reduction(reduction: str) -> None:
    if reduction not in REDUCTIONS:
        raise ModelError(f"reduction '{reduction}'", f"use one of {', '.join(REDUCTIONS)}")


#: name on the command line -> factory
LOSSES: dict[str, Callable[..., Loss]] = {
    "cross_entropy": cross_entropy,
    "mse": mse,
    "l1": l1,
    "bce_with_logits": bce_with_logits,
}
