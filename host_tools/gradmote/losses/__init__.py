"""Losses: functions that append a scalar to the forward graph.

Labels may be dense: one for each pixel (N, H, W) or time step (N, T). A mask is one more input
beside them: a float32 weight for each position, 0 at padding. A mean is then a weighted mean, and 0
where all weights are 0.

A loss is any callable `loss(builder, *outputs) -> ir.Value` that builds on the model's outputs with
`builder.op(...)`, `builder.constant(...)` and `label(builder, ...)`. `contrastive` and `triplet`
show how to take several outputs; a custom one is written the same way:

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
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ..errors import ModelError
from ..model.graph import DOMAIN, Builder, rank

Loss = Callable[..., ir.Value]
REDUCTIONS = ("none", "sum", "mean")


def label(builder: Builder, name: str, like: ir.Value) -> ir.Value:
    """Add a float32 graph input of the shape of `like`, which the caller fills with targets.

    Raises ModelError where that shape is unknown.
    """
    if like.shape is None:
        raise ModelError(f"the shape of output '{like.name}' is unknown", "run onnx shape inference on the model")
    return mark(builder.input(name, ir.DataType.FLOAT, like.shape))


def class_label(builder: Builder, name: str, scores: ir.Value) -> ir.Value:
    """Add an int64 graph input of class indices for `scores`.

    scores: (N, C, d1, ...); the input: (N, d1, ...). Raises ModelError for scores of rank below 2.
    """
    if rank(scores) < 2:
        raise ModelError(
            f"output '{scores.name}' has shape {scores.shape}; cross-entropy needs (N, classes, ...)",
            "give the model a batch dimension and one score a class",
        )
    dims = list(scores.shape)  # type: ignore[arg-type]
    return mark(builder.input(name, ir.DataType.INT64, ir.Shape([dims[0], *dims[2:]])))


def mask_label(builder: Builder, name: str, shape: ir.Shape | None) -> ir.Value:
    """Add a float32 graph input that the caller fills with a weight for each position."""
    assert shape is not None
    return mark(builder.input(name, ir.DataType.FLOAT, shape))


def mark(value: ir.Value) -> ir.Value:
    """Mark an input as a label, so that tools can tell it from data."""
    value.meta["gradmote.label"] = True
    return value


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

    weight: one number per class. ignore_index: a label that counts nothing. through_softmax: where
    the model's output comes from a Softmax over the classes, take the scores before it.
    label_smoothing: 0 .. 1, the part of the target that is spread over all classes. mask: adds an
    input of the labels' shape that weights each position. Raises ModelError for another reduction
    or label_smoothing.
    """
    check_reduction(reduction)
    if not 0.0 <= label_smoothing <= 1.0:
        raise ModelError(f"label_smoothing {label_smoothing}", "it must lie in 0 .. 1")

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
    node = scores.producer()
    while node is not None and node.op_type == "Identity":
        node = node.inputs[0].producer()  # type: ignore[union-attr]
    if node is None or node.op_type not in ("Softmax", "LogSoftmax"):
        return scores
    axis = node.attributes["axis"].as_int() if "axis" in node.attributes else -1
    return node.inputs[0] if axis % rank(scores) == 1 else scores  # type: ignore[return-value]


def class_weights(builder: Builder, weight: Sequence[float], scores: ir.Value) -> ir.Value:
    """Return class weights as a constant of shape (C).

    Raises ModelError for another number of weights than of classes.
    """
    classes = list(scores.shape)[1]  # type: ignore[arg-type]
    if isinstance(classes, int) and len(weight) != classes:
        raise ModelError(f"{len(weight)} class weights for {classes} classes", "give one weight a class")
    return builder.constant(np.asarray(weight, np.float32), "class_weight")


def class_column(builder: Builder, weight: Sequence[float] | None, scores: ir.Value) -> ir.Value:
    """Return class weights (ones by default) as (1, C, 1, ...).

    Raises ModelError where the number of classes is not fixed.
    """
    classes = list(scores.shape)[1]  # type: ignore[arg-type]
    if not isinstance(classes, int):
        raise ModelError(f"output '{scores.name}' has {classes} classes", "export it with a fixed number of classes")
    column = class_weights(builder, [1.0] * classes if weight is None else weight, scores)
    shape = builder.constant([1, classes, *[1] * (rank(scores) - 2)], "class_column")
    return builder.op("Reshape", column, shape, name="class_weights")


