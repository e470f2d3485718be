"""The contrastive loss of two embeddings."""

from __future__ import annotations

import onnx_ir as ir

from ..ir.graph import Builder
from .distance import distance
from .loss import Loss, check_reduction, label, reduced


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
