"""A checkpoint with other parameters: a session that loads it has them, and all else as it was."""

from __future__ import annotations

import numpy as np
import pytest
from numeric.spec.trained_models import quantized

from gradmote import Session, optimizers
from gradmote.errors import CheckpointError, DataError
from gradmote.formats.checkpoint import as_half
from gradmote.formats.parameters import with_parameters
from support import digits

BATCH = 4


def trained() -> Session:
    """Return a session with moments, counters and a property."""
    session = Session(digits.image(optimizers.adamw(0.01), BATCH))
    x, labels = digits.samples()
    for at in range(0, 12, BATCH):
        session.step(x[at : at + BATCH], labels[at : at + BATCH])
    session.set_property("epoch", 3)
    return session


def others(session: Session) -> dict[str, np.ndarray]:
    drawn = np.random.default_rng(0)
    names = session.parameter_names()
    return {name: drawn.normal(size=np.shape(session.parameter(name))).astype(np.float32) for name in reversed(names)}


@pytest.mark.parametrize("encoding", [bytes, as_half])
def test_parameters_change_and_nothing_else(encoding):
    session = trained()
    given, before = others(session), encoding(session.save())
    other = Session(digits.image(optimizers.adamw(0.01), BATCH))
    other.load(with_parameters(before, given))
    for name, values in given.items():
        assert np.array(other.parameter(name)).tobytes() == values.tobytes()
    session.load(before)  # with the precision of the encoding
    session.set_parameters(np.concatenate([given[name].ravel() for name in session.parameter_names()]))
    assert other.state_sha256() == session.state_sha256()
    assert other.get_property("epoch") == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda given: given.pop("2.bias"), "no array for the parameter '2.bias'"),
        (lambda given: given.update(more=np.zeros(1, np.float32)), "no parameter 'more'"),
        (lambda given: given.update({"2.bias": given["2.bias"][None]}), "'2.bias' has the shape"),
        (lambda given: given.update({"2.bias": given["2.bias"].astype(np.float64)}), "not finite float32"),
        (lambda given: given.update({"2.bias": given["2.bias"] / np.float32(0)}), "not finite float32"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_does_not_fit_is_refused(change, said):
    session = trained()
    given = others(session)
    change(given)
    with pytest.raises(DataError, match=said):
        with_parameters(session.save(), given)


def test_integers_are_refused():
    session = Session(quantized())
    given = {name: np.array(session.parameter(name)) for name in session.parameter_names()}
    with pytest.raises(DataError, match="has integers"):
        with_parameters(session.save(), given)


def test_damaged_bytes_are_refused():
    session = trained()
    with pytest.raises(CheckpointError):
        with_parameters(session.save()[:-1], others(session))
