"""The triplet loss of three embeddings."""

from __future__ import annotations

import onnx_ir as ir

from ..ir.graph import Builder
from .distance import distance
from .loss import Loss, check_reduction, reduced


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
