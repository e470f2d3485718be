"""docs/SPEC.md says who writes what the state knows of a store's classes; nothing else does."""

from __future__ import annotations

import numpy as np
import pytest
from numeric.spec.read_image import Image
from numeric.spec.trained_models import image

from gradmote import Session
from support import digits

GARBAGE = 77


@pytest.fixture
def session() -> Session:
    """A session with five samples of 1 and two of 2 in its store, and wrong numbers of kept ones in its state."""
    opened = Session(image("mlp", "sgd", store=12), "strict")
    for label, (x, _) in zip((1, 1, 2, 1, 1, 2, 1), digits.batches(8, 7)):
        opened.set_input(0, x)
        opened.learn(label)
    assert kept(opened) == [0, 5, 2, 0, 0, 0, 0, 0, 0, 0]
    counts(opened)[:, 1] = GARBAGE
    return opened


def counts(session: Session) -> np.ndarray:
    """Return a view of the store_class records, (classes, 3)."""
    store = Image(image("mlp", "sgd", store=12)).store
    assert store is not None
    start = store.offset + 4
    return np.frombuffer(session.state(), np.uint32)[start // 4 :][: 3 * store.classes].reshape(-1, 3)


def kept(session: Session) -> list[int]:
    """Return the number of kept samples of each class, from the state."""
    return counts(session)[:, 1].tolist()


def test_learning_counts_all(session: Session) -> None:
    session.learn(2)
    assert kept(session) == [0, 5, 3, 0, 0, 0, 0, 0, 0, 0]


def test_replay_counts_all(session: Session) -> None:
    session.replay()
    assert kept(session) == [0, 5, 2, 0, 0, 0, 0, 0, 0, 0]


def test_forgetting_sets_its_class_to_zero(session: Session) -> None:
    session.forget(1)
    assert counts(session)[1].tolist() == [0, 0, 0]
    assert kept(session)[2:] == [GARBAGE] * 8


def test_looking_writes_nothing(session: Session) -> None:
    assert session.store_class(1)["kept"] == 5
    assert session.score(1)[0] == 5
    assert kept(session) == [GARBAGE] * 10
