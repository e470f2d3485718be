"""The devices behind one node, and how they take part in a round."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from gradmote_runtime import Session

from ..data.dataset import Array, Dataset
from ..device.evaluation import evaluate
from ..device.fitting import NOT_FINITE, NOT_FINITE_MEANS, SKIPPED_HINT, fit, require_training
from ..device.target import Target
from ..device.twin_target import TwinTarget
from ..errors import DataError, GradmoteError, RuntimeFault, shorten
from .fields import MOST_TEXT, printable
from .replies import DeviceReply, DeviceTest
from .task import RoundTask

#: A device: a session of the runtime, or a board or twin.
Device = "Session | Target"
#: Returns the samples of the device of that name.
Data = Callable[[str], Dataset]

#: What may go wrong with one device, and is a row then.
FAULTS = (GradmoteError, OSError, ValueError, TypeError)
_OTHER_BASE = "OTHER_BASE"
#: Why a device is not tested, and what to do.
TRAINED_ALREADY = "the device has learnt in this round, which a test would take from it", "test a base before its round"
_LATE = "lower the epochs, or raise the deadline"


class Fleet(Protocol):
    """Devices that take part in rounds, wherever they are."""

    def names(self) -> list[str]:
        """Return the names of all devices, sorted."""

    def train(self, task: RoundTask) -> list[DeviceReply]:
        """Return a row for each device that was asked."""

    def test(self, task: RoundTask) -> list[DeviceTest]:
        """Return the test of the task's base on the samples of each device that was asked."""


class LocalFleet:
    """Devices that this process can reach: sessions, twins and boards.

    A device that is asked the same again gives the same answer, and does not train twice.

    Attributes:
        devices: Each device by its name.
        answers: The last reply of each device, with the key of its task.
        at_base: The digest of the base at which each device is that has not trained since.
    """

    def __init__(self, devices: Mapping[str, Any], data: Data, image_digest: bytes | None = None) -> None:
        """Take the devices by their names: sessions, or targets whose image is loaded.

        data: returns a device's own samples. image_digest: the SHA-256 of their image, which must be
        the task's; without it, the runtime still refuses checkpoints and deltas of other models.
        """
        self.devices, self.data, self.image_digest = dict(devices), data, image_digest
        self.answers: dict[str, tuple[bytes, DeviceReply]] = {}
        self.at_base: dict[str, bytes] = {}

    def names(self) -> list[str]:
        """Return the names of all devices, sorted."""
        return sorted(self.devices)

    def train(self, task: RoundTask) -> list[DeviceReply]:
        """Train the devices one after the other, and return a row for each, sorted by name.

        A fault of one device is its row's, and no exception.
        """
        asked = self.devices if task.devices is None else task.devices
        start = time.monotonic()
        return [self._answer(name, task, start) for name in sorted(asked)]

    def test(self, task: RoundTask) -> list[DeviceTest]:
        """Bring the devices to the base, test each on its own samples, and return a row for each, sorted by name.

        Tests take `x_test`, or where a device has none, its samples. A device that has learnt something in
        this round is not tested, so that no test takes what it learnt.
        """
        asked = self.devices if task.devices is None else task.devices
        return [self._tested(name, task) for name in sorted(asked)]

    def _tested(self, name: str, task: RoundTask) -> DeviceTest:
        try:
            device, data = self._device(name, task), self.data(name)
            if self._has_trained(name, task):
                raise DataError(*TRAINED_ALREADY)
            self._bring(name, task)
            return tested(name, TwinTarget.of(device) if isinstance(device, Session) else device, data)
        except FAULTS as error:
            return DeviceTest(name, fault=fault_of(error))

    def _answer(self, name: str, task: RoundTask, start: float) -> DeviceReply:
        """Return a device's row: that of before, where it was asked the same before."""
        key, known = self.answers.get(name, (b"", None))
        if known is not None and key == task.key:
            return known
        begun = time.monotonic()
        try:
            reply = self._trained(name, task, start)
        except FAULTS as error:
            return DeviceReply(name, fault=fault_of(error), seconds=time.monotonic() - begun)
        self.answers[name] = task.key, reply
        return reply

    def _trained(self, name: str, task: RoundTask, start: float) -> DeviceReply:
        """Bring one device to the base, train it, and return its row."""
        begun, device, data = time.monotonic(), self._device(name, task), self.data(name)
        down = self._bring(name, task)
        del self.at_base[name]
        loss = train(device, data, task.epochs, task.order_of(name), too_late(start, task.deadline_s))
        shared = None if task.shared is None else list(task.shared)
        delta = device.round_delta(task.bits, task.seed_of(name), shared)
        return DeviceReply(name, delta, len(data.x), loss, time.monotonic() - begun, len(delta), down)

    def _has_trained(self, name: str, task: RoundTask) -> bool:
        """Return whether a device has answered, and has been brought to no base since."""
        return name in self.answers and name not in self.at_base and round_of(self.devices[name]) == task.round

    def _device(self, name: str, task: RoundTask) -> Any:
        """Return a device. Raises DataError where there is none of that name, or it has another image."""
        if name not in self.devices:
            raise DataError(f"there is no device '{name}'", f"there are {', '.join(sorted(self.devices)) or 'none'}")
        if self.image_digest not in (None, task.image_digest):
            raise DataError(
                f"the server's image is {task.image_digest.hex()[:16]}, that of the devices another one",
                "load the server's image on them, or give the server theirs",
            )
        return self.devices[name]

    def _bring(self, name: str, task: RoundTask) -> int:
        """Bring a device to the base where it is not there yet, and return the bytes that were sent to it."""
        if self.at_base.get(name) == task.base_digest:
            return 0
        self.at_base.pop(name, None)
        sent = bring_to_base(self.devices[name], task)
        self.at_base[name] = task.base_digest
        return sent


