"""The devices of one node, and how they take part in a round."""

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

#: The errors that one device may have, which become its row's fault.
FAULTS = (GradmoteError, OSError, ValueError, TypeError)
_OTHER_BASE = "OTHER_BASE"
#: Why a device is not tested, and what to do about it.
TRAINED_ALREADY = "the device has learned in this round, which a test would discard", "test a base before its round"
_LATE = "lower the epochs, or raise the deadline"


class Fleet(Protocol):
    """Devices that take part in rounds, wherever they are."""

    def names(self) -> list[str]:
        """Return the names of all devices, sorted."""

    def train(self, task: RoundTask) -> list[DeviceReply]:
        """Return a row for each device in the task."""

    def test(self, task: RoundTask) -> list[DeviceTest]:
        """Return the test of the task's base for each device in the task, on its own samples."""


class LocalFleet:
    """Devices within reach of this process: sessions, twins and boards.

    A device that gets the same task again gives the same answer, without training twice.

    Attributes:
        devices: Each device by its name.
        answers: The last reply of each device, with the key of its task.
        at_base: The digest of its base for each device that has not trained since.
    """

    def __init__(self, devices: Mapping[str, Any], data: Data, image_digest: bytes | None = None) -> None:
        """Take the devices by name: sessions, or targets with a loaded image.

        data: returns a device's own samples. image_digest: the SHA-256 of their image, which must match
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

        A fault of one device goes into its row, and raises no exception.
        """
        asked = self.devices if task.devices is None else task.devices
        start = time.monotonic()
        return [self._answer(name, task, start) for name in sorted(asked)]

    def test(self, task: RoundTask) -> list[DeviceTest]:
        """Bring the devices to the base, test each on its own samples, and return a row for each, sorted by name.

        Tests use `x_test` or, if a device has none, its samples. A device that has trained in this round is
        not tested, because the test would discard what it learned.
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
        """Return a device's row: the earlier one if the task is the same as before."""
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
        """Return whether a device has answered, and has not been brought to a base since."""
        return name in self.answers and name not in self.at_base and round_of(self.devices[name]) == task.round

    def _device(self, name: str, task: RoundTask) -> Any:
        """Return a device. Raises DataError if no device has that name, or it has another image."""
        if name not in self.devices:
            raise DataError(f"there is no device '{name}'", f"there are {', '.join(sorted(self.devices)) or 'none'}")
        if self.image_digest not in (None, task.image_digest):
            raise DataError(
                f"the server's image is {task.image_digest.hex()[:16]}, the devices have another one",
                "load the server's image on them, or give the server theirs",
            )
        return self.devices[name]

    def _bring(self, name: str, task: RoundTask) -> int:
        """Bring a device to the base unless it is there, and return the number of bytes sent to it."""
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
    """Return (x, y, more) for a test: the test set, or without one all samples."""
    return (data.x, data.y, data.more) if data.x_test is None else (data.x_test, data.y_test, data.more_test)


def fault_of(error: Exception) -> str:
    """Return an error as a one-line sentence."""
    return shorten(printable(str(error) or type(error).__name__), MOST_TEXT // 4)


def too_late(start: float, deadline_s: float) -> Callable[[], bool]:
    """Return a function that returns whether `deadline_s` seconds have passed since `start`; never for 0."""
    return lambda: 0 < deadline_s < time.monotonic() - start


def round_of(device: Any) -> int:
    """Return the number of a device's round."""
    return int(device.round if isinstance(device, Session) else device.round())


def bring_to_base(device: Any, task: RoundTask) -> int:
    """Start the task's round on a device at its base, and return the number of bytes sent to it.

    A device still in the previous round applies the delta that all devices get, and keeps its moments and
    its personal parameters. Any other device loads the server's checkpoint.
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
    """Train a device for `epochs` passes over its samples, and return the mean loss of the last one.

    The order of pass e = 1, 2, ... is that of (seed, e), as in `fit()`. Skips a step whose data, loss or
    gradient is not finite. Raises GradmoteError if all steps were skipped, or if stop(), called after
    each step, returns True.
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
    """Make all steps of a session, and yield the loss of each; NaN for a skipped one."""
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
    """Return the function that makes one update and returns the loss before it."""
    if require_training(session.requirements()["programs"], 1) == "step":
        return session.step

    def update(*batch: Any) -> float:
        session.lazy_reset_grad()
        loss = session.train_step(*batch)
        session.optimizer_step()
        return loss

    return update


def session_arrays(session: Session, data: Dataset) -> list[Array]:
    """Return the samples of each input, then of each label. Raises DataError if some are missing."""
    batch, inputs, labels = session.requirements()["batch"], session.inputs(), session.labels()
    if len(data.x) < batch:
        raise DataError(f"{len(data.x)} samples do not fill a batch of {batch}", "compile with a smaller --batch")
    x = data.widened() if inputs[0]["dtype"] == "float32" else data.x
    first = [x, *(data.more.get(row["name"]) for row in inputs[1:])]
    arrays = first + [data.y, *(data.more.get(row["name"]) for row in labels[1:])][: len(labels)]
    for row, array in zip(inputs + labels, arrays):
        if array is None or len(array) != len(data.x):
            raise DataError(
                f"the model also takes '{row['name']}', and some of its samples are missing", "give them too"
            )
    return [array for array in arrays if array is not None]
