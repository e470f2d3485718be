"""The training loop: epochs over a dataset on any target, each followed by an evaluation."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pkgutil import resolve_name

import numpy as np

from gradmote.errors import DataError, DeviceError, GradmoteError, RuntimeFault

from ..data.augment import Augmentation, Augmenter
from ..data.dataset import Array, Dataset
from .evaluation import Evaluation, evaluate
from .matching import matched
from .samples import Samples, check_tensor, others_of
from .schedules import Schedule
from .target import Target
from .types import Metrics, Saves, Tensor

NOT_FINITE = -16
NOT_FINITE_MEANS = "the data, the loss or a gradient is NaN or infinite"
SKIPPED_HINT = "lower the learning rate (--lr), and look for NaN in the data"


@dataclass(frozen=True)
class Step:
    """One finished update. metrics.loss is NaN if the update was skipped."""

    epoch: int  #: the epoch's number, from 1
    step: int  #: the step's number in this epoch, from 1
    steps: int  #: the number of steps in this epoch
    metrics: Metrics


@dataclass(frozen=True)
class Epoch:
    """One pass over the data.

    Attributes:
        epoch: Its number, from 1; 0 for a test before any training.
        loss: The mean over its steps, each measured before the step's update.
        test: The result on the test set; None without one.
        samples: The number of samples trained on.
        seconds: The time of training, without the test.
        skipped: The number of steps whose data, loss or gradient was not finite. They changed
            nothing, and are not in the mean.
    """

    epoch: int
    loss: float
    test: Evaluation | None
    samples: int
    seconds: float
    skipped: int = 0


@dataclass(frozen=True)
class Best:
    """The epoch with the best test so far: the highest accuracy, or without classes the lowest loss.

    Of equal accuracies the lower loss is the better, of equal losses the earlier epoch.
    """

    epoch: int
    test: Evaluation
    checkpoint: bytes  #: the state after it (.gmck); empty without `keep_best`

    def is_beaten_by(self, test: Evaluation) -> bool:
        """Return whether another test is better."""
        return _rank(test) < _rank(self.test)


def _rank(test: Evaluation) -> tuple[float, float]:
    """Return numbers that are lower for a better test."""
    return tuple(math.inf if math.isnan(n) else n for n in (-test.accuracy, test.loss))  # type: ignore[return-value]


@dataclass
class Fit:
    """The result of fit().

    Attributes:
        epochs: The finished epochs.
        dropped: How many samples of each epoch did not fill an update.
        stopped: Whether should_stop() ended the training.
        metrics: The metrics of the last step; None without a step.
        saves: The target's checkpoints, if `save_every` was given.
        best: With `keep_best` or `patience`, the best epoch.
        ran_out: Whether `patience` ended the training.
        last: With `keep_best`, the state after the last update (.gmck); the target has the best one.
    """

    epochs: list[Epoch] = field(default_factory=list)
    dropped: int = 0
    stopped: bool = False
    metrics: Metrics | None = None
    saves: Saves | None = None
    best: Best | None = None
    ran_out: bool = False
    last: bytes | None = None

    @property
    def skipped(self) -> int:
        """The number of skipped steps over all epochs."""
        return sum(epoch.skipped for epoch in self.epochs)

    def _repr_html_(self) -> str:
        """Return curves and a table for a notebook; the room below that draws them is found by name."""
        return str(resolve_name("gradmote.report.history:fit_as_html")(self))


def fit(
    target: Target,
    data: Dataset,
    epochs: int,
    seed: int = 0,
    on_step: Callable[[Step], None] = lambda step: None,
    on_epoch: Callable[[Epoch], None] = lambda epoch: None,
    should_stop: Callable[[], bool] = lambda: False,
    micro_batches: int = 1,
    save_every: int | None = None,
    *,
    schedule: Schedule | None = None,
    keep_best: bool = False,
    patience: int | None = None,
    on_best: Callable[[Best], None] = lambda best: None,
    start: tuple[int, int] = (1, 0),
    best: Best | None = None,
    augment: Augmentation | None = None,
) -> Fit:
    """Train for `epochs` passes over data.x, and test after each.

    Uses the program "step", or else "train" and "optimizer". Skips a step whose data, loss or
    gradient is not finite. Raises GradmoteError after an epoch in which all steps were skipped.

    Args:
        target: The board or twin, with an image that can train.
        data: The samples. Those at the end of an epoch that do not fill a batch are left out; they
            are different ones in each epoch.
        epochs: The number of passes; 0 only tests.
        seed: The seed of the order; epoch e uses the order of (seed, e).
        on_step: Called after each update.
        on_epoch: Called after each epoch and its test.
        should_stop: Called after each step; returning True ends the training.
        micro_batches: The number of batches whose gradients one update averages; more than one
            needs an image that keeps gradients (program "train").
        save_every: The number of updates between two checkpoints that the target keeps
            (Target.save_every); None leaves the target's setting unchanged.
        schedule: The rate of each update (schedules.py), set before it; it counts from 0 over all epochs.
        keep_best: Leave the target with the state after the epoch with the best test, unless
            should_stop() ended the training. Reads the state after each better epoch.
        patience: The number of epochs without a better test after which the training ends.
        on_best: Called after each epoch that is the best so far, before on_epoch.
        start: (epoch, updates), the point of an earlier run to go on from: in the middle of this epoch,
            after so many of its updates. The target has the state of that point.
        best: The best epoch of that earlier run.
        augment: Changes the samples to train on by chance, by the seed; those to test on stay.
    """
    if (keep_best or patience is not None) and data.x_test is None:
        raise DataError("the best epoch is that with the best test, and the data has no test set", "set samples apart")
    batch, data = _checked(target, data, micro_batches)
    samples = Samples(target, data, data.x, data.y, others_of(target, data.more, len(data.x)))
    training = _Training(samples, (micro_batches, batch), on_step, should_stop, schedule, start)
    if augment is not None:
        x = target.describe(require_training(target.info().programs, micro_batches), "input", 0)
        assert x is not None  # it is checked
        training.augmenter = Augmenter(augment, data, x.shape, x.dtype, seed)
    if keep_best or patience is not None:
        training.judge = _Judge(target, keep_best, patience, on_best, best)
    if save_every is not None:
        target.save_every(save_every)
    training.run(epochs, seed, on_epoch)
    if save_every is not None:
        training.result.saves = target.saves()
    if keep_best:
        _load_best(target, training.result)
    return training.result


def _load_best(target: Target, result: Fit) -> None:
    """Leave the target with its best state, after a training that was not stopped."""
    result.last = target.save()
    if result.best is not None and not result.stopped and result.last != result.best.checkpoint:
        target.load(result.best.checkpoint)


class _Judge:
    """Finds the best epoch, and when to give up."""

    def __init__(
        self, target: Target, keeps: bool, patience: int | None, on_best: Callable[[Best], None], best: Best | None
    ) -> None:
        self.target, self.keeps, self.patience, self.on_best, self.best = target, keeps, patience, on_best, best

    def goes_on(self, epoch: Epoch) -> bool:
        """Keep the epoch if it is the best so far, and return whether the training goes on."""
        if epoch.test is not None and (self.best is None or self.best.is_beaten_by(epoch.test)):
            self.best = Best(epoch.epoch, epoch.test, self.target.save() if self.keeps else b"")
            self.on_best(self.best)
        waited = epoch.epoch - (self.best.epoch if self.best else 0)
        return self.patience is None or waited < self.patience


class _Training:
    """One call of fit(), with its result so far."""

    def __init__(
        self,
        samples: Samples,
        size: tuple[int, int],
        on_step: Callable[[Step], None],
        should_stop: Callable[[], bool],
        schedule: Schedule | None = None,
        start: tuple[int, int] = (1, 0),
    ) -> None:
        """Begin at `start`. size: (micro-batches per update, samples per micro-batch)."""
        self.samples = samples
        self.size = size
        self.on_step = on_step
        self.should_stop = should_stop
        self.schedule = schedule
        self.start = start
        self.judge: _Judge | None = None
        self.augmenter: Augmenter | None = None
        self.result = Fit(dropped=len(samples.x) % math.prod(size))

    def run(self, epochs: int, seed: int, on_epoch: Callable[[Epoch], None]) -> None:
        """Train for this many epochs, or until should_stop() returns True.

        Raises GradmoteError after an epoch in which all steps were skipped.
        """
        if epochs == 0:
            self.result.epochs.append(Epoch(0, math.nan, self.tested(), 0, 0.0))
        for number in range(self.start[0], epochs + 1):
            done = self.epoch(number, seed)
            self.result.epochs.append(done)
            goes_on = not self.result.stopped and self.goes_on(done)
            on_epoch(done)
            if done.samples and done.skipped * math.prod(self.size) == done.samples:
                raise learns_nothing(self.result)
            if not goes_on:
                return

    def goes_on(self, done: Epoch) -> bool:
        """Return whether the training goes on after an epoch."""
        if self.judge is None:
            return True
        self.result.ran_out = not self.judge.goes_on(done)
        self.result.best = self.judge.best
        return not self.result.ran_out

    def epoch(self, number: int, seed: int) -> Epoch:
        """Train for one epoch, in the order of (seed, number), then test."""
        start = time.perf_counter()
        losses = self.losses(number, _groups(len(self.samples.x), self.size, (seed, number)))
        seconds = time.perf_counter() - start
        skipped = int(np.isnan(losses).sum())
        loss = float(np.nanmean(losses)) if skipped < len(losses) else math.nan
        test = None if self.result.stopped else self.tested()
        return Epoch(number, loss, test, len(losses) * math.prod(self.size), seconds, skipped)

    def tested(self) -> Evaluation | None:
        """Return the result on the test set; None without one."""
        data = self.samples.data
        return None if data.x_test is None else evaluate(self.samples.target, data)

    def losses(self, epoch: int, groups: Array) -> list[float]:
        """Make one update for each group of samples, and return their losses."""
        losses: list[float] = []
        samples = self.samples_in(epoch)
        before = self.start[1] if epoch == self.start[0] else 0
        for step, group in enumerate(groups[before:], start=before + 1):
            if self.schedule is not None:
                self.samples.target.set_learning_rate(self.schedule((epoch - 1) * len(groups) + step - 1))
            metrics = _update_or_skip(samples, group)
            losses.append(metrics.loss)
            self.result.metrics = metrics
            self.on_step(Step(epoch, step, len(groups), metrics))
            if self.should_stop():
                self.result.stopped = True
                break
        return losses

    def samples_in(self, epoch: int) -> Samples:
        """Return the samples as they are in an epoch."""
        if self.augmenter is None:
            return self.samples
        return replace(self.samples, changed=partial(self.augmenter, epoch))


def _groups(count: int, size: tuple[int, int], seed: tuple[int, int]) -> Array:
    """Return the samples of each update, (steps, micro-batches, batch), in the seed's order."""
    order = np.random.default_rng(seed).permutation(count)
    each = math.prod(size)
    return order[: count // each * each].reshape(-1, *size)


def learns_nothing(result: Fit) -> GradmoteError:
    """Return the error for an epoch in which all steps were skipped, as further ones would be."""
    last = result.epochs[-1]
    return GradmoteError(f"all steps of epoch {last.epoch} were skipped: {NOT_FINITE_MEANS}", SKIPPED_HINT)


def _update_or_skip(samples: Samples, group: Array) -> Metrics:
    try:
        with samples.labels_explained(group.ravel()):
            return _update(samples, group)
    except RuntimeFault as fault:
        if fault.code != NOT_FINITE:
            raise
    return replace(samples.target.metrics(), loss=math.nan)


def _update(samples: Samples, group: Array) -> Metrics:
    """Make one update on the mean gradient of several micro-batches.

    The metrics contain the mean of their losses.
    """
    target = samples.target
    if len(group) == 1:
        samples.write(group[0])
        return train_once(target)
    target.lazy_reset_grad()
    losses = []
    for rows in group:
        samples.write(rows)
        losses.append(target.run("train").loss)
    return replace(target.run("optimizer"), loss=float(np.mean(losses)))


def train_once(target: Target) -> Metrics:
    """Make one update on the samples written last; the metrics contain the loss before it."""
    if "step" in target.info().programs:
        return target.run("step")
    target.lazy_reset_grad()
    target.run("train")
    return target.run("optimizer")


# ---- Checks -------------------------------------------------------------------------------------------------------


def _checked(target: Target, data: Dataset, micro_batches: int) -> tuple[int, Dataset]:
    """Return the number of samples in one micro-batch, and the data in the model's dtypes.

    Raises DataError or DeviceError if the data does not fit the model, or the model cannot train.
    """
    info = target.info()
    program = require_training(info.programs, micro_batches)
    x = target.describe(program, "input", 0)
    check_tensor(x, data.x, "x", info.batch)
    label = target.describe(program, "label", 0)
    if data.y is not None:
        check_tensor(label, data.y, "y", info.batch)
    elif label is not None:
        raise DataError(f"the model takes labels '{label.name}', and the data has none", "add an array y")
    size = info.batch * micro_batches
    if len(data.x) < size:
        raise DataError(f"{len(data.x)} samples do not fill a batch of {size}", "compile with a smaller --batch")
    _warn_of_bytes(data, x)
    return info.batch, matched(data, x, label)


def require_training(programs: Sequence[str], micro_batches: int) -> str:
    """Return the program that trains; raise DeviceError if the model cannot train this way."""
    program = next((p for p in ("step", "train") if p in programs), None)
    if not programs:
        raise DeviceError("there is no model to train", "load one first: target.load_image(image)")
    if program is None or (program == "train" and "optimizer" not in programs):
        raise DeviceError(
            f"this model only has the programs {', '.join(programs)}",
            "compile it for training: gradmote compile model.onnx -o model.mote --loss cross_entropy --optimizer sgd",
        )
    if micro_batches > 1 and "train" not in programs:
        raise DeviceError("this model keeps no gradients to average", "compile it with --accumulate")
    return program


def _warn_of_bytes(data: Dataset, tensor: Tensor | None) -> None:
    """Warn about bytes without a scale for a float32 input.

    A model made for numbers up to 1 learns nothing from them, without any error.
    """
    if data.says_scale or data.x.dtype != np.uint8 or tensor is None or tensor.dtype != "float32":
        return
    largest = int(data.x.max())
    if largest > 1:
        logging.getLogger(__name__).warning(
            "x holds bytes up to %d without a scale: the model takes them as the numbers 0 to %d, and most models "
            "are made for 0 to 1 - store scale=1/255 beside x, or scale=1 if you mean the bytes as they are",
            largest,
            largest,
        )
