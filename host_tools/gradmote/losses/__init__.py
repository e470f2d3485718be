"""Losses: functions that append a scalar to the forward graph.

Labels may be dense: one for each pixel (N, H, W) or time step (N, T). A mask is one more input
beside them: a float32 weight for each position, 0 at padding. A mean is then a weighted mean, and 0
if all weights are 0.

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

from .cross_entropy import cross_entropy
from .each_element import bce_with_logits, l1, mse
from .embeddings import contrastive, triplet
from .loss import REDUCTIONS, Loss, class_label, label, mask_label
from .named import LOSSES, named_loss

__all__ = [
    "LOSSES",
    "REDUCTIONS",
    "Loss",
    "bce_with_logits",
    "class_label",
    "contrastive",
    "cross_entropy",
    "l1",
    "label",
    "mask_label",
    "mse",
    "named_loss",
    "triplet",
]
