"""Checkpoints that the second implementation writes and reads are those of the product, and so are its refusals."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numeric.spec.checkpoint_file import HALF, PLAIN, error_of, load, sealed, state_size, written
from numeric.spec.execute import Machine
from numeric.spec.trained_models import BATCH, image

from gradmote import Session
from gradmote.errors import RuntimeFault
from support import digits

ENCODINGS = {"plain": PLAIN, "half": HALF}
#: Networks with a store, with running statistics, and with both moments.
IMAGES = {"store": ("mlp", "sgd", False, 12), "normalized": ("normalized", "adam", True, 0)}


def sessions(name: str) -> tuple[Session, Machine]:
    """Return both implementations with the same state, of numbers of every size."""
    data = image(*IMAGES[name])
    session, machine = Session(data, "strict"), Machine(data, "strict")
    drawn = np.random.default_rng(1)
    for entry in machine.image.state:
        if entry.role in (0, 1, 4):
            x = drawn.normal(size=entry.size // 4) * 2.0 ** drawn.integers(-140, 120)
            machine.arena[entry.offset : entry.offset + entry.size] = x.astype("<f4").view(np.uint8)
    special = np.array([np.nan, -np.nan, np.inf, -np.inf, -0.0, 1e-45, -1e-45, 3.4028235e38], "<f4")
    machine.arena[:32] = special.view(np.uint8)
    session.state()[:] = machine.state()
    return session, machine


def outcome(session: Session, data: bytes) -> str:
    """Load a checkpoint into the product, and return the name of its error, or OK."""
    try:
        session.load(data)
    except RuntimeFault as fault:
        return fault.name
    return "OK"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("name", IMAGES)
def test_both_write_the_same_file(name: str, encoding: str) -> None:
    session, machine = sessions(name)
    assert session.save(half=encoding == "half") == written(machine, ENCODINGS[encoding])


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("name", IMAGES)
def test_both_read_the_same_state(name: str, encoding: str) -> None:
    session, machine = sessions(name)
    data = written(machine, ENCODINGS[encoding])
    session.reset()
    assert load(machine, data) == outcome(session, data) == "OK"
    assert machine.state() == bytes(session.state())


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("name", IMAGES)
def test_changed_files(name: str, encoding: str) -> None:
    """Any word of the header and some of the rest, with and without the right CRC; a file cut short, or longer."""
    session, machine = sessions(name)
    whole, drawn, seen = written(machine, ENCODINGS[encoding]), random.Random(2), set()
    for turn in range(400):
        data = bytearray(whole)
        at = drawn.randrange(12) * 4 if turn % 4 else drawn.randrange(len(data) // 4) * 4
        word = int.from_bytes(data[at : at + 4], "little")
        changed = drawn.choice((word ^ 1 << drawn.randrange(32), word + 1, word - 4, 0, 1, 2))
        data[at : at + 4] = (changed & 0xFFFFFFFF).to_bytes(4, "little")
        given = sealed(bytes(data)) if drawn.random() < 0.8 else bytes(data)
        given = drawn.choice((given, given, given, given[: drawn.randrange(len(given))], given + bytes(8)))
        expected = outcome(session, given)
        assert load(machine, given) == expected, (turn, at, changed)
        assert machine.state() == bytes(session.state())
        seen.add(expected)
    assert seen == {"OK", "BAD_MAGIC", "BAD_VERSION", "TRUNCATED", "BAD_CRC", "WRONG_MODEL"}


def test_half_patterns() -> None:
    """Every half under scales from the first to the last, and beyond what a writer makes."""
    session, machine = sessions("store")
    data = written(machine, HALF)
    halves = np.arange(1 << 16, dtype=np.uint16)
    first = next(entry for entry in machine.image.state if entry.role == 0)
    start = len(data) - state_size(machine, HALF)
    for scale in (0, 1, 100, 125, 237, 255):
        for chunk in np.array_split(halves, -(-len(halves) // (first.size // 4))):
            changed = bytearray(data)
            changed[start] = scale
            changed[start + 4 : start + 4 + chunk.nbytes] = chunk.tobytes()
            assert load(machine, sealed(bytes(changed))) == outcome(session, sealed(bytes(changed))) == "OK"
            assert machine.state() == bytes(session.state())


def test_training_goes_on_from_a_checkpoint(profile: str) -> None:
    data = image("mlp", "adam")
    machine = Machine(data, profile)
    with Session(data, profile) as session:
        for number, (x, y) in enumerate(digits.batches(BATCH, 6)):
            if number == 3:
                file = session.save(half=True)
                assert (outcome(session, file), load(machine, file)) == ("OK", "OK")
            session.step(x, y)
            machine.write("INPUT", x)
            machine.write("LABEL", y)
            assert machine.run("STEP") == "OK"
        assert machine.digest() == session.state_sha256()


def test_a_checkpoint_of_another_model() -> None:
    _, machine = sessions("store")
    other = Machine(image("mlp", "adam"), "strict")
    assert error_of(machine, written(other, PLAIN)) == "WRONG_MODEL"
