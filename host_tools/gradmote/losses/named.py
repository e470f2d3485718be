"""The losses by their names on the command line and on the studio page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ModelError
from .cross_entropy import cross_entropy
from .each_element import bce_with_logits, l1, mse
from .embeddings import contrastive, triplet
from .loss import Loss

#: name on the command line -> factory
LOSSES: dict[str, Callable[..., Loss]] = {
    "cross_entropy": cross_entropy,
    "mse": mse,
    "l1": l1,
    "bce_with_logits": bce_with_logits,
    "contrastive": contrastive,
    "triplet": triplet,
}

#: name -> the setting with which it takes the scores before the model's last activation
_THROUGH = {"cross_entropy": {"through_softmax": True}, "bce_with_logits": {"through_sigmoid": True}}


def named_loss(name: str, **settings: Any) -> Loss:
    """Return the loss with that name. Raises ModelError for an unknown name.

    Cross-entropy takes the scores before a final Softmax, as frameworks train, and binary cross-entropy
    those before a final Sigmoid.
    """
    if name not in LOSSES:
        raise ModelError(f"there is no loss '{name}'", f"use one of {', '.join(LOSSES)}")
    return LOSSES[name](**_THROUGH.get(name, {}), **settings)
