"""The gateway itself: a fleet whose devices answer each task once, whatever is restarted in between."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from ...data.check import require_fit
from ...data.dataset import Dataset
from ...data.expected import expected_of_image
from ...data.reading import Reading
from ...device.fitting import require_training
from ...errors import DataError, GradmoteError
from ..fleet import too_late
from ..task import DeviceReply, RoundTask
from .base import Base
from .config import DeviceConfig, GatewayConfig
from .held_device import HeldDevice, OnState, Stop
from .journal import Journal, Trained
from .keys import TAG_SIZE, Keys
from .signed_replies import signed

#: The most devices that work at the same time.
MOST_AT_ONCE = 64


class Gateway:
    """Devices that a process owns for as long as it lives, and the journal of their round.

    Attributes:
        image: The compiled model of all devices.
        devices: Each device by its name.
        keys: The keys of the connection and of the devices.
    """

    def __init__(self, config: GatewayConfig, keys: Keys, tell: OnState = lambda name, state, text: None) -> None:
        """Read image and samples, and the journal; connect to no device yet.

        tell: called with name, state and fault of a device at each change, from several threads. Raises
        GradmoteError where a file is damaged or does not fit, or a key is missing.
        """
        self.image, self.keys, self._tell = config.image.read_bytes(), keys, tell
        samples = {device.name: _samples(config, self.image, device) for device in config.devices}
        for name in samples:
            keys.device(name)
        self._journal, self._noting, self._busy = Journal(config.journal), threading.Lock(), threading.Lock()
        self._ended = threading.Event()
        self.devices = {
            device.name: HeldDevice(device, self.image, samples[device.name], config.journal, tell)
            for device in config.devices
        }

    def connect(self) -> None:
        """Connect to all devices at the same time, so that what is wrong is told before the first round."""
        with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
            list(pool.map(self._try_to_connect, self.devices.values()))

    def _try_to_connect(self, device: HeldDevice) -> None:
        try:
            device.connect()
        except (GradmoteError, OSError) as error:
            self._tell(device.name, "away", str(error))

    def train(self, task: RoundTask) -> list[bytes]:
        """Return the signed reply of each device that was asked, sorted by name.

        One task is done at a time. A device that has answered this task before is not trained again.
        Raises GradmoteError where the task is of another image, or contradicts itself.
        """
        with self._busy:
            start, base = time.monotonic(), Base(self.image, task)
            if self._journal.task != task.key:
                self._journal.begin(task.key)
            asked = sorted(self.devices if task.devices is None else task.devices)
            late = too_late(start, task.deadline_s)
            with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
                return list(
                    pool.map(lambda name: self._answer(name, task, base, lambda: self._ended.is_set() or late()), asked)
                )

    def _answer(self, name: str, task: RoundTask, base: Base, stop: Stop) -> bytes:
        """Return the signed reply of a device: that of the journal, or a new one, which is kept there first."""
        if name in self._journal.taken:
            return self._journal.taken[name]
        if name not in self.devices:
            return bytes(TAG_SIZE) + DeviceReply(name, fault="this gateway has no such device").pack()
        try:
            reply = self.devices[name].answer(task, base, self, stop)
            if reply.fault:
                return bytes(TAG_SIZE) + reply.pack()
            made = signed(self.keys.device(name), task, reply)
            with self._noting:
                self._journal.take(name, made)
            return made
        except GradmoteError as error:  # the journal cannot be written
            return bytes(TAG_SIZE) + DeviceReply(name, fault=f"{error}"[:200]).pack()

    def trained(self, device: str) -> Trained | None:
        """Return that a device has trained for this task, if it has."""
        return self._journal.trained.get(device)

    def note_trained(self, done: Trained) -> None:
        """Keep that a device has trained."""
        with self._noting:
            self._journal.note_trained(done)

    def close(self) -> None:
        """Let go of all devices and of the journal. Devices that train end with the step under way."""
        self._ended.set()
        with self._busy:
            for device in self.devices.values():
                device.close()
            self._journal.close()

    def __enter__(self) -> Gateway:
        """Return this gateway, which the end of the `with` closes."""
        return self

    def __exit__(self, *error: object) -> None:
        """Let go of all devices."""
        self.close()


def _samples(config: GatewayConfig, image: bytes, device: DeviceConfig) -> Dataset | None:
    """Return the samples of a device, which fit the model; None where it collects its own."""
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
