"""Predicted classes against labels: the confusion matrix, what follows from it, and calibration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.loaded import Array

#: The intervals of confidence in which calibration compares it with accuracy.
BINS = 10


@dataclass(frozen=True)
class Confusion:
    """A confusion matrix.

    counts: (classes, classes), the samples of the row's class that were predicted as the column's.
    Ratios of nothing are NaN: the precision of a class that was never predicted, the recall of one
    without samples.
    """

    counts: Array

    @property
    def samples(self) -> Array:
        """The number of samples of each class."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def accuracy(self) -> float:
        """The share of samples that were predicted as their class; NaN without samples."""
        return float(_ratio(np.trace(self.counts), self.counts.sum()))

    @property
    def precision(self) -> Array:
        """For each class, the share of its predictions that are right."""
        return _ratio(self.counts.diagonal(), self.counts.sum(axis=0))

    @property
    def recall(self) -> Array:
        """For each class, the share of its samples that were found."""
        return _ratio(self.counts.diagonal(), self.samples)

    @property
    def f1(self) -> Array:
        """For each class, the harmonic mean of precision and recall: 2 TP / (2 TP + FP + FN)."""
        return _ratio(2 * self.counts.diagonal(), self.samples + self.counts.sum(axis=0))

    @property
    def macro_f1(self) -> float:
        """The mean of f1 over the classes that have samples or predictions."""
        f1 = self.f1
        return float(np.nanmean(f1)) if not np.isnan(f1).all() else float("nan")


@dataclass(frozen=True)
class Calibration:
    """Confidence, the probability of the predicted class, against accuracy, in BINS intervals.

    Attributes:
        samples: The number of predictions in each interval.
        confidence: Their mean confidence; NaN without any.
        accuracy: The share of them that are right; NaN without any.
    """

    samples: Array
    confidence: Array
    accuracy: Array

    @property
    def error(self) -> float:
        """The expected calibration error: the mean of |confidence - accuracy| over all predictions.

        Guo et al., On Calibration of Modern Neural Networks (2017), equation 3.
        """
        gaps = np.nan_to_num(np.abs(self.confidence - self.accuracy))
        return float(_ratio((gaps * self.samples).sum(), self.samples.sum()))


class ClassCounts:
    """Counts predictions of `classes` classes, one batch after another."""

    def __init__(self, classes: int) -> None:
        """Begin with no prediction."""
        self.counts = np.zeros((classes, classes), np.int64)
        self.bins = np.zeros((3, BINS))  #: predictions, sum of confidence, right ones

    def add(self, labels: Array, probabilities: Array) -> None:
        """Count predictions: labels (N) in 0 .. classes - 1, probabilities (N, classes)."""
        answers = probabilities.argmax(axis=1)
        np.add.at(self.counts, (labels, answers), 1)
        confidence = np.take_along_axis(probabilities, answers[:, None], axis=1)[:, 0]
        place = np.minimum((confidence * BINS).astype(int), BINS - 1)
        for row, weights in enumerate((np.ones(len(labels)), confidence, answers == labels)):
            self.bins[row] += np.bincount(place, weights, BINS)

    def confusion(self) -> Confusion:
        """Return the confusion matrix so far."""
        return Confusion(self.counts)

    def calibration(self) -> Calibration:
        """Return the calibration so far."""
        samples, confidence, right = self.bins
        return Calibration(samples.astype(np.int64), _ratio(confidence, samples), _ratio(right, samples))


def _ratio(part: Array, whole: Array) -> Array:
    """Return part / whole in float64, NaN for 0 / 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.true_divide(part, whole))
