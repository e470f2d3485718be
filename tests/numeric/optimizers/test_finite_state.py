"""OK means a finite state: networks, rules and forms of training, with weights, moments, data and rates of any size."""

from __future__ import annotations

import numpy as np
import pytest

from gradmote.errors import RuntimeFault
from gradmote.formats.image import read_image
from gradmote_runtime import Session
from support.finite_state import BATCH, NETWORKS, RULES, forged, image_of, is_finite, magnitudes, numbers, size_of
from support.sampling import draws

#: For each network, rule and form; many more each night.
DRAWS = draws("finite_draws")


def shake(session: Session, image: bytes, rng: np.random.Generator) -> None:
    """Sometimes other weights, moments and rates; moments often such as training makes."""
    if rng.random() < 0.5:
        for name, array in numbers(session.state(), image).items():
            if name != "rate" and rng.random() < 0.3:
                array[:] = np.abs(magnitudes(rng, array.size)) if "statistic" in name else magnitudes(rng, array.size)
    if rng.random() < 0.3:
        session.learning_rate = float(10 ** rng.uniform(-38, 38))


def untouched(session: Session, image: bytes) -> bytes:
    """Return the bytes that a refused micro-batch must not change: gradients, and the state except counters."""
    known = b"".join(array.tobytes() for array in numbers(session.state(), image).values())
    return known + b"".join(bytes(session.gradient(name)) for name in session.parameter_names())


def add_micro_batch(session: Session, image: bytes, *data: object) -> None:
    before = untouched(session, image) if session.control()["accumulated"] else b""
    if not attempt(session.train_step, *data) and before:
        assert untouched(session, image) == before


def attempt(call, *data: object) -> bool:
    try:
        call(*data)
    except RuntimeFault as fault:
        assert fault.name in ("NOT_FINITE", "NO_GRADIENTS")
        return False
    return True


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("network", NETWORKS)
def test_a_step_that_succeeds_leaves_a_finite_state(network, rule, accumulate):
    image = image_of(network, rule, accumulate)
    assert read_image(image).largest_rate > 0
    succeeded = 0
    for draw in range(DRAWS):
        rng = np.random.default_rng(draw)
        session = Session(image, ("fused", "strict")[draw % 2])
        for _ in range(3):
            shake(session, image, rng)
            data = magnitudes(rng, size_of(network)), np.arange(BATCH, dtype=np.int32)
            if accumulate:
                add_micro_batch(session, image, *data)
                with np.errstate(over="ignore"):
                    louder = data[0] * np.float32(rng.choice([1, 1, 1e12]))
                add_micro_batch(session, image, louder, data[1])
                succeeds = attempt(session.optimizer_step)
            else:
                succeeds = attempt(session.step, *data)
            succeeded += succeeds
            if succeeds:
                assert is_finite(session.state(), image), draw
    assert succeeded > DRAWS // 8


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("rule", RULES)
def test_a_step_from_a_forged_checkpoint_does_too(rule, accumulate):
    image = image_of("normalized", rule, accumulate)
    succeeded = 0
    with Session(image) as session:
        data = magnitudes(np.random.default_rng(5), 48) % 1, np.arange(BATCH, dtype=np.int32)
        for draw in range(4 * DRAWS):
            rng = np.random.default_rng(draw)
            session.reset()
            for _ in range(draw % 3):
                train(session, accumulate, *data)
            session.load(forged(session.save(), image, rng))
            if train(session, accumulate, *data):
                succeeded += 1
                assert is_finite(session.state(), image), draw
    assert DRAWS // 2 < succeeded < 4 * DRAWS


def train(session: Session, accumulate: bool, *data: object) -> bool:
    if not accumulate:
        return attempt(session.step, *data)
    return attempt(session.train_step, *data) and attempt(session.optimizer_step)
