"""Losses of embeddings: contrastive and triplet loss, and the distance that both use."""

from __future__ import annotations

import onnx_ir as ir

from ..ir.graph import Builder
from .loss import Loss, check_reduction, label, reduced


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


def contrastive(margin: float = 1.0, reduction: str = "mean", labels_name: str = "same") -> Loss:
    """Return the contrastive loss of two embeddings (Hadsell, Chopra & LeCun 2006).

    Without the factors 1/2 of the paper, it is same d^2 + (1 - same) max(margin - d, 0)^2, d =
    distance(a, b), for a model with two outputs (N, D), a and b. Labels are float32 (N): 1 if the two are
    alike, else 0.
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

    It is max(distance(anchor, positive) - distance(anchor, negative) + margin, 0), for a model with three
    outputs (N, D): an anchor, a similar and a dissimilar embedding. There are no labels.
    """
    check_reduction(reduction)

    def loss(builder: Builder, anchor: ir.Value, positive: ir.Value, negative: ir.Value) -> ir.Value:
        near, far = distance(builder, anchor, positive), distance(builder, anchor, negative)
        gap = builder.op("Sub", near, far, name="gap")
        missing = builder.op("Add", gap, builder.constant(margin, "margin"), name="missing")
        return reduced(builder, builder.op("Relu", missing, name="triplets"), reduction)

    return loss
