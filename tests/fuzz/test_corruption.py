"""A thousand flipped bits and a thousand corrupt stretches of a real image and of its checkpoint: each is detected."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest
from fuzz import seeds

from gradmote.errors import RuntimeFault
from gradmote_runtime import Session

SEED = 20
TIMES = 1000


def flipped_bit(data: bytes, draw: random.Random) -> bytes:
    at, bit = draw.randrange(len(data)), draw.randrange(8)
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


def damaged_bytes(data: bytes, draw: random.Random) -> bytes:
    """2 to 64 neighbouring bytes, some of them others than before."""
    size = draw.randint(2, 64)
    at = draw.randrange(len(data) - size)
    noise = draw.randbytes(size)
    return flipped_bit(data, draw) if noise == data[at : at + size] else data[:at] + noise + data[at + size :]


def refusals(attempt: Callable[[bytes], object], data: bytes, damage: Callable[..., bytes]) -> Counter[str]:
    """How often each error was the answer; what was accepted counts as such."""
    draw, answers = random.Random(SEED), Counter[str]()
    for _ in range(TIMES):
        try:
            attempt(damage(data, draw))
            answers["accepted"] += 1
        except RuntimeFault as fault:
            answers[fault.name] += 1
    print(f"seed {SEED}, {damage.__name__}: {dict(answers)}")
    return answers


@pytest.mark.parametrize("name", ["conv", "quantized"])
@pytest.mark.parametrize("damage", [flipped_bit, damaged_bytes])
def test_damaged_images_are_detected(damage, name):
    image = seeds.image_of(name, accumulate=True)
    answers = refusals(lambda data: Session(data, "strict"), image, damage)
    assert "accepted" not in answers and answers.total() == TIMES


@pytest.mark.parametrize("half", [False, True], ids=["plain", "half"])
@pytest.mark.parametrize("name", ["conv", "quantized"])
@pytest.mark.parametrize("damage", [flipped_bit, damaged_bytes])
def test_damaged_checkpoints_are_detected_and_change_nothing(damage, name, half):
    image = seeds.image_of(name, accumulate=True)
    good = seeds.checkpoint_of(image, half)
    with Session(image, "strict") as session:
        before = session.state_sha256()
        answers = refusals(session.load, good, damage)
        assert "accepted" not in answers and answers.total() == TIMES
        assert session.state_sha256() == before
        session.load(good)
        assert session.state_sha256() != before
