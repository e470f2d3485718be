"""The gateway itself: a fleet whose devices answer each task once, even across restarts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from ...data.check import require_fit
from ...data.dataset import Dataset
from ...data.expected import expected_of_image
from ...data.reading import Reading
from ...device.fitting import require_training
from ...errors import DataError, GradmoteError
from ...formats.parameters import parameter_elements
from ..delta_sum import DeltaSum
from ..fleet import too_late
from ..replies import DeviceReply, DeviceTest, Row
from ..summary import DeltaSummary, SumRequest
from ..task import RoundTask
from .base import Base
from .config import DeviceConfig, GatewayConfig
from .held_device import HeldDevice, OnState, Stop
from .journal import Journal, Trained
from .keys import Keys
from .signed_replies import reply_of, signed, unsigned

#: The most devices that work at the same time.
MOST_AT_ONCE = 64
#: The most unknown device names in a task.
MOST_UNKNOWN = 1024


class Gateway:
    """Devices that a process owns while it lives, and the journal of their round.

    Attributes:
        image: The compiled model of all devices.
        devices: Each device by its name.
        keys: The keys of the connection and of the devices.
    """

    def __init__(self, config: GatewayConfig, keys: Keys, tell: OnState = lambda name, state, text: None) -> None:
        """Read image, samples and the journal; connect to no device yet.

        tell: called with (name, state, fault) of a device at each change, from several threads. Raises
        GradmoteError if a file is damaged or does not fit, or a key is missing.
        """
        self.image, self.keys, self._tell = config.image.read_bytes(), keys, tell
        samples = {device.name: _samples(config, self.image, device) for device in config.devices}
        for name in samples:
            keys.device(name)
        self._elements = parameter_elements(self.image)
        self._journal, self._noting, self._busy = Journal(config.journal), threading.Lock(), threading.Lock()
        self._ended = threading.Event()
        self.devices = {
            device.name: HeldDevice(device, self.image, samples[device.name], config.journal, tell)
            for device in config.devices
        }

    def connect(self) -> None:
        """Connect to all devices at the same time, so that problems appear before the first round."""
        with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
            list(pool.map(self._try_to_connect, self.devices.values()))

    def _try_to_connect(self, device: HeldDevice) -> None:
        try:
            device.connect()
        except (GradmoteError, OSError) as error:
            self._tell(device.name, "away", str(error))

    def train(self, task: RoundTask) -> list[bytes]:
        """Return the signed reply of each device in the task, sorted by name.

        Tasks run one at a time. A device that has already answered this task does not train again. Raises
        GradmoteError if the task is for another image, or contradicts itself.
        """
        with self._busy:
            base = Base(self.image, task)
            if self._journal.task != task.key:
                self._journal.begin(task.key)
            return self._of_each(task, lambda name, stop: self._answer(name, task, base, stop))

    def test(self, task: RoundTask) -> list[bytes]:
        """Return the signed test of the task's base on each device in the task, sorted by name.

        Leaves the journal unchanged, as well as any device that has learned something in this round. Raises
        GradmoteError if the task is for another image, or contradicts itself.
        """
        with self._busy:
            base = Base(self.image, task)
            return self._of_each(task, lambda name, stop: self._test(name, task, base, stop))

    def sum(self, request: SumRequest) -> DeltaSum:
        """Return the sum of deltas that devices sent for the current task.

        Raises DataError if the request is for another task, or a device has sent no delta.
        """
        with self._busy:
            if self._journal.task != request.key:
                raise DataError("the gateway keeps the deltas of another round", "ask for a sum in its own round")
            away = sorted(request.weights.keys() - self._journal.taken.keys())
            if away:
                raise DataError(f"the gateway keeps no delta of {away[0]}", "ask for the sum of the others")
            total, names = DeltaSum(self._elements), sorted(request.weights)
            deltas = [reply_of(DeviceReply, self._journal.taken[name]).delta for name in names]
            total.add_files(deltas, [request.weights[name] for name in names])
            return total

    def _of_each(self, task: RoundTask, work: Callable[[str, Stop], bytes]) -> list[bytes]:
        """Return the result of work() for each device in the task. stop: returns whether the deadline has passed.

        Raises DataError if a task names more than MOST_UNKNOWN devices that this gateway does not have.
        """
        late = too_late(time.monotonic(), task.deadline_s)
        asked = sorted(self.devices if task.devices is None else task.devices)
        unknown = [name for name in asked if name not in self.devices]
        if len(unknown) > MOST_UNKNOWN:
            raise DataError(
                f"this gateway lacks {len(unknown):,} devices that the task names, such as {unknown[0]}",
                "ask each gateway for its own devices",
            )
        with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
            return list(pool.map(lambda name: work(name, lambda: self._ended.is_set() or late()), asked))

    def _answer(self, name: str, task: RoundTask, base: Base, stop: Stop) -> bytes:
        """Return a device's signed reply: from the journal, or a new one after writing it there."""
        try:
            if name not in self._journal.taken:
                reply = self._device(name).answer(task, base, self, stop)
                if reply.fault:
                    return unsigned(reply)
                made = self._signed(task, reply)
                with self._noting:
                    self._journal.take(name, made)
            return self._as_asked(task, self._journal.taken[name])
        except GradmoteError as error:  # the device is unknown, or the journal cannot be written
            return unsigned(DeviceReply(name, fault=f"{error}"[:200]))

    def _as_asked(self, task: RoundTask, made: bytes) -> bytes:
        """Return a signed reply, with only a summary of its delta if that is enough for the task."""
        if not task.sums:
            return made
        reply = reply_of(DeviceReply, made)
        return self._signed(task, replace(reply, delta=DeltaSummary.of(reply.delta, self._elements, task).pack()))

    def _test(self, name: str, task: RoundTask, base: Base, stop: Stop) -> bytes:
        """Return the signed test of a device."""
        try:
            found = self._device(name).test(task, base, stop)
        except GradmoteError as error:
            found = DeviceTest(name, fault=f"{error}"[:200])
        return unsigned(found) if found.fault else self._signed(task, found)

    def _device(self, name: str) -> HeldDevice:
        if name not in self.devices:
            raise DataError("this gateway has no such device")
        return self.devices[name]

    def _signed(self, task: RoundTask, reply: Row) -> bytes:
        return signed(self.keys.device(reply.device), task, reply)

    def trained(self, device: str) -> Trained | None:
        """Return the record that a device has trained for this task, or None."""
        return self._journal.trained.get(device)

    def note_trained(self, done: Trained) -> None:
        """Record that a device has trained."""
        with self._noting:
            self._journal.note_trained(done)

    def close(self) -> None:
        """Release all devices and the journal. Devices that are training stop after the current step."""
        self._ended.set()
        with self._busy:
            for device in self.devices.values():
                device.close()
            self._journal.close()

    def __enter__(self) -> Gateway:
        """Return this gateway; leaving the `with` block closes it."""
        return self

    def __exit__(self, *error: object) -> None:
        """Release all devices."""
        self.close()


def _samples(config: GatewayConfig, image: bytes, device: DeviceConfig) -> Dataset | None:
    """Return a device's samples after checking that they fit the model; None if it collects its own."""
    expected = expected_of_image(image, config.image.name)
    require_training(expected.programs, 1)
    if device.data is None:
        return None
    try:
        data = Dataset.read(device.data, reading=Reading(expected=expected))
        require_fit(data, expected)
    except DataError as error:
        raise DataError(f"[devices.{device.name}] data: {error.message}", error.hint) from error
    return data
