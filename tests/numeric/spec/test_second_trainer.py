"""A second implementation, written from docs/SPEC.md and docs/NUMERICS.md, trains to the state of the first."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from numeric.spec.execute import Machine
from numeric.spec.trained_models import BATCH, RULES, image

from gradmote import Session
from support import digits

STEPS = 20


def batches(count: int = STEPS) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the first batches of digits."""
    return digits.batches(BATCH, count)


def feed(machine: Machine, x: np.ndarray, y: np.ndarray) -> None:
    """Write one batch."""
    machine.write("INPUT", x)
    machine.write("LABEL", y)


def digest(session: Session) -> str:
    """Return the SHA-256 of the product's state."""
    return hashlib.sha256(session.state()).hexdigest()


@pytest.mark.parametrize("optimizer", RULES)
@pytest.mark.parametrize("network", ["mlp", "dropout", "cnn"])
def test_twenty_steps(network: str, optimizer: str, profile: str) -> None:
    data = image(network, optimizer)
    machine = Machine(data, profile)
    with Session(data, profile) as session:
        for x, y in batches():
            loss = session.step(x, y)
            feed(machine, x, y)
            assert machine.run("STEP") == "OK"
            assert machine.loss("STEP") == np.float32(loss)
        assert machine.digest() == digest(session)
    assert machine.count("optimizer_steps") == STEPS


@pytest.mark.parametrize("network", ["mlp", "normalized"])
def test_accumulated_gradients_on_a_schedule(network: str, profile: str) -> None:
    """Gradients of three batches, a linear schedule, and in one network the running statistics of a normalization."""
    data = image(network, "adamw", accumulate=True)
    machine = Machine(data, profile)
    with Session(data, profile) as session:
        session.set_linear_schedule(0.02, 2, 6)
        machine.set_linear_schedule(0.02, 2, 6)
        for number, (x, y) in enumerate(batches(15), 1):
            session.train_step(x, y)
            feed(machine, x, y)
            assert machine.run("TRAIN") == "OK"
            if number % 3 == 0:
                session.optimizer_step()
                session.lazy_reset_grad()
                assert machine.run("OPTIMIZER") == "OK"
                machine.set("accumulated", 0)
            assert machine.digest() == digest(session)


def test_refused_steps(profile: str) -> None:
    """A step on NaN is skipped and counted; one on a label out of range is not counted; both leave the parameters."""
    data = image("mlp", "adam")
    machine, (x, y) = Machine(data, profile), batches(1)[0]
    with Session(data, profile) as session:
        for given, labels, error in ((x * np.nan, y, "NOT_FINITE"), (x, y + 10, "LABEL_OUT_OF_RANGE"), (x, y, "OK")):
            feed(machine, given.astype(np.float32), labels)
            assert machine.run("STEP") == error
            if error == "OK":
                session.step(x, y)
            else:
                with pytest.raises(Exception, match=error):
                    session.step(given.astype(np.float32), labels)
            assert machine.digest() == digest(session)
    assert machine.count("skipped_steps") == 1


@pytest.mark.parametrize("rate", [0.0, 1e9])
def test_a_rate_that_is_set(rate: float, profile: str) -> None:
    """One that is too large for the image's promise is refused before the first instruction."""
    data = image("mlp", "sgd")
    machine, (x, y) = Machine(data, profile), batches(1)[0]
    feed(machine, x, y)
    machine.set_learning_rate(rate)
    found = machine.run("STEP")
    with Session(data, profile) as session:
        session.learning_rate = rate
        if found == "OK":
            session.step(x, y)
        else:
            with pytest.raises(Exception, match="NOT_FINITE"):
                session.step(x, y)
        assert machine.digest() == digest(session)
    assert found == ("NOT_FINITE" if rate else "OK")


def test_an_update_that_is_refused(profile: str) -> None:
    """It drops the gradients and is counted; the next one has none to apply, and is not counted."""
    data = image("mlp", "sgd", accumulate=True)
    machine, (x, y) = Machine(data, profile), batches(1)[0]
    feed(machine, x, y)
    with Session(data, profile) as session:
        session.train_step(x, y)
        session.learning_rate = 1e9
        assert machine.run("TRAIN") == "OK"
        machine.set_learning_rate(1e9)
        for error in ("NOT_FINITE", "NO_GRADIENTS"):
            assert machine.run("OPTIMIZER") == error
            with pytest.raises(Exception, match=error):
                session.optimizer_step()
            assert machine.digest() == digest(session)
    assert (machine.count("accumulated"), machine.count("skipped_steps")) == (0, 1)


def test_a_seed_that_is_set(profile: str) -> None:
    """A new seed restarts the random numbers of dropout."""
    data = image("dropout", "sgd")
    machine = Machine(data, profile)
    with Session(data, profile) as session:
        for number, (x, y) in enumerate(batches(4)):
            if number == 2:
                session.set_seed(11)
                machine.set("seed", 11)
                machine.set("train_steps", 0)
            session.step(x, y)
            feed(machine, x, y)
            assert machine.run("STEP") == "OK"
        assert machine.digest() == digest(session)
