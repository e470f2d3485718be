"""Malformed notes in an artifact's metadata are refused by a message, not by a traceback."""

from __future__ import annotations

import json
from contextlib import suppress

import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradmote import Session, losses, optimizers
from gradmote.artifacts import build_artifacts, load_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import GradmoteError, ModelError
from gradmote.ir.metadata import LOSS_SCALE
from support import digits
from support.sampling import at_most

MADE = digits.artifacts(optimizers.sgd(0.1))
TRAINING, EVALUATION, OPTIMIZER = MADE.training, MADE.evaluation, MADE.optimizer
assert TRAINING is not None and EVALUATION is not None and OPTIMIZER is not None
WRITTEN = {p.key for model in (TRAINING, EVALUATION, OPTIMIZER) for p in model.metadata_props}
#: All notes on a model, those too that these artifacts do without.
KEYS = sorted(WRITTEN | {LOSS_SCALE.key})


def changed(model: onnx.ModelProto, key: str, text: str) -> onnx.ModelProto:
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for prop in copy.metadata_props:
        if prop.key == key:
            prop.value = text
    if key not in WRITTEN:
        copy.metadata_props.add(key=key, value=text)
    return copy


def compiled(key: str, text: str) -> bytes:
    models = [changed(model, key, text) for model in (TRAINING, EVALUATION, OPTIMIZER)]
    made = load_artifacts(models[0], MADE.parameters, models[1], models[2])
    return compile_image(made, Options(batch=2)).image


@pytest.mark.parametrize("key", ["parameters", "labels", "statistics", "frozen", "learning_rate", "optimizer"])
@pytest.mark.parametrize("text", ["{", '["nobody"]', "[3]", "7.x"])
def test_the_model_is_refused(key: str, text: str) -> None:
    with pytest.raises(ModelError):
        compiled(f"gradmote.{key}", text)


@pytest.mark.parametrize("key", ["learning_rate", "loss_scale"])
@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "-1", "1e39", "1e300", "-1e-46"])
def test_numbers_out_of_range_are_refused(key: str, text: str) -> None:
    with pytest.raises(ModelError):
        compiled(f"gradmote.{key}", text)


@pytest.mark.parametrize("text", ["0", "3", "1e-46", "1023.9999"])
def test_loss_scales_that_are_no_power_of_two_are_refused(text: str) -> None:
    with pytest.raises(ModelError):
        compiled("gradmote.loss_scale", text)


@given(st.floats(width=64).map(repr))
@settings(max_examples=at_most(60), deadline=None)
def test_a_number_is_refused_or_opens(text: str) -> None:
    with suppress(GradmoteError), Session(compiled("gradmote.learning_rate", text)) as session:
        assert 0 <= session.learning_rate < float("inf")


@pytest.mark.parametrize("key", ["parameters", "statistics", "labels"])
def test_deep_lists_are_refused(key: str) -> None:
    with pytest.raises(ModelError):
        compiled(f"gradmote.{key}", "[" * 100_000)


TEXTS = st.text(max_size=8) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4), st.lists, max_leaves=4
).map(json.dumps)


@settings(max_examples=at_most(40), deadline=None)
@given(st.sampled_from(KEYS), TEXTS)
def test_no_text_ends_in_a_traceback(key: str, text: str) -> None:
    with suppress(GradmoteError):
        compiled(key, text)


def test_notes_of_another_compilation_do_not_count() -> None:
    model = digits.model()
    for key, value in (("shared_weights", "[]"), ("batch_norm", "fold"), ("weights", '["nobody"]')):
        model.graph.metadata_props.add(key=f"gradmote.{key}", value=value)
    made = build_artifacts(model, loss=losses.cross_entropy())
    assert (made.batch_norm(), made.shared_weights()) == (None, {})
