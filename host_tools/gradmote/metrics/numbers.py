"""Predicted numbers against targets: errors of a regression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.loaded import Array


@dataclass(frozen=True)
class Errors:
    """The errors of each number that a model predicts; all (outputs).

    Attributes:
        samples: How many targets were compared.
        mean_absolute: The mean of |prediction - target|.
        root_mean_square: The root of the mean of its square.
        largest: The largest |prediction - target|.
        r2: 1 - (sum of squares) / (sum of squares around the targets' mean); NaN if all targets are equal.
    """

    samples: int
    mean_absolute: Array
    root_mean_square: Array
    largest: Array
    r2: Array


class ErrorCounts:
    """Adds up errors, one batch after another; sums are float64, around the first batch's mean target."""

    def __init__(self) -> None:
        """Begin without a target."""
        self.samples = 0
        self.sums: Array | None = None  #: (4, outputs): |e|, e^2, t - shift, (t - shift)^2
        self.shift: Array | None = None
        self.largest: Array | None = None

    def add(self, targets: Array, predictions: Array) -> None:
        """Add targets and predictions, both (N, outputs)."""
        targets, predictions = targets.astype(np.float64), predictions.astype(np.float64)
        errors = np.abs(predictions - targets)
        if self.sums is None or self.largest is None:
            self.shift, self.largest = targets.mean(axis=0), np.zeros(targets.shape[1])
            self.sums = np.zeros((4, targets.shape[1]))
        moved = targets - self.shift
        self.samples += len(targets)
        self.sums += [each.sum(axis=0) for each in (errors, errors**2, moved, moved**2)]
        self.largest = np.maximum(self.largest, errors.max(axis=0))

    def errors(self) -> Errors | None:
        """Return the errors so far; None without any target."""
        if self.sums is None or self.largest is None:
            return None
        absolute, squares, moved, around = self.sums
        spread = around - moved**2 / self.samples
        with np.errstate(divide="ignore", invalid="ignore"):
            r2 = np.where(spread > 0, 1 - squares / spread, np.nan)
        root = np.sqrt(squares / self.samples)
        return Errors(self.samples, absolute / self.samples, root, self.largest, r2)
