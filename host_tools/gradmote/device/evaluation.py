"""Predictions and test results over many samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from gradmote.errors import DataError

from .dataset import Array, Dataset
from .requests import Progress
from .samples import others_of, tensors, write_batch, write_rows
from .target import Target
from .wrong_labels import explain_wrong_labels


@dataclass(frozen=True)
class Evaluation:
    """The result over a whole set.

    Attributes:
        loss: The mean over the full batches; NaN where there is none.
        accuracy: The share of labels that were predicted, 0 to 1; NaN without classes.
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
    """Return loss and accuracy over x, y and more, or over data's test set where x is not given.

    The last batch is filled up with repeated samples, which do not count. Nor do positions whose
    label is no class, or whose mask (a label of y's shape) is 0. `progress` is called with samples
    done and samples in all.
    """
    name = "y"
    if x is None:
        x, y, more, name = data.x_test, data.y_test, data.more_test, "y_test"
    if x is None:
        raise DataError("the data has no test set", "give x_test and y_test")
    others = others_of(target, more or {}, len(x))
    batch = target.info().batch
    evaluates = "eval" in target.info().programs
    scores_from_eval = evaluates and target.describe("eval", "output", 0) is not None
    twice = evaluates and not scores_from_eval and not all(t.lasts for _, t in tensors(target, "infer", "input"))
    losses, right, counted = [], 0, 0
    for rows in _batches(len(x), batch, progress):
        full = np.resize(rows, batch)
        evaluated = evaluates and len(rows) == batch
        write_rows(target, data, x, y, others, full)
        if evaluated:
            with explain_wrong_labels(target, y, full, name):
                losses.append(target.run("eval").loss)
        if y is not None and y.dtype.kind in "iu":
            if evaluated and twice:
                write_rows(target, data, x, y, others, full)
            scores = _scores(target, scores_from_eval and evaluated)[: len(rows)]
            marks = _marks(scores, y[rows], [a[rows] for role, _, a in others if role == "label"])
            right, counted = right + int(marks.sum()), counted + marks.size
    accuracy = right / counted if counted else math.nan
    return Evaluation(float(np.mean(losses)) if losses else math.nan, accuracy)


def predict(target: Target, data: Dataset, x: Array, progress: Progress | None = None) -> Array:
    """Return the model's first output for all of x, (samples, ...).

    x is stored as data.x is. `progress` is called with samples done and samples in all.
    """
    outputs = []
    for rows in _batches(len(x), target.info().batch, progress):
        write_batch(target, data, x[np.resize(rows, target.info().batch)], None)
        outputs.append(_scores(target, False)[: len(rows)])
    return np.concatenate(outputs)


def _batches(count: int, batch: int, progress: Progress | None) -> Iterator[Array]:
    for start in range(0, count, batch):
        end = min(start + batch, count)
        yield np.arange(start, end)
        if progress:
            progress(end, count)


def _scores(target: Target, scored: bool) -> Array:
    """Return the outputs for the samples that were written, (batch, classes).

    scored: whether "eval" has just computed them.
    """
    if scored:
        return target.output(0, "eval")
    target.run("infer")
    return target.output(0, "infer")


def _marks(scores: Array, y: Array, masks: list[Array]) -> Array:
    """Return for each label that counts whether the largest score meets it.

    A single score means class 1 where it is positive. scores: (N, classes), or (N, classes, d1,
    ...) where y is (N, d1, ...). Nothing counts for outputs of other shapes.
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
