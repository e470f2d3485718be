"""Predictions and test results over many samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from gradmote.errors import DataError

from ..data.dataset import Array, Dataset
from .matching import matched
from .meaning import has_classes, label_of, threshold_of
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


@dataclass(frozen=True)
class Scored:
    """A batch of samples with the model's first output.

    Attributes:
        rows: The samples, by their index in the set.
        scores: The output, (samples, ...).
        y: Their labels; None without labels.
        masks: The further labels; those of y's shape are masks.
        loss: The loss of a full batch; otherwise NaN.
    """

    rows: Array
    scores: Array
    y: Array | None
    masks: tuple[Array, ...]
    loss: float


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
    classes = has_classes(target, evaluator.samples.y)
    threshold = threshold_of(target) if classes else 0.0
    losses: list[float] = []
    right = labels = 0
    for batch in evaluator.batches(progress, scores=classes):
        losses.append(batch.loss)
        if classes:
            marks = _marks(batch, threshold)
            right, labels = right + int(marks.sum()), labels + marks.size
    loss = float(np.nanmean(losses)) if not np.isnan(losses).all() else math.nan
    return Evaluation(loss, right / labels if labels else math.nan)


def scored(
    target: Target,
    data: Dataset,
    x: Array | None = None,
    y: Array | None = None,
    more: Mapping[str, Array] | None = None,
    progress: Progress | None = None,
) -> Iterator[Scored]:
    """Yield the samples of evaluate(), a batch at a time, with the model's output."""
    return _Evaluator(_chosen(target, data, x, y, more)).batches(progress)


def _chosen(
    target: Target, data: Dataset, x: Array | None, y: Array | None, more: Mapping[str, Array] | None
) -> Samples:
    """Return the given samples, or those of the test set, in the model's dtypes."""
    if x is not None:
        data = replace(data, x_test=x, y_test=y, more_test=more or {})
    if data.x_test is None:
        raise DataError("the data has no test set", "give x_test and y_test")
    label = label_of(target)
    data = matched(data, target.describe("infer", "input", 0), label)
    assert data.x_test is not None
    others = others_of(target, data.more_test, len(data.x_test))
    name = "y" if x is not None else "y_test"
    return Samples(target, data, data.x_test, data.y_test, others, name, label is not None)


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

    def batches(self, progress: Progress | None, scores: bool = True) -> Iterator[Scored]:
        """Yield each batch; without `scores`, an empty array instead of them."""
        y = self.samples.y
        labels = [array for role, _, array in self.samples.others if role == "label"]
        for rows in _batches(len(self.samples.x), self.batch, progress):
            self.write(rows)
            loss = self.loss(rows) if self.evaluates(rows) else math.nan
            found = self.scores(rows)[: len(rows)] if scores else np.zeros(0, np.float32)
            yield Scored(rows, found, None if y is None else y[rows], tuple(array[rows] for array in labels), loss)

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


def by_class(batch: Scored) -> tuple[Array, Array] | None:
    """Return the scores (positions, classes) and labels (positions) of all positions; None if none fit.

    scores: (N, classes), or (N, classes, d1, ...) for y of shape (N, d1, ...); one score is a column.
    """
    assert batch.y is not None
    y, scores = batch.y, batch.scores
    if y[0].size == 1:
        scores = scores.reshape(len(y), -1)
    if scores.ndim < 2 or scores.size != scores.shape[1] * y.size:
        return None
    return np.moveaxis(scores, 1, -1).reshape(-1, scores.shape[1]), y.reshape(-1)


def counted(batch: Scored, classes: int) -> Array:
    """Return whether each label counts, (positions): it is a class, and no mask is 0 there."""
    assert batch.y is not None
    kept = (batch.y >= 0) & (batch.y < max(classes, 2))
    for mask in batch.masks:
        kept &= mask > 0 if mask.shape == batch.y.shape else True
    return np.asarray(kept).reshape(-1)


def _marks(batch: Scored, threshold: float) -> Array:
    """Return whether the largest score is that of the label, for each label that counts.

    A single score means class 1 above the threshold. With outputs of other shapes no label counts.
    """
    found = by_class(batch)
    if found is None:
        return np.zeros(0, bool)
    scores, labels = found
    answers = scores.argmax(axis=1) if scores.shape[1] > 1 else scores[:, 0] > threshold
    return np.asarray(answers == labels)[counted(batch, scores.shape[1])]
