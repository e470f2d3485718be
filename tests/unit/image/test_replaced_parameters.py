"""A checkpoint with other parameters: a session that loads it has them, and all else as it was."""

from __future__ import annotations

import numpy as np
import pytest
from numeric.spec.trained_models import quantized

from gradmote import Session, optimizers
from gradmote.errors import CheckpointError, DataError
from gradmote.formats.checkpoint import as_half, unpack
from gradmote.formats.parameters import with_parameters, with_tensors
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


@pytest.mark.parametrize("encoding", [bytes, as_half])
def test_any_tensors_and_counters_change_and_nothing_else(encoding):
    """Drawn subsets of other tensors, with a counter; a session that loads all of them saves the same again."""
    session, given = trained(), unpack(trained().save())
    before, random = encoding(session.save()), np.random.default_rng(0)
    given.tensors = {name: random.permuted(array) for name, array in given.tensors.items()}
    kept = unpack(before)
    for _ in range(20):
        chosen = {name for name in given.tensors if random.random() < 0.5}
        found = unpack(with_tensors(before, {name: given.tensors[name] for name in chosen}, {"optimizer_steps": 9}))
        assert found.control == {**kept.control, "optimizer_steps": 9} and found.properties == kept.properties
        for name, array in found.tensors.items():
            assert np.array_equal(array, (given if name in chosen else kept).tensors[name])
    changed = with_tensors(before, given.tensors, {"learning_rate": 0.5, "train_steps": 7})
    session.load(changed)
    assert session.save() == changed


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("more", np.zeros(1, np.float32), "the checkpoint has no 'more' - it has 0.weight"),
        ("2.bias", np.zeros((1, 10), np.float32), r"'2.bias' is float32 of shape \(1, 10\)"),
        ("2.bias_moment1", np.zeros(10, np.int8), r"'2.bias_moment1' is int8 of shape \(10,\)"),
    ],
)
def test_a_tensor_that_does_not_fit_is_refused(name, values, said):
    with pytest.raises(DataError, match=said):
        with_tensors(trained().save(), {name: values}, {})
