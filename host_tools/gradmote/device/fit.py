"""The training loop: epochs over a dataset on any target, with an evaluation after each."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from gradmote.errors import DataError, DeviceError

from .client import Progress
from .dataset import Array, Dataset
from .target import Target
from .types import Metrics, Tensor


@dataclass(frozen=True)
class Step:
    """One update, as it ends."""

    epoch: int  #: from 1
    step: int  #: of this epoch, from 1
    steps: int  #: of this epoch, in all
    metrics: Metrics


@dataclass(frozen=True)
class Evaluation:
    """Over a whole set. loss: mean over its full batches, NaN where there is none. accuracy: NaN without classes."""

    loss: float
    accuracy: float


@dataclass(frozen=True)
class Epoch:
    """One pass over the data. loss: mean over its steps, before each update. seconds: of training, without the test."""

    epoch: int
    loss: float
    test: Evaluation | None
    samples: int
    seconds: float


@dataclass
class Fit:
    """What fit() did. dropped: samples of each epoch that did not fill a batch."""

    epochs: list[Epoch] = field(default_factory=list)
    dropped: int = 0
    stopped: bool = False
    metrics: Metrics | None = None


def fit(
    target: Target,
    data: Dataset,
    epochs: int,
    seed: int = 0,
    on_step: Callable[[Step], None] = lambda step: None,
    on_epoch: Callable[[Epoch], None] = lambda epoch: None,
    should_stop: Callable[[], bool] = lambda: False,
    micro_batches: int = 1,
) -> Fit:
    """Trains for `epochs` passes over data.x, shuffled from `seed`; epoch e of a run has the order of (seed, e).

    Uses program "step", else "train" and "optimizer". The last samples of an epoch that do not fill a batch are left
    out, others each time. epochs 0 only tests. should_stop: asked after each step. micro_batches: batches that are
    averaged in one update; the image must keep gradients (program "train") for more than one.
    """
    batch = _checked_batch(target, data, micro_batches)
    others = _others(target, data.more, len(data.x))
    size = batch * micro_batches
    result = Fit(dropped=len(data.x) % size)
    if epochs == 0:
        result.epochs.append(Epoch(0, math.nan, _test(target, data), 0, 0.0))
    for epoch in range(1, epochs + 1):
        start = time.perf_counter()
        groups = _groups(len(data.x), (micro_batches, batch), (seed, epoch))
        losses = _train_epoch(target, data, others, groups, epoch, result, on_step, should_stop)
        seconds = time.perf_counter() - start
        test = None if result.stopped else _test(target, data)
        done = Epoch(epoch, float(np.mean(losses)), test, len(losses) * size, seconds)
        result.epochs.append(done)
        on_epoch(done)
        if result.stopped:
            break
    return result


def _test(target: Target, data: Dataset) -> Evaluation | None:
    return None if data.x_test is None else evaluate(target, data)


def _groups(count: int, size: tuple[int, int], seed: tuple[int, int]) -> Array:
    """(steps, micro-batches, batch): the samples of each update, in an order of their own."""
    order = np.random.default_rng(seed).permutation(count)
    each = size[0] * size[1]
    return order[: count // each * each].reshape(-1, *size)


def _train_epoch(
    target: Target, data: Dataset, others: Others, groups: Array, epoch: int, result: Fit,
    on_step: Callable[[Step], None], should_stop: Callable[[], bool],
) -> list[float]:
    losses: list[float] = []
    for step, group in enumerate(groups, start=1):
        metrics = _update(target, data, others, group)
        losses.append(metrics.loss)
        result.metrics = metrics
        on_step(Step(epoch, step, len(groups), metrics))
        if should_stop():
            result.stopped = True
            break
    return losses


def _update(target: Target, data: Dataset, others: Others, group: Array) -> Metrics:
    """One update on the mean gradient of some micro-batches; the metrics have the mean of their losses."""
    losses = []
    for rows in group:
        _write_rows(target, data, data.x, data.y, others, rows)
        if len(group) == 1:
            return train_once(target)
        losses.append(target.run("train").loss)
    return replace(target.run("optimizer"), loss=float(np.mean(losses)))


def train_once(target: Target) -> Metrics:
    """One update on the samples written last; the metrics have the loss before it."""
    if "step" in target.info().programs:
        return target.run("step")
    target.run("train")
    return target.run("optimizer")


def _write_rows(target: Target, data: Dataset, x: Array, y: Array | None, others: Others, rows: Array) -> None:
    """Writes these rows of everything that the model takes."""
    write_batch(target, data, x[rows], None if y is None else y[rows])
    write_others(target, others, rows)


def write_batch(target: Target, data: Dataset, x: Array, y: Array | None) -> None:
    """Writes one batch; x as data.x is stored. Byte-sized class labels travel as bytes."""
    if x.dtype == np.uint8:
        target.write_u8("input", 0, x, data.scale, data.zero)
    else:
        target.write("input", 0, x)
    if y is not None:
        _write(target, "label", 0, y)


def _write(target: Target, role: str, index: int, array: Array) -> None:
    if array.dtype.kind in "iu" and int(array.min()) >= 0 and int(array.max()) < 256:
        target.write_u8(role, index, array.astype(np.uint8))
    else:
        target.write(role, index, array)


def _tensors(target: Target, program: str, role: str, first: int = 0) -> Iterator[tuple[int, Tensor]]:
    """Index and description of each tensor with that role, from the first-th on."""
    index = first
    while (tensor := target.describe(program, role, index)) is not None:
        yield index, tensor
        index += 1


# ---- Inputs and labels after the first ------------------------------------------------------------------------------

#: Role, index and samples of each.
Others = list[tuple[str, int, Array]]


def write_others(target: Target, others: Others, rows: Array) -> None:
    """Writes these rows of all further inputs and labels."""
    for role, index, array in others:
        _write(target, role, index, array[rows])


def _others(target: Target, arrays: Mapping[str, Array], count: int) -> Others:
    """The places of what the model takes beside x and y. DataError for what is missing or of another length or size."""
    info = target.info()
    program = next((p for p in ("step", "train", "eval", "infer") if p in info.programs), "infer")
    found: Others = []
    for role in ("input", "label"):
        for index, tensor in _tensors(target, program, role, first=1):
            array = arrays.get(tensor.name)
            if array is None or len(array) != count:
                there = "is missing" if array is None else f"has {len(array)} samples, x {count}"
                raise DataError(
                    f"the model also takes the {role} '{tensor.name}', which {there}",
                    f"add an array {tensor.name} (for a test also {tensor.name}_test) with a row for each sample",
                )
            _check_tensor(tensor, array, tensor.name, info.batch)
            found.append((role, index, array))
    return found


# ---- Evaluation ---------------------------------------------------------------------------------------------------


def evaluate(
    target: Target,
    data: Dataset,
    x: Array | None = None,
    y: Array | None = None,
    more: Mapping[str, Array] | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Loss and accuracy over x, y and more; over data's test set by default. The last batch is filled up with repeated
    samples, which do not count. Nor do positions whose label is no class or whose mask, a label of y's shape, is 0.

    progress: called with samples done and samples in all.
    """
    if x is None:
        x, y, more = data.x_test, data.y_test, data.more_test
    if x is None:
        raise DataError("the data has no test set", "give x_test and y_test")
    others = _others(target, more or {}, len(x))
    batch = target.info().batch
    evaluates = "eval" in target.info().programs
    scores_from_eval = evaluates and target.describe("eval", "output", 0) is not None
    twice = evaluates and not scores_from_eval and not all(t.lasts for _, t in _tensors(target, "infer", "input"))
    losses, right, counted = [], 0, 0
    for rows in _batches(len(x), batch, progress):
        full = np.resize(rows, batch)
        evaluated = evaluates and len(rows) == batch
        _write_rows(target, data, x, y, others, full)
        if evaluated:
            losses.append(target.run("eval").loss)
        if y is not None and y.dtype.kind in "iu":
            if evaluated and twice:
                _write_rows(target, data, x, y, others, full)
            scores = _scores(target, scores_from_eval and evaluated)[: len(rows)]
            marks = _marks(scores, y[rows], [a[rows] for role, _, a in others if role == "label"])
            right, counted = right + int(marks.sum()), counted + marks.size
    accuracy = right / counted if counted else math.nan
    return Evaluation(float(np.mean(losses)) if losses else math.nan, accuracy)


