"""The runtime's store beside a model of it in plain Python: the same places, the same draws, balanced."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.store.models import BATCH, CLASSES, ELEMENTS, taught
from unit.store.reservoir import Reservoir

from gradmote import Session
from gradmote.compiler.sample_store import StoreOptions
from gradmote.formats.image import read_image
from support.sampling import at_most

FLOATS = st.floats(-100, 100, width=32) | st.sampled_from([0.0, -0.0, 1e-45, 3e38])
SAMPLES = st.lists(FLOATS, min_size=ELEMENTS, max_size=ELEMENTS).map(lambda x: np.array(x, np.float32))
ACTIONS = st.one_of(
    st.tuples(st.just("learn"), st.sampled_from([0, 0, 0, 1, 1, 2, 3]), SAMPLES),
    st.tuples(st.just("learn"), st.sampled_from([0, 0, 0, 1, 1, 2, 3]), SAMPLES),
    st.tuples(st.just("replay")),
    st.tuples(st.just("forget"), st.integers(0, CLASSES - 1)),
)


@cache
def image(capacity: int, dtype: str) -> bytes:
    return taught(StoreOptions(capacity, dtype)).image


def check_places(session: Session, record: dict, model: Reservoir) -> None:
    """Return every byte of the store in the state."""
    at = record["offset"]
    words = np.frombuffer(session.state(), "<u4")[at // 4 :]
    assert words[0] == model.draws
    classes = words[1 : 1 + 3 * CLASSES].reshape(CLASSES, 3)
    assert classes[:, 0].tolist() == model.seen
    assert classes[:, 2].tolist() == [int(c in model.full) for c in range(CLASSES)]
    labels = words[1 + 3 * CLASSES :][: model.capacity]
    assert labels.tolist() == [0 if place is None else place[0] + 1 for place in model.places]
    rest = bytes(session.state())[at + 4 * (1 + 3 * CLASSES + model.capacity) :]
    scales, samples = (b"", rest) if model.dtype == "f32" else (rest, rest[4 * model.capacity :])
    stride = 4 * ELEMENTS if model.dtype == "f32" else (ELEMENTS + 3) // 4 * 4
    for n, place in enumerate(model.places):
        if place is not None:
            assert scales[4 * n :][: len(place[1])] == place[1]
            assert samples[stride * n :][:stride] == place[2]


def check_draw(session: Session, model: Reservoir) -> None:
    mine = session.input_view(0).tobytes()[: 4 * ELEMENTS]
    session.begin_replay("step")
    rows = model.draw(BATCH)
    expected = np.array([model.values(row)[:ELEMENTS] for row in rows])
    np.testing.assert_array_equal(np.array(session.input_view(0)), expected)
    assert np.array(session.label_view(0)).tolist() == [model.places[r][0] for r in rows]  # type: ignore[index]
    session.abort()
    assert session.input_view(0).tobytes()[: 4 * ELEMENTS] == mine


@settings(max_examples=at_most(40), deadline=None)
@given(st.integers(CLASSES, 9), st.sampled_from(["int8", "f32"]), st.lists(ACTIONS, max_size=40), st.integers(0, 3))
def test_the_store_does_what_its_model_does(capacity, dtype, actions, seed):
    built = image(capacity, dtype)
    record = read_image(built).store
    with Session(built) as session:
        session.set_seed(seed)
        model = Reservoir(capacity, CLASSES, dtype, seed)
        for name, *arguments in actions:
            if name == "learn":
                session.learn(*arguments)
                model.learn(*arguments)
            elif name == "forget":
                session.forget(*arguments)
                model.forget(*arguments)
            elif model.of(*range(CLASSES)):
                check_draw(session, model)
        check_places(session, record, model)
        assert session.store()["kept"] == len(model.of(*range(CLASSES)))


@settings(max_examples=20, deadline=None)
@given(st.integers(CLASSES, 20), st.lists(st.integers(0, CLASSES - 1), min_size=60, max_size=120))
def test_classes_stay_balanced(capacity, labels):
    """A class that came often enough has its share, whatever came before it and however rare it is."""
    with Session(image(capacity, "int8")) as session:
        for label in labels:
            session.learn(label, np.ones(ELEMENTS, np.float32))
        kept = [session.store_class(label)["kept"] for label in range(CLASSES)]
    assert sum(kept) == capacity
    least = capacity // CLASSES
    assert all(k >= min(labels.count(label), least) for label, k in enumerate(kept))


@pytest.mark.parametrize("dtype, error", [("f32", 0), ("int8", 0.5 / 127)])
def test_what_is_replayed_is_what_was_learned(dtype, error):
    """int8: to half a step of the sample's own largest value."""
    x = np.random.default_rng(0).normal(0, 5, ELEMENTS).astype(np.float32)
    with Session(image(4, dtype)) as session:
        session.learn(2, x)
        session.begin_replay("step")
        replayed = np.array(session.input_view(0))
        session.abort()
    assert np.abs(replayed - x).max() <= error * np.abs(x).max() * (1 + 1e-6)
