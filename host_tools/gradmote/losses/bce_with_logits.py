"""Binary cross-entropy on logits, as PyTorch's BCEWithLogitsLoss."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from ..errors import ModelError
from ..ir.graph import Builder
from .each_element import elementwise, masking
from .loss import Loss


def bce_with_logits(
    pos_weight: float | Sequence[float] = 1.0,
    reduction: str = "mean",
    target_name: str = "target",
    mask: bool = False,
    mask_name: str = "mask",
    mask_axes: int | Sequence[int] | None = None,
) -> Loss:
    """Return binary cross-entropy on logits in its stable form (PyTorch's BCEWithLogitsLoss).

    Targets are in 0 .. 1. pos_weight: weight of the positive class, one number or one for each element of
    the last dimension. mask, mask_axes: as for mse.
    """
    weight = np.asarray(pos_weight, np.float32)
    return elementwise(
        "BCEWithLogitsLoss",
        reduction,
        target_name,
        masking(mask, mask_name, mask_axes),
        lambda builder, x: [positive_weight(builder, weight, x)],
    )


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
