"""One score against two classes: the ROC curve, its area, and the threshold to choose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.loaded import Array


@dataclass(frozen=True)
class Roc:
    """A receiver operating characteristic: what each threshold finds, and what it takes by mistake.

    A score above the threshold means class 1. Thresholds fall, from one that finds nothing.

    Attributes:
        thresholds: (T), the first infinite.
        false_positives: (T), the share of class 0 above each.
        true_positives: (T), the share of class 1 above each.
    """

    thresholds: Array
    false_positives: Array
    true_positives: Array

    @property
    def area(self) -> float:
        """The area under the curve: how often a sample of class 1 scores above one of class 0."""
        steps, heights = np.diff(self.false_positives), self.true_positives
        return float((steps * (heights[1:] + heights[:-1]) / 2).sum())

    @property
    def best(self) -> int:
        """The index of the threshold with the largest difference of the two shares (Youden's J)."""
        return int((self.true_positives - self.false_positives).argmax())


def are_marks(labels: Array | None) -> bool:
    """Return whether labels are one class a sample, 0 or 1."""
    if labels is None or labels.dtype.kind not in "iu" or labels.size != len(labels):
        return False
    return bool(np.isin(labels, (0, 1)).all())


def roc(labels: Array, scores: Array) -> Roc | None:
    """Return the curve for labels 0 or 1 and their scores, both (N); None without samples of both classes.

    Each threshold is halfway between two scores that follow each other.
    """
    positives = int((labels == 1).sum())
    negatives = len(labels) - positives
    if not positives or not negatives:
        return None
    order = np.argsort(-scores, kind="stable")
    falling, found = scores[order].astype(np.float64), np.cumsum(labels[order] == 1)
    ends = np.append(np.flatnonzero(np.diff(falling)), len(falling) - 1)  # the last of each equal scores
    below = np.append(falling[ends[:-1] + 1], -np.inf)
    hits = np.append(0, found[ends])
    return Roc(
        np.append(np.inf, (falling[ends] + below) / 2),
        np.append(0, ends + 1 - found[ends]) / negatives,
        hits / positives,
    )
