"""A simulation, in which one twin plays all devices, comes to the base of as many twins in a plain loop."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from gradmote import Session
from gradmote.data.dataset import Dataset
from gradmote.errors import DataError
from gradmote.federated import Server
from gradmote.federated.partition import drawn_alike, drawn_unlike
from gradmote.federated.simulate import Settings, Simulation
from support import digits, federation

TRAINED = 1400


def data() -> Dataset:
    """Return the digits, the last ones for testing."""
    x, labels = digits.samples()
    return Dataset(x[:TRAINED], labels[:TRAINED], x[TRAINED:], labels[TRAINED:])


def simulation(devices: int, settings: Settings, alpha: float | None = None) -> Simulation:
    """Return a federation that has not begun."""
    image, samples = federation.image(), data()
    parts = drawn_alike(TRAINED, devices, None, 0)
    if alpha is not None:
        parts = drawn_unlike(samples.y, devices, None, alpha, 0)
    return Simulation(Server(image), image, samples, parts, settings)


def drawn(purpose: str, seed: int, number: int, device: str) -> int:
    """Return the seed of a device in a round: the first 16 bytes of a SHA-256."""
    text = f"{purpose}\n{seed}\n{number}\n{device}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "little")


def plain_loop(parts: dict[str, np.ndarray], rounds: int, settings: Settings, profile: str) -> bytes:
    """Return the base after some rounds, with a twin for each device."""
    server, samples = Server(federation.image()), data()
    twins = {device: Session(federation.image(), profile) for device in parts}
    for number in range(rounds):
        for device, twin in twins.items():
            for epoch in range(1, settings.epochs + 1):
                own = parts[device]
                seed = drawn("order", settings.seed, number, device)
                rows = own[np.random.default_rng((seed, epoch)).permutation(len(own))]
                for at in range(0, len(rows) - federation.BATCH + 1, federation.BATCH):
                    chosen = rows[at : at + federation.BATCH]
                    twin.step(samples.x[chosen], samples.y[chosen])
            seed = drawn("rounding", settings.seed, number, device) % 2**32
            server.add(device, twin.round_delta(settings.bits, seed), len(parts[device]))
        down = server.finish()
        for twin in twins.values():
            twin.end_round(down)
    return server.base


def test_one_twin_plays_all_devices():
    settings = Settings(epochs=2, bits=2, seed=5)
    played = simulation(6, settings, alpha=0.5)
    list(played.run(3))
    assert plain_loop(played.parts, 3, settings, "fused") == played.server.base


def test_it_learns_and_counts_bytes():
    played = simulation(10, Settings())
    rounds = list(played.run(12))
    assert [done.round for done in rounds] == list(range(1, 13))
    assert rounds[-1].test.accuracy > 0.8 > rounds[0].test.accuracy
    assert rounds[-1].loss < rounds[0].loss
    up = len(Session(federation.image()).round_delta(4))
    assert {done.bytes_up for done in rounds} == {10 * up}
    assert rounds[0].bytes_down == 0
    assert rounds[1].bytes_down == 10 * len(Session(federation.image()).round_delta(8))


def test_devices_that_missed_a_round_get_the_checkpoint():
    played = simulation(40, Settings(taking_part=3))
    first, second = played.run(2)
    checkpoint, delta = len(played.server.checkpoint()), len(Session(federation.image()).round_delta(8))
    assert (first.devices, first.bytes_down) == (3, 0)
    assert second.bytes_down in {n * delta + (3 - n) * checkpoint for n in range(4)}
    assert second.bytes_down > delta * 3


def test_attackers_count_as_what_they_are():
    """NaN and numbers that no delta can hold are refused; the opposite of an update is sent, and changes the base."""
    for attack in ("nan", "huge"):
        (done,) = simulation(5, Settings(attackers=2, attack=attack)).run(1)
        assert (done.devices, done.refused) == (3, 2)
    honest, attacked = simulation(5, Settings()), simulation(5, Settings(attackers=2))
    for played in (honest, attacked):
        played.server.refuse_above = None
        (done,) = played.run(1)
        assert (done.devices, done.refused) == (5, 0)
    assert honest.server.base != attacked.server.base


def test_what_the_server_leaves_out_counts_as_refused():
    played = simulation(5, Settings(attackers=1))
    (done,) = played.run(1)
    assert (done.devices, done.refused, played.server.left_out) == (4, 1, ["1"])
    assert done.bytes_up == 5 * len(Session(federation.image()).round_delta(4))


@pytest.mark.parametrize(
    ("devices", "settings", "problem"),
    [
        (1400, Settings(), "1400 of 1400 devices have fewer samples than a batch of 4"),
        (5, Settings(taking_part=6), "6 devices cannot take part: there are 5"),
        (5, Settings(attackers=6), "6 devices cannot attack: there are 5"),
    ],
)
def test_what_cannot_work_is_refused_at_once(devices, settings, problem):
    with pytest.raises(DataError, match=problem):
        simulation(devices, settings)
