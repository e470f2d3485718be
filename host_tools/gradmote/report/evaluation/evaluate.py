"""Evaluates a model on samples, one batch after another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ...data.dataset import Array, Dataset
from ...device.evaluation import Scored, by_class, counted, scored
from ...device.meaning import has_classes, meaning_of, of_each, probabilities, rebuilds, threshold_of
from ...device.requests import Progress
from ...device.target import Target
from ...errors import DataError
from ...metrics.classes import ClassCounts
from ...metrics.detection import are_marks, roc
from ...metrics.numbers import ErrorCounts
from .findings import Worst
from .result import EvaluationReport


def evaluation(
    target: Target,
    data: Dataset,
    x: Array | None = None,
    y: Array | None = None,
    more: Mapping[str, Array] | None = None,
    worst: int = 10,
    progress: Progress | None = None,
) -> EvaluationReport:
    """Evaluate the model of a target on x, y and more, or on data's test set if x is not given.

    Labels are classes or numbers as device/meaning.py: has_classes() says. Positions without the
    label of a class, or with a mask of 0, do not count. Of a model that rebuilds its samples, labels 0 and 1 mark
    anomalies: its mean squared error on a sample is the score that is to find them. `worst`: how many samples to
    name. Raises DataError for a model whose first output does not fit the labels.
    """
    labels = data.y_test if x is None else y
    found = _Found(target, data, worst, has_classes(target, labels))
    if labels is not None and are_marks(labels) and rebuilds(target):
        x, more = (data.x_test, data.more_test) if x is None else (x, more)
        assert x is not None  # it has labels
        found.marks, y = labels.reshape(-1), replace(data, x=x, y=None, more={}).without_test().widened()
    for batch in scored(target, data, x, y, more, progress):
        found.add(batch)
    return found.report()


class _Found:
    """The counts of the batches so far."""

    def __init__(self, target: Target, data: Dataset, worst: int, classes: bool) -> None:
        self.names, self.most, self.has_classes = data.classes or (), worst, classes
        self.meaning, self.threshold = meaning_of(target), threshold_of(target)
        self.losses: list[float] = []
        self.samples = self.ignored = 0
        self.classes: ClassCounts | None = None
        self.numbers = ErrorCounts()
        self.scores: list[Array] = []  # a single score's, and their labels
        self.labels: list[Array] = []
        self.marks: Array | None = None  # of anomalies, for a model that rebuilds its samples
        self.worst: list[Worst] = []
        self.is_quantized = False

    def add(self, batch: Scored) -> None:
        """Count a batch."""
        self.samples += len(batch.rows)
        self.losses.append(batch.loss)
        if batch.y is None:
            return
        if self.has_classes:
            self.add_classes(batch)
        else:
            self.add_numbers(batch, batch.y)
        self.worst = sorted(self.worst, key=lambda each: (-each.error, each.sample))[: self.most]

    def add_classes(self, batch: Scored) -> None:
        """Count a batch whose labels are classes."""
        found = by_class(batch)
        if found is None or batch.y is None:
            raise unfit(batch)
        scores, labels = found
        kept = counted(batch, scores.shape[1])
        self.is_quantized = scores.dtype.kind in "iu"
        shares = (
            probabilities(scores, self.meaning.activation) if not self.is_quantized else _steps(scores, self.threshold)
        )
        self.classes = self.classes or ClassCounts(shares.shape[1])
        self.classes.add(labels[kept].astype(int), shares[kept])
        self.ignored += len(labels) - int(kept.sum())
        if scores.shape[1] == 1:
            self.scores.append(scores[kept, 0])
            self.labels.append(labels[kept])
        owners = np.repeat(np.arange(len(batch.rows)), len(labels) // len(batch.rows))[kept]
        self.add_worst_of_classes(batch.rows, owners, labels[kept].astype(int), shares[kept])

    def shares(self, scores: Array) -> Array:
        """Return the probability of each class, or numbers in their order for quantized scores."""
        if self.is_quantized:
            return _steps(scores, self.threshold)
        return probabilities(scores, self.meaning.activation)

    def add_worst_of_classes(self, rows: Array, owners: Array, labels: Array, shares: Array) -> None:
        """Add each sample by its position with the lowest probability of its class."""
        errors = 1 - shares[np.arange(len(labels)), labels]
        for position in np.argsort(-errors, kind="stable"):
            sample = int(rows[owners[position]])
            if all(each.sample != sample for each in self.worst):
                answer = float(shares[position].argmax())
                self.worst.append(Worst(sample, float(labels[position]), answer, float(errors[position])))

    def add_numbers(self, batch: Scored, y: Array) -> None:
        """Count a batch whose labels are numbers, or probabilities."""
        if batch.scores.size != y.size:
            raise unfit(batch)
        scores = of_each(batch.scores, self.meaning.activation) if self.meaning.is_binary else batch.scores
        targets, answers = (array.reshape(len(batch.rows), -1).astype(np.float64) for array in (y, scores))
        self.numbers.add(targets, answers)
        squares = ((targets - answers) ** 2).mean(axis=1)
        if self.marks is not None:
            self.scores.append(squares)
            self.labels.append(self.marks[batch.rows])
        errors = np.sqrt(squares)
        rows = zip(batch.rows, targets[:, 0], answers[:, 0], errors)
        self.worst += [Worst(int(row), float(a), float(b), float(error)) for row, a, b, error in rows]

    def report(self) -> EvaluationReport:
        """Return the report."""
        classes = self.classes
        curve = roc(np.concatenate(self.labels), np.concatenate(self.scores)) if self.scores else None
        return EvaluationReport(
            self.samples,
            self.ignored,
            float(np.nanmean(self.losses)) if not np.isnan(self.losses).all() else math.nan,
            classes.confusion() if classes else None,
            classes.calibration() if classes and not self.is_quantized else None,
            curve,
            self.threshold if self.scores and self.marks is None else None,
            self.numbers.errors(),
            tuple(self.worst),
            tuple(self.names),
        )


def _steps(scores: Array, threshold: float) -> Array:
    """Return quantized scores, which have no scale here, in the order of probabilities."""
    if scores.shape[1] > 1:
        return scores.astype(np.float64)
    positive = (scores > threshold).astype(np.float64)
    return np.hstack([1 - positive, positive])


def unfit(batch: Scored) -> DataError:
    """Return the error for an output that cannot be compared with the labels."""
    assert batch.y is not None
    return DataError(
        f"the model's first output has {batch.scores[0].size} numbers a sample, and y has {batch.y[0].size}",
        "only outputs that answer the labels are evaluated: keep that one as the first (--output)",
    )
