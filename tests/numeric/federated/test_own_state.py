"""A device that is given its own part of a state in a checkpoint of the base goes on as one that kept all of it."""

from __future__ import annotations

import numpy as np
import pytest

from gradmote import Session, optimizers
from gradmote.errors import CheckpointError
from gradmote.federated import Server
from gradmote.formats.own_state import OwnState
from support import digits, federation


def trained(session: Session, seed: int) -> Session:
    """Make some steps."""
    x, labels = digits.samples()
    for rows in np.random.default_rng(seed).permutation(len(x))[: 10 * federation.BATCH].reshape(10, -1):
        session.step(x[rows], labels[rows])
    return session


@pytest.mark.parametrize(
    "optimizer", [optimizers.sgd(0.05), optimizers.sgd(0.05, momentum=0.9), optimizers.adamw(0.01)]
)
@pytest.mark.parametrize("shared", [None, ["*.weight"], ["2.bias", "0.*"]])
def test_a_device_goes_on_from_the_base_and_its_own_part(optimizer, shared) -> None:
    image = digits.image(optimizer, federation.BATCH)
    server, kept = Server(image), Session(image)
    for number in range(3):
        own = OwnState.of(server.checkpoint(), shared)
        server.add("kept", trained(kept, number).round_delta(4, number, shared), 40)
        other = Session(image)
        other.load(own.whole(own.part_of(kept.save())))
        other.begin_round(number)
        down = server.finish()
        assert kept.end_round(down) == other.end_round(down) == number + 1
        assert other.state_sha256() == kept.state_sha256()
    assert trained(other, 9).round_delta(4, 1, shared) == trained(kept, 9).round_delta(4, 1, shared)


def test_of_plain_sgd_only_counters_are_kept() -> None:
    image = federation.image()
    session = trained(Session(image), 0)
    own = OwnState.of(Server(image).checkpoint(), None)
    assert len(own.part_of(session.save())) < 200 < len(session.save())


def test_a_device_of_another_model_has_no_part() -> None:
    own = OwnState.of(Server(federation.image()).checkpoint(), None)
    other = Session(digits.image(optimizers.adamw(0.01), federation.BATCH)).save()
    renamed = bytearray(Session(federation.image()).save())
    renamed[16] ^= 1
    assert own.part_of(other) == own.part_of(bytes(renamed)) == b""


@pytest.mark.parametrize(
    "damage", [lambda file: b"", lambda file: file[:-1], lambda file: file[:60] + b"x" + file[61:]]
)
def test_what_is_no_checkpoint_is_refused(damage) -> None:
    with pytest.raises(CheckpointError):
        OwnState.of(damage(Server(federation.image()).checkpoint()), None)
