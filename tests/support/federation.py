"""Devices of a federation: twins that each have digits of some classes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gradmote import Session, optimizers
from gradmote.federated import Server
from support import digits

BATCH = 4


def image() -> bytes:
    """Return the MLP of all devices, untrained."""
    return digits.image(optimizers.sgd(0.05), BATCH)


def samples_of(device: int, devices: int) -> digits.Batch:
    """Return the digits of one device: mostly from two classes."""
    x, labels = digits.samples()
    chosen = np.random.default_rng(device).random(len(labels)) < np.where(labels // 2 == device % 5, 0.8, 0.05)
    rows = np.flatnonzero(chosen & (np.arange(len(labels)) % devices == device))
    return x[rows], labels[rows]


class Device:
    """A twin with its own samples. profile: its numerics."""

    def __init__(self, data: bytes, number: int, devices: int, profile: str = "fused") -> None:
        """Open the image."""
        self.number, self.session = number, Session(data, profile)
        self.x, self.labels = samples_of(number, devices)

    def train(self, epochs: int = 1) -> None:
        """Train on its samples, in a different order in each round."""
        drawn = np.random.default_rng([self.number, self.session.round])
        for _ in range(epochs):
            rows = drawn.permutation(len(self.labels))
            for at in range(0, len(rows) - BATCH + 1, BATCH):
                chosen = rows[at : at + BATCH]
                self.session.step(self.x[chosen], self.labels[chosen])

    def delta(self, bits: int = 4, shared: str | None = None) -> bytes:
        """Return what it learned in this round."""
        return self.session.round_delta(bits, self.number, shared)


def devices_of(data: bytes, count: int) -> list[Device]:
    """Return devices, every second one with the strict profile."""
    return [Device(data, number, count, ("fused", "strict")[number % 2]) for number in range(count)]


def one_round(server: Server, devices: Iterable[Device], bits: int = 4, shared: str | None = None) -> bytes:
    """Train all devices once, bring them to the next base, and return the delta that led there."""
    devices = list(devices)
    for device in devices:
        device.train()
        server.add(str(device.number), device.delta(bits, shared), len(device.labels))
    down = server.finish()
    for device in devices:
        device.session.end_round(down)
    return down


def accuracy(session: Session) -> float:
    """Return the share of all digits that a session recognizes."""
    x, labels = digits.samples()
    rows = len(labels) // BATCH * BATCH
    scores = [np.array(session.infer(x[at : at + BATCH])[0]).reshape(BATCH, -1) for at in range(0, rows, BATCH)]
    return float(np.mean(np.concatenate(scores).argmax(1) == labels[:rows]))
