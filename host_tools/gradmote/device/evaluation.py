"""Predictions and test results over many samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from gradmote.errors import DataError

from ..data.dataset import Array, Dataset
from .requests import Progress
from .samples import Samples, others_of, tensors, write_batch
from .target import Target


@dataclass(frozen=True)
class Evaluation:
    """The result over a whole set.

    Attributes:
        loss: The mean over the full batches; NaN if there is none.
        accuracy: The share of correctly predicted labels, 0 to 1; NaN without classes.
    """

    loss: float
    accuracy: float


def evaluate(
    target: Target,
    data: Dataset,
    x: Array | None = None,
    y: Array | None = None,
    more: Mapping[str, Array] | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Return loss and accuracy over x, y and more, or over data's test set if x is not given.

    Repeated samples fill up the last batch, and do not count. Positions whose label is not a class,
    or whose mask (a label of y's shape) is 0, do not count either. `progress` is called with
    (samples done, all samples).
    """
    evaluator = _Evaluator(_chosen(target, data, x, y, more))
    losses: list[float] = []
    marks = [np.zeros(0, bool)]
    for rows in _batches(len(evaluator.samples.x), evaluator.batch, progress):
        evaluator.write(rows)
        if evaluator.evaluates(rows):
            losses.append(evaluator.loss(rows))
        if evaluator.has_classes():
            marks.append(evaluator.marks(rows))
    right = np.concatenate(marks)
    return Evaluation(float(np.mean(losses)) if losses else math.nan, float(right.mean()) if right.size else math.nan)


def _chosen(
    target: Target, data: Dataset, x: Array | None, y: Array | None, more: Mapping[str, Array] | None
) -> Samples:
    """Return the given samples, or those of the test set."""
    if x is not None:
        return Samples(target, data, x, y, others_of(target, more or {}, len(x)))
    if data.x_test is None:
        raise DataError("the data has no test set", "give x_test and y_test")
    others = others_of(target, data.more_test, len(data.x_test))
    return Samples(target, data, data.x_test, data.y_test, others, "y_test")


class _Evaluator:
    """The programs of a target that evaluate samples, run on one batch after another.

    The program eval computes the loss, only of a full batch, and usually the scores too. Otherwise
    the program infer computes the scores.
    """

    def __init__(self, samples: Samples) -> None:
        target = samples.target
        self.samples = samples
        self.batch = target.info().batch
        self.has_eval = "eval" in target.info().programs
        self.eval_gives_scores = self.has_eval and target.describe("eval", "output", 0) is not None
        self.inputs_last = all(t.lasts for _, t in tensors(target, "infer", "input"))

    def write(self, rows: Array) -> None:
        """Write a batch, filled up with samples of these rows."""
        self.samples.write(np.resize(rows, self.batch))

    def evaluates(self, rows: Array) -> bool:
        """Return whether the program eval runs on these rows."""
        return self.has_eval and len(rows) == self.batch

    def loss(self, rows: Array) -> float:
        """Return the loss of the batch written last."""
        with self.samples.labels_explained(rows):
            return self.samples.target.run("eval").loss

    def has_classes(self) -> bool:
        """Return whether the labels are classes."""
        return self.samples.y is not None and self.samples.y.dtype.kind in "iu"

    def marks(self, rows: Array) -> Array:
        """Return whether the prediction is correct, for each label that counts."""
        assert self.samples.y is not None
        masks = [array[rows] for role, _, array in self.samples.others if role == "label"]
        return _marks(self.scores(rows)[: len(rows)], self.samples.y[rows], masks)

    def scores(self, rows: Array) -> Array:
        """Return the scores of the batch written last, (batch, classes)."""
        target = self.samples.target
        if self.evaluates(rows) and self.eval_gives_scores:
            return target.output(0, "eval")
        if self.evaluates(rows) and not self.inputs_last:
            self.write(rows)
        return _inferred(target)


def predict(target: Target, data: Dataset, x: Array, progress: Progress | None = None) -> Array:
    """Return the model's first output for all of x, (samples, ...).

    x is stored like data.x. `progress` is called with (samples done, all samples).
    """
    outputs = []
    for rows in _batches(len(x), target.info().batch, progress):
        write_batch(target, data, x[np.resize(rows, target.info().batch)], None)
        outputs.append(_inferred(target)[: len(rows)])
    return np.concatenate(outputs)


def _batches(count: int, batch: int, progress: Progress | None) -> Iterator[Array]:
    for start in range(0, count, batch):
        end = min(start + batch, count)
        yield np.arange(start, end)
        if progress:
            progress(end, count)


def _inferred(target: Target) -> Array:
    """Return the first output of the program infer for the samples written last."""
    target.run("infer")
    return target.output(0, "infer")


def _marks(scores: Array, y: Array, masks: list[Array]) -> Array:
    """Return whether the largest score is that of the label, for each label that counts.

    A single score means class 1 if it is positive. scores: (N, classes), or (N, classes, d1, ...)
    for y of shape (N, d1, ...). With outputs of other shapes no label counts.
    """
    if y[0].size == 1:
        scores = scores.reshape(len(y), -1)
    if scores.size != scores.shape[1] * y.size:
        return np.zeros(0, bool)
    classes = scores.shape[1]
    answers = (scores.argmax(axis=1) if classes > 1 else scores[:, 0] > 0).reshape(y.shape)
    kept = (y >= 0) & (y < max(classes, 2))
    for mask in masks:
        kept &= mask > 0 if mask.shape == y.shape else True
    return np.asarray(answers == y)[kept]