def mse(
    reduction: str = "mean",
    target_name: str = "target",
    mask: bool = False,
    mask_name: str = "mask",
    mask_axes: int | Sequence[int] | None = None,
) -> Loss:
    """Return the loss (x - t)^2, with a target of the output's shape.

    mask: adds an input that weights each element. mask_axes: the axes of the output that the mask
    has, the batch among them; all by default. (0, 1) is one number per step of a sequence (N, T,
    features), (0, 2, 3) one per pixel of an image (N, C, H, W).
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
) -> Loss:
    """Return binary cross-entropy on logits in its stable form (PyTorch's BCEWithLogitsLoss).

    Targets lie in 0 .. 1. pos_weight: weight of the positive class, one number or one for each
    element of the last dimension. mask, mask_axes: as for mse.
    """
    weight = np.asarray(pos_weight, np.float32)
    return elementwise("BCEWithLogitsLoss", reduction, target_name, masking(mask, mask_name, mask_axes), weight)


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


def elementwise(op: str, reduction: str, target_name: str, mask: Mask | None, *constants: np.ndarray) -> Loss:
    """Return a loss of each element and its target, reduced.

    op: the operator without its reduction. constants: further inputs. Raises ModelError for another
    reduction than "none", "sum" or "mean".
    """
    check_reduction(reduction)

    def loss(builder: Builder, x: ir.Value) -> ir.Value:
        target = label(builder, target_name, like=x)
        inputs = [x, target, *(positive_weight(builder, c, x) for c in constants)]
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
    """Return mean(product) / mean(weights), and 0 where all weights are 0."""
    share = builder.op("ReduceMean", weights, name="mask_share", keepdims=0)
    smallest = builder.constant(float(np.finfo(np.float32).tiny), "smallest")
    divisor = builder.op("Max", share, smallest, name="mask_divisor")
    return builder.op("Div", builder.op("ReduceMean", product, name="masked_mean", keepdims=0), divisor, name="loss")


def mask_positions(x: ir.Value, mask: Mask) -> list[int]:
    """Return the mask's axes, counted from the front, in ascending order; the first is the batch.

    Raises ModelError for axes that the output lacks or that come twice, or without the batch.
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


def positive_weight(builder: Builder, weight: np.ndarray, scores: ir.Value) -> ir.Value:
    """Return pos_weight as a constant.

    Raises ModelError for a shape that would broadcast the output to another one.
    """
    last = list(scores.shape)[-1] if scores.shape else 1
    if weight.ndim > 1 or (weight.ndim == 1 and weight.size != last):
        raise ModelError(
            f"pos_weight of shape {weight.shape} for output '{scores.name}' of shape {scores.shape}",
            "give one number, or one for each element of the last dimension",
        )
    return builder.constant(weight, "pos_weight")


def contrastive(margin: float = 1.0, reduction: str = "mean", labels_name: str = "same") -> Loss:
    """Return the contrastive loss of two embeddings (Hadsell, Chopra & LeCun 2006).

    Without the factors 1/2 of the paper, it is same d^2 + (1 - same) max(margin - d, 0)^2, d =
    distance(a, b), for a model with two outputs (N, D), a and b. Labels are float32 (N): 1 where
    the two are alike, else 0.
    """
    check_reduction(reduction)

    def loss(builder: Builder, a: ir.Value, b: ir.Value) -> ir.Value:
        d = distance(builder, a, b)
        same = label(builder, labels_name, like=d)
        missing = builder.op("Sub", builder.constant(margin, "margin"), d, name="missing")
        hinge = builder.op("Relu", missing, name="hinge")
        pull = builder.op("Mul", same, builder.op("Mul", d, d, name="near"), name="pull")
        different = builder.op("Sub", builder.constant(1.0, "one"), same, name="different")
        push = builder.op("Mul", different, builder.op("Mul", hinge, hinge, name="far"), name="push")
        return reduced(builder, builder.op("Add", pull, push, name="pairs"), reduction)

    return loss


def triplet(margin: float = 1.0, reduction: str = "mean") -> Loss:
    """Return the triplet loss of three embeddings (PyTorch's TripletMarginLoss).

    It is max(distance(anchor, positive) - distance(anchor, negative) + margin, 0), for a model with
    three outputs (N, D): an anchor, one like it and one unlike it. There are no labels.
    """
    check_reduction(reduction)

    def loss(builder: Builder, anchor: ir.Value, positive: ir.Value, negative: ir.Value) -> ir.Value:
        near, far = distance(builder, anchor, positive), distance(builder, anchor, negative)
        gap = builder.op("Sub", near, far, name="gap")
        missing = builder.op("Add", gap, builder.constant(margin, "margin"), name="missing")
        return reduced(builder, builder.op("Relu", missing, name="triplets"), reduction)

    return loss


def distance(builder: Builder, a: ir.Value, b: ir.Value) -> ir.Value:
    """Return the Euclidean distance of rows: (N, D) -> (N).

    It is |a - b + 1e-6|, as in torch.pairwise_distance, so that it is differentiable at a = b.
    """
    difference = builder.op("Sub", a, b, name="difference")
    shifted = builder.op("Add", difference, builder.constant(1e-6, "apart"), name="shifted")
    square = builder.op("Mul", shifted, shifted, name="square")
    sum_of_squares = builder.op("ReduceSum", square, builder.constant([-1], "features"), name="squares", keepdims=0)
    d = builder.op("Sqrt", sum_of_squares, name="distance")
    d.shape, d.type = ir.Shape(list(a.shape)[:-1]), a.type  # type: ignore[arg-type]
    return d


def reduced(builder: Builder, each: ir.Value, reduction: str) -> ir.Value:
    """Return the sum, the mean, or all of many losses, as the reduction says."""
    if reduction == "none":
        return each
    return builder.op(f"Reduce{reduction.title()}", each, name="loss", keepdims=0)


def check_reduction(reduction: str) -> None:
    """Raise ModelError for another reduction than "none", "sum" or "mean"."""
    if reduction not in REDUCTIONS:
        raise ModelError(f"reduction '{reduction}'", f"use one of {', '.join(REDUCTIONS)}")


#: name on the command line -> factory
LOSSES: dict[str, Callable[..., Loss]] = {
    "cross_entropy": cross_entropy,
    "mse": mse,
    "l1": l1,
    "bce_with_logits": bce_with_logits,
    "contrastive": contrastive,
    "triplet": triplet,
}
