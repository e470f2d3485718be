"""Random losses for a model with scores (N, classes), each with suitable labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gradmote import losses
from gradmote.losses import Loss

Array = np.ndarray
Labels = Callable[[np.random.Generator, int, int], tuple[Array, ...]]


@dataclass(frozen=True)
class DrawnLoss:
    """A loss, by the number of classes, and its labels, by a generator, the batch and the number of classes."""

    make: Callable[[int], Loss]
    labels: Labels


def classes(random: np.random.Generator, batch: int, count: int) -> tuple[Array, ...]:
    return (random.integers(0, count, batch).astype(np.int32),)


def masked_classes(random: np.random.Generator, batch: int, count: int) -> tuple[Array, ...]:
    """Return classes and a mask that counts at least one sample."""
    mask = random.integers(0, 3, batch).astype(np.float32) / 2
    mask[0] = 1
    return (*classes(random, batch, count), mask)


def parts(random: np.random.Generator, batch: int, count: int) -> tuple[Array, ...]:
    """Return targets in 0 .. 1."""
    return (random.integers(0, 3, (batch, count)).astype(np.float32) / 2,)


def falling(count: int) -> list[float]:
    """Return a weight for each class, none of them zero."""
    return [1 / (1 + k) for k in range(count)]


#: The losses to use in turn. Half of them are PyTorch's default.
LOSSES = (
    DrawnLoss(lambda count: losses.cross_entropy(), classes),
    DrawnLoss(lambda count: losses.cross_entropy(label_smoothing=0.1), classes),
    DrawnLoss(lambda count: losses.cross_entropy(), classes),
    DrawnLoss(lambda count: losses.cross_entropy(falling(count)), classes),
    DrawnLoss(lambda count: losses.cross_entropy(), classes),
    DrawnLoss(lambda count: losses.cross_entropy(falling(count), mask=True, label_smoothing=0.1), masked_classes),
    DrawnLoss(lambda count: losses.cross_entropy(), classes),
    DrawnLoss(lambda count: losses.cross_entropy(ignore_index=0, reduction="sum"), classes),
    DrawnLoss(lambda count: losses.cross_entropy(), classes),
    DrawnLoss(lambda count: losses.mse(), parts),
    DrawnLoss(lambda count: losses.cross_entropy(mask=True), masked_classes),
    DrawnLoss(lambda count: losses.bce_with_logits(2.0, reduction="sum"), parts),
    DrawnLoss(lambda count: losses.l1(), parts),
)
