"""The training loop: epochs over a dataset on any target, with an evaluation after each."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from gradmote.errors import DataError, DeviceError

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
) -> Fit:
    """Trains for `epochs` passes over data.x, shuffled from `seed`; epoch e of a run has the order of (seed, e).

    Uses program "step", else "train" and "optimizer". The last samples of an epoch that do not fill a batch are left
    out, others each time. epochs 0 only tests. should_stop: asked after each step.
    """
    batch = _checked_batch(target, data)
    result = Fit(dropped=len(data.x) % batch)
    if epochs == 0:
        result.epochs.append(Epoch(0, math.nan, _test(target, data), 0, 0.0))
    for epoch in range(1, epochs + 1):
        start = time.perf_counter()
        losses = _train_epoch(target, data, batch, (seed, epoch), result, on_step, should_stop)
        seconds = time.perf_counter() - start
        test = None if result.stopped else _test(target, data)
        done = Epoch(epoch, float(np.mean(losses)), test, len(losses) * batch, seconds)
        result.epochs.append(done)
        on_epoch(done)
        if result.stopped:
            break
    return result


def _test(target: Target, data: Dataset) -> Evaluation | None:
    if data.x_test is None or data.y_test is None:
        return None
    return evaluate(target, data)


def _train_epoch(
    target: Target, data: Dataset, batch: int, seed: tuple[int, int], result: Fit,
    on_step: Callable[[Step], None], should_stop: Callable[[], bool],
) -> list[float]:
    order = np.random.default_rng(seed).permutation(len(data.x))
    steps = len(order) // batch
    losses: list[float] = []
    for step in range(steps):
        rows = order[step * batch : (step + 1) * batch]
        write_batch(target, data, data.x[rows], data.y[rows])
        metrics = train_once(target)
        losses.append(metrics.loss)
        result.metrics = metrics
        on_step(Step(seed[1], step + 1, steps, metrics))
        if should_stop():
            result.stopped = True
            break
    return losses


def train_once(target: Target) -> Metrics:
    """One update on the samples written last; the metrics have the loss before it."""
    if "step" in target.info().programs:
        return target.run("step")
    target.run("train")
    return target.run("optimizer")


def write_batch(target: Target, data: Dataset, x: Array, y: Array | None) -> None:
    """Writes one batch; x as data.x is stored. Byte-sized class labels travel as bytes."""
    if x.dtype == np.uint8:
        target.write_u8("input", 0, x, data.scale, data.zero)
    else:
        target.write("input", 0, x)
    if y is None:
        return
    if y.dtype.kind in "iu" and int(y.min()) >= 0 and int(y.max()) < 256:
        target.write_u8("label", 0, y.astype(np.uint8))
    else:
        target.write("label", 0, y)


# ---- Evaluation ---------------------------------------------------------------------------------------------------


def evaluate(target: Target, data: Dataset, x: Array | None = None, y: Array | None = None) -> Evaluation:
    """Loss and accuracy over x, y; over data's test set by default. The last batch is filled up with repeated samples,
    which do not count."""
    if x is None or y is None:
        x, y = data.x_test, data.y_test
    if x is None or y is None:
        raise DataError("the data has no test set", "give x_test and y_test")
    batch = target.info().batch
    classes = y.dtype.kind in "iu"
    evaluates = "eval" in target.info().programs
    scores_from_eval = evaluates and target.describe("eval", "output", 0) is not None
    losses, right = [], 0
    for rows in _batches(len(x), batch):
        full = np.resize(rows, batch)
        write_batch(target, data, x[full], y[full])
        if evaluates and len(rows) == batch:
            losses.append(target.run("eval").loss)
        if classes:
            scored = scores_from_eval and len(rows) == batch
            right += _right_answers(_scores(target, scored), y[rows])
    accuracy = right / len(x) if classes else math.nan
    return Evaluation(float(np.mean(losses)) if losses else math.nan, accuracy)


def predict(target: Target, data: Dataset, x: Array) -> Array:
    """The model's first output for all of x, (samples, ...). x: stored as data.x is."""
    outputs = []
    for rows in _batches(len(x), target.info().batch):
        write_batch(target, data, x[np.resize(rows, target.info().batch)], None)
        outputs.append(_scores(target, False)[: len(rows)])
    return np.concatenate(outputs)


def _batches(count: int, batch: int) -> Iterator[Array]:
    for start in range(0, count, batch):
        yield np.arange(start, min(start + batch, count))


def _scores(target: Target, scored: bool) -> Array:
    """Outputs for the samples in place, (batch, classes); scored: "eval" has just computed them."""
    if scored:
        return target.output(0, "eval")
    target.run("infer")
    return target.output(0, "infer")


def _right_answers(scores: Array, y: Array) -> int:
    """How many of the samples in y the largest score meets; a single score means class 1 where positive."""
    scores = scores.reshape(len(scores), -1)[: len(y)]
    answers = scores.argmax(axis=1) if scores.shape[1] > 1 else scores[:, 0] > 0
    return int((answers == y.reshape(len(y), -1)[:, 0]).sum())


# ---- Checks -------------------------------------------------------------------------------------------------------


def _checked_batch(target: Target, data: Dataset) -> int:
    """Samples in one step, after making sure that the data fits the model."""
    info = target.info()
    program = next((p for p in ("step", "train") if p in info.programs), None)
    if program is None or (program == "train" and "optimizer" not in info.programs):
        raise DeviceError(
            f"this model only has the programs {', '.join(info.programs)}",
            "compile it for training: gradmote compile model.onnx -o model.mote --loss cross_entropy --optimizer sgd",
        )
    _check_tensor(target.describe(program, "input", 0), data.x, "x", info.batch)
    _check_tensor(target.describe(program, "label", 0), data.y, "y", info.batch)
    if len(data.x) < info.batch:
        raise DataError(f"{len(data.x)} samples do not fill a batch of {info.batch}", "compile with a smaller --batch")
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
