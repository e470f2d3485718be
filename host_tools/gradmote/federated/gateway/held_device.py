"""One device of a gateway: connect it, bring it to the base of a round, train it, and read what it learned."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from ...data.dataset import Dataset
from ...device.board_target import BoardTarget
from ...device.client import Client
from ...device.emulated_target import emulated_board
from ...device.target import Target
from ...device.target_factory import DEFAULT
from ...errors import DataError, DeviceError, GradmoteError, RuntimeFault
from ..fleet import FAULTS, TRAINED_ALREADY, bring_to_base, fault_of, tested, train
from ..replies import AnyRow, DeviceReply, DeviceTest
from ..task import RoundTask
from .base import Base
from .config import DeviceConfig
from .journal import Trained
from .kept_twin import KeptTwin

#: How many seconds a task waits for a lost device, and the pause between two attempts to reach it.
PATIENCE = 60.0
_PAUSE = 0.5

#: Called with (name, state, fault) of a device: its state in one word, and a sentence if something is wrong.
OnState = Callable[[str, str, str], None]
Stop = Callable[[], bool]


class Notes(Protocol):
    """The memory of a device in the current round, which survives this process."""

    def trained(self, device: str) -> Trained | None:
        """Return the record that the device has trained for this task, or None."""

    def note_trained(self, done: Trained) -> None:
        """Record that a device has trained."""


class TooLate(DataError):
    """The error for a task whose deadline has passed."""


class HeldDevice:
    """A device, and its connection if there is one."""

    def __init__(self, config: DeviceConfig, image: bytes, data: Dataset | None, folder: Path, tell: OnState) -> None:
        """Connect to nothing yet.

        data: the device's samples; None if it trains on samples that it collects. folder: for a twin's state.
        tell: called with each new state.
        """
        self.config, self._image, self._data, self._folder, self._tell = config, image, data, folder, tell
        self._target: Target | None = None

    @property
    def name(self) -> str:
        """Return the server's name for the device."""
        return self.config.name

    def connect(self) -> Target:
        """Return the device, connected and with the image. Raises GradmoteError or OSError if it is unreachable."""
        if self._target is None:
            self._tell(self.name, "connecting", "")
            target = self._opened()
            try:
                if not (isinstance(target, BoardTarget) and target.has_image(self._image)):
                    target.load_image(self._image)
            except BaseException:
                _close(target)
                raise
            self._target = target
            self._tell(self.name, "ready", "")
        return self._target

    def _opened(self) -> Target:
        kind, _, rest = self.config.url.partition(":")
        if kind == "twin":
            return KeptTwin(self._folder / self.name, rest or "fused")
        if kind == "qemu":
            return emulated_board(rest or DEFAULT, apart=True, image=self._image)
        return BoardTarget(Client.connect(self.config.url, self.config.baudrate))

    def close(self) -> None:
        """Close the connection; the next task opens another one."""
        target, self._target = self._target, None
        if target is not None:
            _close(target)

    def answer(self, task: RoundTask, base: Base, notes: Notes, stop: Stop) -> DeviceReply:
        """Train for a task, and return the delta, or the fault. stop: returns whether the deadline has passed."""
        begun = time.monotonic()

        def failed(fault: str) -> DeviceReply:
            return DeviceReply(self.name, fault=fault, seconds=time.monotonic() - begun)

        return self._persisting(lambda: self._answered(task, base, notes, stop, begun), failed, stop)

    def test(self, task: RoundTask, base: Base, stop: Stop) -> DeviceTest:
        """Test the task's base on the device's own samples, and return the figures, or the fault.

        Refuses a device that has learned something in this round, because the test would discard it.
        """
        return self._persisting(
            lambda: self._tested(task, base), lambda fault: DeviceTest(self.name, fault=fault), stop
        )

    def _persisting(self, work: Callable[[], AnyRow], failed: Callable[[str], AnyRow], stop: Stop) -> AnyRow:
        """Return the result of work(), or of failed() for its fault.

        Reconnects a lost device, for up to PATIENCE seconds.
        """
        lost = 0.0
        while True:
            try:
                row = work()
                self._tell(self.name, "done", "")
                return row
            except FAULTS as error:
                self.close()
                fault = fault_of(error)
                lost = lost or time.monotonic()
                final = not isinstance(error, (DeviceError, OSError))
                if final or stop() or time.monotonic() - lost > PATIENCE:
                    self._tell(self.name, "failed", fault)
                    return failed(fault)
                self._tell(self.name, "lost", fault)
                time.sleep(_PAUSE)

    def _answered(self, task: RoundTask, base: Base, notes: Notes, stop: Stop, begun: float) -> DeviceReply:
        target, shared, down = self.connect(), None if task.shared is None else list(task.shared), 0
        done = notes.trained(self.name)
        if done is None or not _has_trained(target, task, done):
            down = self._to_base(target, task, base)
            if self._data is None:
                self._wait_until_it_learned(target, task, base, stop)
            done = self._trained(target, task, stop, begun)
            if isinstance(target, KeptTwin):
                target.keep_learned()
            notes.note_trained(done)
        delta = target.round_delta(task.bits, task.seed_of(self.name), shared)
        base.check(delta)
        if not _has_trained(target, task, done):
            raise DeviceError(f"{self.name} restarted before all of its delta was read", "it trains again")
        return DeviceReply(self.name, delta, done.examples, done.loss, done.seconds, len(delta), down)

    def _tested(self, task: RoundTask, base: Base) -> DeviceTest:
        target = self.connect()
        if self._data is None:
            raise DataError("the gateway has no samples of this device", f"add data to [devices.{self.name}]")
        if target.round() != task.round:
            self._tell(self.name, "to the base", "")
            bring_to_base(target, task)
        elif target.round_delta(2, 0, task.shared) != base.nothing(task.shared):
            raise DataError(*TRAINED_ALREADY)
        self._tell(self.name, "testing", "")
        return tested(self.name, target, self._data)

    def _to_base(self, target: Target, task: RoundTask, base: Base) -> int:
        """Bring the device to the round's base, and return the number of bytes sent to it.

        A device in this round may have begun to train before its connection, its power or this process was
        lost. It then returns to the state that it kept at the round's beginning, moments included.
        """
        if target.round() != task.round:
            self._tell(self.name, "to the base", "")
            return bring_to_base(target, task)
        if self._data is None:
            return 0
        self._tell(self.name, "to the base", "")
        with contextlib.suppress(RuntimeFault, DeviceError):  # no kept state, or one of another model
            restore(target)
            if target.round_delta(2, 0, task.shared) == base.nothing(task.shared):
                return 0
        target.load(task.checkpoint)
        target.begin_round(task.round)
        return len(task.checkpoint)

    def _wait_until_it_learned(self, target: Target, task: RoundTask, base: Base, stop: Stop) -> None:
        """Wait until a device that collects its samples has learned something since the round's base.

        It trains when it wants, and right after reaching the base it has nothing to send yet. Raises
        DataError after the deadline or, without a deadline, after PATIENCE seconds.
        """
        end = time.monotonic() + (math.inf if task.deadline_s else PATIENCE)
        while target.round_delta(2, 0, task.shared) == base.nothing(task.shared):
            self._tell(self.name, "learning", "")
            if stop() or time.monotonic() > end:
                raise DataError("the device has learned nothing in this round yet", "ask again later, or wait longer")
            time.sleep(_PAUSE)

    def _trained(self, target: Target, task: RoundTask, stop: Stop, begun: float) -> Trained:
        """Train the device on its samples, unless it trains by itself on those that it collects."""
        if stop():
            raise TooLate("the device is too late", "lower the epochs, or raise the deadline")
        self._tell(self.name, "training", "")
        if self._data is not None:
            examples, loss = len(self._data.x), train(target, self._data, task.epochs, task.order_of(self.name), stop)
        else:
            examples, loss = target.store().kept, target.metrics().loss
            if not math.isfinite(loss) or examples == 0:
                raise DataError("the device has not trained yet", "teach it some samples by hand")
        return Trained(self.name, updates_of(target), examples, loss, time.monotonic() - begun)


def restore(target: Target) -> None:
    """Return a device to the state that it keeps. Raises GradmoteError if it keeps none."""
    if isinstance(target, BoardTarget):
        target.board.load_kept_checkpoint()
    elif isinstance(target, KeptTwin):
        target.restore()


def updates_of(target: Target) -> int:
    """Return the number of steps in a device's state, including those that changed nothing."""
    metrics = target.metrics()
    return metrics.optimizer_steps + metrics.skipped_steps


def _has_trained(target: Target, task: RoundTask, done: Trained) -> bool:
    """Return whether a device still has what it learned for a task."""
    return target.round() == task.round and updates_of(target) == done.updates


def _close(target: Target) -> None:
    with contextlib.suppress(GradmoteError, OSError):
        target.close()