def predict(target: Target, data: Dataset, x: Array, progress: Progress | None = None) -> Array:
    """The model's first output for all of x, (samples, ...). x: stored as data.x is. progress: as of evaluate()."""
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
    """Outputs for the samples in place, (batch, classes); scored: "eval" has just computed them."""
    if scored:
        return target.output(0, "eval")
    target.run("infer")
    return target.output(0, "infer")


def _marks(scores: Array, y: Array, masks: list[Array]) -> Array:
    """For each label that counts, whether the largest score meets it; a single score means class 1 where positive.

    scores: (N, classes), or (N, classes, d1, ...) where y is (N, d1, ...). Nothing counts for outputs of other shapes.
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


# ---- Checks -------------------------------------------------------------------------------------------------------


def _checked_batch(target: Target, data: Dataset, micro_batches: int) -> int:
    """Samples in one micro-batch, after making sure that the data fits the model."""
    info = target.info()
    program = next((p for p in ("step", "train") if p in info.programs), None)
    if program is None or (program == "train" and "optimizer" not in info.programs):
        raise DeviceError(
            f"this model only has the programs {', '.join(info.programs)}",
            "compile it for training: gradmote compile model.onnx -o model.mote --loss cross_entropy --optimizer sgd",
        )
    _check_tensor(target.describe(program, "input", 0), data.x, "x", info.batch)
    label = target.describe(program, "label", 0)
    if data.y is not None:
        _check_tensor(label, data.y, "y", info.batch)
    elif label is not None:
        raise DataError(f"the model takes labels '{label.name}', and the data has none", "add an array y")
    if micro_batches > 1 and "train" not in info.programs:
        raise DeviceError("this model keeps no gradients to average", "compile it with --accumulate")
    size = info.batch * micro_batches
    if len(data.x) < size:
        raise DataError(f"{len(data.x)} samples do not fill a batch of {size}", "compile with a smaller --batch")
    return info.batch


def _check_tensor(tensor: Tensor | None, array: Array, name: str, batch: int) -> None:
    if tensor is None:
        raise DataError(f"the model takes no {name}", "compile it with a loss")
    wanted = tensor.size // 4 // batch
    given = array[0].size
    if wanted != given:
        raise DataError(
            f"a sample of {name} has {given} values, '{tensor.name}' {tensor.shape} takes {wanted}",
            "the data must have the shape of the ONNX model's input, without the batch",
        )
