"""A federation on this computer: one twin plays many devices in turn.

A device's round depends only on the base and on its own samples. So the twin that plays it loads the base, trains
and sends a delta, and then becomes the next device. Memory is needed for one twin, for the samples, and for the
deltas of a round, which the server keeps until it has all of them.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gradmote_runtime import Session

from ..data.dataset import Array, Dataset
from ..device.evaluation import Evaluation, evaluate
from ..device.fitting import require_training
from ..device.matching import matched
from ..device.twin_target import TwinTarget
from ..errors import DataError
from .fleet import LocalFleet
from .partition import part_of
from .server import Server
from .task import RoundTask

#: The factor by which an attacker multiplies the difference that it learned.
ATTACKS = {"opposite": -20.0, "huge": 1e30, "nan": math.nan}


@dataclass(frozen=True)
class Settings:
    """The work of devices in each round.

    Attributes:
        epochs: The passes of a device over its samples.
        bits: The bits of each number that a device sends: 2, 4 or 8.
        taking_part: How many devices take part in a round, different ones each time; None for all. If the server has
            privacy, each device takes part with probability taking_part / devices, independently.
        attackers: How many of the devices attack; they are the first ones.
        attack: Their attack, one of ATTACKS.
        seed: The seed of the order of samples, of the rounding, and of the choice of devices.
    """

    epochs: int = 1
    bits: int = 4
    taking_part: int | None = None
    attackers: int = 0
    attack: str = "opposite"
    seed: int = 0


@dataclass(frozen=True)
class Round:
    """The outcome of a round.

    Attributes:
        round: Its number, from 1.
        devices: How many sent a delta that counts.
        refused: How many took part, and do not count: they sent no delta, because their numbers were not
            finite, or one that the server left out.
        loss: The mean over the examples of these devices, each measured before its update, in the last epoch; NaN
            if there are none.
        test: The result of the next base on the test set.
        bytes_up: The bytes that all devices sent.
        bytes_down: The bytes that they received before it. A device that took part in the previous round gets the
            delta that ended it, and any other the checkpoint; before the first round none gets anything.
        seconds: The time for the devices' training, and for the server's sum.
    """

    round: int
    devices: int
    refused: int
    loss: float
    test: Evaluation
    bytes_up: int
    bytes_down: int
    seconds: float


class AttackingSession(Session):
    """A twin whose deltas are `factor` times what it learned."""

    factor = 1.0

    def begin_round(self, number: int) -> None:
        """Begin the round, and remember its base."""
        super().begin_round(number)
        self._base_of_round = np.array(self.parameters())

    def round_delta(self, bits: int = 4, seed: int = 0, shared: str | Sequence[str] | None = None) -> bytes:
        """Return the delta of the attack. Raises RuntimeFault (NOT_FINITE) like an honest device."""
        with np.errstate(all="ignore"):
            learned = np.array(self.parameters()) - self._base_of_round
            self.set_parameters(self._base_of_round + np.float32(self.factor) * learned)
        return super().round_delta(bits, seed, shared)


class Simulation:
    """A server, and the devices played by one twin; attackers have a second one.

    Optimizers' moments begin at zero in each round: a device keeps nothing except its samples. The server reaches
    the same base as with a `LocalFleet` of as many devices that always load the checkpoint.

    image: the compiled model, which must be able to train. data: the samples of all devices, and the test set;
    without one, tests use the devices' samples. parts: the rows of each device.
    """

    def __init__(
        self, server: Server, image: bytes, data: Dataset, parts: Mapping[str, Array], settings: Settings
    ) -> None:
        """Check everything that could fail in a later round. Raises GradmoteError for the first problem."""
        self.server, self.parts, self.settings = server, parts, settings
        self._target = TwinTarget()
        self._target.load_image(image)
        info = self._target.info()
        program = require_training(info.programs, 1)
        require_devices(parts, info.batch, settings)
        if settings.attackers and self._target.session.parameters().format != "f":
            raise DataError("attacks need float32 parameters, and this model has others", "leave --attackers out")
        tensors = (self._target.describe(program, role, 0) for role in ("input", "label"))
        self.data = matched(data, *tensors)
        self._digest = hashlib.sha256(image).digest()
        self._fleet = LocalFleet(self._devices(image), self.samples_of, self._digest)
        self._asked_before: frozenset[str] = frozenset()
        self._down = 0

    def run(self, rounds: int) -> Iterator[Round]:
        """Yield the result of each round as it ends."""
        for _ in range(rounds):
            yield self.round()

    def round(self) -> Round:
        """Train the devices of a round, and move on to the next base.

        Raises DataError if no device sent a delta and the server has no privacy, and RuntimeFault if the next base is
        not finite.
        """
        start, number, task = time.perf_counter(), self.server.round, self._task()
        replies = self._fleet.train(task)
        self._fleet.answers.clear()
        good = [reply for reply in replies if not reply.fault]
        for reply in good:
            self.server.add(reply.device, reply.delta, reply.examples)
        down, bytes_up = self.server.finish(), sum(r.bytes_up for r in good)
        good = [reply for reply in good if reply.device not in self.server.left_out]
        seconds = time.perf_counter() - start
        bytes_down = self._bytes_down([r.device for r in replies], len(task.checkpoint)) if number else 0
        self._asked_before, self._down = frozenset(r.device for r in replies), len(down)
        loss = float(np.average([r.loss for r in good], weights=[r.examples for r in good])) if good else math.nan
        return Round(
            number + 1, len(good), len(replies) - len(good), loss, self.tested(), bytes_up, bytes_down, seconds
        )

    def tested(self) -> Evaluation:
        """Return the result of the server's base on the test set."""
        self._target.load(self.server.checkpoint())
        data = self.data
        if data.x_test is not None:
            return evaluate(self._target, data)
        return evaluate(self._target, data, data.x, data.y, data.more)

    def samples_of(self, device: str) -> Dataset:
        """Return the samples of one device."""
        return part_of(self.data, self.parts[device])

    def _devices(self, image: bytes) -> dict[str, Session]:
        """Return the twin of each device: one plays all honest devices."""
        names = list(self.parts)
        attackers = names[: self.settings.attackers]
        devices = dict.fromkeys(names, self._target.session)
        if attackers:
            twin = AttackingSession(image)
            twin.factor = ATTACKS[self.settings.attack]
            devices |= dict.fromkeys(attackers, twin)
        return devices

    def _task(self) -> RoundTask:
        """Return the task of all devices in this round; without a delta, so that each loads the checkpoint."""
        server, settings = self.server, self.settings
        return RoundTask(
            self._digest,
            server.round,
            hashlib.sha256(server.base).digest(),
            server.checkpoint(),
            bits=settings.bits,
            epochs=settings.epochs,
            seed=settings.seed,
            devices=self._asked(server.round),
        )

    def _asked(self, number: int) -> tuple[str, ...] | None:
        """Return the devices of a round, different ones each time; None if all take part."""
        count = self.settings.taking_part
        if count is None:
            return None
        devices, drawn = list(self.parts), np.random.default_rng([self.settings.seed, number])
        if self.server.privacy is not None:
            return tuple(np.array(devices)[drawn.random(len(devices)) < count / len(devices)].tolist())
        return tuple(devices[index] for index in drawn.choice(len(devices), count, replace=False))

    def _bytes_down(self, asked: Collection[str], checkpoint: int) -> int:
        return sum(self._down if device in self._asked_before else checkpoint for device in asked)


def require_devices(parts: Mapping[str, np.ndarray], batch: int, settings: Settings) -> None:
    """Raise DataError if devices have too few samples, or there are fewer devices than should take part."""
    few = [device for device, rows in parts.items() if len(rows) < batch]
    if few:
        raise DataError(
            f"{len(few)} of {len(parts)} devices have fewer samples than a batch of {batch}, such as device {few[0]}",
            "take fewer devices, give each its number of samples, or compile with a smaller --batch",
        )
    for count, what in ((settings.taking_part or 1, "take part"), (settings.attackers, "attack")):
        if count > len(parts):
            raise DataError(f"{count} devices cannot {what}: there are {len(parts)}", "give a smaller number")