def tested(name: str, target: Target, data: Dataset) -> DeviceTest:
    """Return the test of a device, which is at the base, on its own samples."""
    x, y, more = samples_to_test(data)
    found = evaluate(target, data, x, y, more)
    return DeviceTest(name, len(x), found.loss, found.accuracy)


def samples_to_test(data: Dataset) -> tuple[Any, Any, Any]:
    """Return samples, labels and more of a test: those of the test set, or else all."""
    return (data.x, data.y, data.more) if data.x_test is None else (data.x_test, data.y_test, data.more_test)


def fault_of(error: Exception) -> str:
    """Return an error as a sentence in one line."""
    return shorten(printable(str(error) or type(error).__name__), MOST_TEXT // 4)


def too_late(start: float, deadline_s: float) -> Callable[[], bool]:
    """Return the question whether so many seconds are over since `start`; 0 seconds never are."""
    return lambda: 0 < deadline_s < time.monotonic() - start


def round_of(device: Any) -> int:
    """Return the number of the round that a device is in."""
    return int(device.round if isinstance(device, Session) else device.round())


def bring_to_base(device: Any, task: RoundTask) -> int:
    """Let a device begin the task's round at its base, and return the bytes that were sent to it.

    A device that is one round behind goes on with the delta that all get, and keeps its moments and
    its personal parameters. Any other one loads the server's checkpoint.
    """
    if task.down and round_of(device) == task.round - 1:
        try:
            device.end_round(task.down)
            return len(task.down)
        except RuntimeFault as fault:
            if fault.name != _OTHER_BASE:
                raise
    device.load(task.checkpoint)
    device.begin_round(task.round)
    return len(task.checkpoint)


def train(device: Any, data: Dataset, epochs: int, seed: int, stop: Callable[[], bool]) -> float:
    """Train a device for some passes over its samples, and return the mean loss of the last one.

    The order of pass e = 1, 2, ... is that of (seed, e), as in `fit()`. A step whose data, loss or
    gradient is not finite is skipped. Raises GradmoteError where that is all of them, or where
    stop(), which is asked after each step, returns True.
    """
    if isinstance(device, Session):
        losses = list(_session_losses(device, data, epochs, seed, stop))
        last = losses[-(len(losses) // epochs) :]
        if all(map(math.isnan, last)):
            raise GradmoteError(f"all steps were skipped: {NOT_FINITE_MEANS}", SKIPPED_HINT)
        return float(np.nanmean(last))
    result = fit(device, data.without_test(), epochs, seed, should_stop=stop)
    if result.stopped:
        raise DataError("the device is too late", _LATE)
    return result.epochs[-1].loss


def _session_losses(
    session: Session, data: Dataset, epochs: int, seed: int, stop: Callable[[], bool]
) -> Iterator[float]:
    """Make all steps of a session, and yield the loss of each; NaN where it was skipped."""
    arrays, batch = session_arrays(session, data), session.requirements()["batch"]
    update = _update_of(session)
    for epoch in range(1, epochs + 1):
        order = np.random.default_rng((seed, epoch)).permutation(len(data.x))
        for rows in order[: len(order) // batch * batch].reshape(-1, batch):
            try:
                yield update(*(array[rows] for array in arrays))
            except RuntimeFault as fault:
                if fault.code != NOT_FINITE:
                    raise
                yield math.nan
            if stop():
                raise DataError("the device is too late", _LATE)


def _update_of(session: Session) -> Callable[..., float]:
    """Return the call that makes one update and returns the loss before it."""
    if require_training(session.requirements()["programs"], 1) == "step":
        return session.step

    def update(*batch: Any) -> float:
        session.lazy_reset_grad()
        loss = session.train_step(*batch)
        session.optimizer_step()
        return loss

    return update


def session_arrays(session: Session, data: Dataset) -> list[Array]:
    """Return the samples of each input, then of each label. Raises DataError where some are missing."""
    batch, inputs, labels = session.requirements()["batch"], session.inputs(), session.labels()
    if len(data.x) < batch:
        raise DataError(f"{len(data.x)} samples do not fill a batch of {batch}", "compile with a smaller --batch")
    x = data.widened() if inputs[0]["dtype"] == "float32" else data.x
    first = [x, *(data.more.get(row["name"]) for row in inputs[1:])]
    arrays = first + [data.y, *(data.more.get(row["name"]) for row in labels[1:])][: len(labels)]
    for row, array in zip(inputs + labels, arrays):
        if array is None or len(array) != len(data.x):
            raise DataError(
                f"the model also takes '{row['name']}', of which not all samples are there", "give them too"
            )
    return [array for array in arrays if array is not None]
