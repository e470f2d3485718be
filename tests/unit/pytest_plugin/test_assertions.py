"""The conditions that the assertions check, and their messages; they need no pytest."""

from __future__ import annotations

import numpy as np
import pytest

from gradmote.device import TwinTarget
from gradmote.device.dataset import Dataset
from gradmote.device.types import Memory
from gradmote.errors import DeviceError
from gradmote.testing import (
    assert_accuracy,
    assert_fits,
    assert_learns,
    assert_loss,
    assert_memory,
    assert_outputs,
    assert_same_state,
)
from support.classifier_image import ARENA_SIZE, CLASSES, FEATURES, LABELS, PIXELS, WEIGHTS

from .conftest import samples


@pytest.fixture
def data() -> Dataset:
    return Dataset(*samples(61, seed=0), *samples(31, seed=1))


@pytest.fixture
def twin(image):
    with TwinTarget("strict") as target:
        target.load_image(image)
        yield target


def failure(call, *arguments, **options) -> str:
    """Return the message of the assertion, which must fail."""
    with pytest.raises(AssertionError) as raised:
        call(*arguments, **options)
    return str(raised.value)


# ---- Memory


def test_a_model_fits(image) -> None:
    report = assert_fits(image, ram="1K", flash=len(image), ms_per_step=1)
    assert report.arena == ARENA_SIZE
    assert_fits(image, ram=ARENA_SIZE)
    assert_fits(image, board="mps2-an386")


def test_one_byte_less_does_not_do_and_the_regions_are_told(image) -> None:
    said = failure(assert_fits, image, ram=ARENA_SIZE - 1)
    assert said.startswith(f"the model does not fit: {ARENA_SIZE} B of RAM of {ARENA_SIZE - 1}\n")
    assert "parameters 48, control 48, properties 64, gradients 48, inputs 32, scratch 148" in said
    assert f"arena {ARENA_SIZE} B with batch 2" in said
    assert "Peak of train" in said and "are unavoidable" in said


def test_every_limit_is_told(image, tmp_path) -> None:
    (tmp_path / "model.mote").write_bytes(image)
    said = failure(assert_fits, tmp_path / "model.mote", ram="0.25K", flash=1000, ms_per_step=1e-6)
    assert f"model.mote does not fit: {ARENA_SIZE} B of RAM of 256, {len(image):,} B of flash of 1,000, " in said
    assert "ms of 1e-06" in said.splitlines()[0]


def test_with_a_board_the_limits_hold_its_firmware_too(image) -> None:
    assert "does not fit mps2-an386: 388 B of RAM of 0" in failure(assert_fits, image, ram="1K", board="mps2-an386")


def test_a_limit_is_needed(image) -> None:
    with pytest.raises(TypeError, match="say what the model must fit"):
        assert_fits(image)


def test_what_a_twin_reports(twin, image) -> None:
    assert assert_memory(twin, arena_at_most=ARENA_SIZE) == {"arena": ARENA_SIZE, "image": len(image)}
    said = failure(assert_memory, twin, arena_at_most=100, image_at_most="1M")
    all_of_it = f"all of it: arena 388, image {len(image):,}"
    assert said == f"twin (strict) takes more than it may: arena 388 B of 100\n  {all_of_it}"


def test_a_twin_has_no_stack(twin) -> None:
    with pytest.raises(DeviceError, match="has no stack and no ram to measure"):
        assert_memory(twin, stack_at_most=100, ram_at_most="1K")


def test_a_board_has_one(twin, monkeypatch) -> None:
    monkeypatch.setattr(twin, "mem", lambda: Memory(128_000, 1_000, 8_000, 600, 119_000, ARENA_SIZE, 80_000, 1_300))
    assert assert_memory(twin, ram_at_most=9_388)["stack"] == 600
    assert "stack 600 B of 599, ram 9,388 B of 9,387" in failure(
        assert_memory, twin, stack_at_most=599, ram_at_most=9_387
    )


# ---- Learning


def test_accuracy_is_that_of_the_held_out_samples(twin, data) -> None:
    scores = data.x_test @ np.reshape(np.array(WEIGHTS, np.float32), (FEATURES, CLASSES))
    right = np.mean(scores.argmax(axis=1) == data.y_test)
    assert assert_accuracy(twin, data, right).accuracy == right
    said = failure(assert_accuracy, twin, data, 0.99)
    assert said.startswith(f"accuracy {right:.2%} is below 99.00% over 31 held-out samples on twin (strict), loss ")


def test_samples_may_be_a_pair(twin, data) -> None:
    said = failure(assert_accuracy, twin, (data.x, data.y), 1.0)
    assert "over 61 samples on twin (strict)" in said


def test_loss(twin, data) -> None:
    found = assert_loss(twin, data, 100.0)
    assert found.loss == assert_loss(twin, data, found.loss).loss
    said = failure(assert_loss, twin, data, 0.001)
    assert said.startswith(f"loss {found.loss:.6g} is above 0.001 over 31") and "accuracy" in said


def test_it_learns(twin, data) -> None:
    twin.set_learning_rate(0.1)
    trained = assert_learns(twin, data, epochs=5, to_accuracy=0.9, to_loss=0.3)
    assert len(trained.epochs) == 5 and trained.epochs[-1].test is None
    assert_accuracy(twin, data, 0.9)


def test_what_does_not_learn_is_told_before_and_after(twin, data) -> None:
    twin.set_learning_rate(0.0)
    said = failure(assert_learns, twin, data, epochs=2)
    first, before, after, losses = said.splitlines()
    assert first == "training (epochs: 2) did not bring a lower loss over 31 held-out samples on twin (strict)"
    assert before.replace("before: ", "") == after.replace("after:  ", "") and "accuracy" in before
    assert len(losses.split(": ")[1].split()) == 2


def test_what_was_to_be_reached_is_told(twin, data) -> None:
    said = failure(assert_learns, twin, data, to_accuracy=1.01, to_loss=0)
    assert said.startswith("training (epochs: 1) did not bring an accuracy of 101.00% and a loss of 0 over")


def test_outputs(twin) -> None:
    x = np.array(PIXELS, np.float32).reshape(2, 3)
    expected = x @ np.reshape(np.array(WEIGHTS, np.float32), (FEATURES, CLASSES))
    assert_outputs(twin, x, expected)
    expected[1, 2] += 0.5
    said = failure(assert_outputs, twin, x, expected)
    assert said.startswith("1 of 8 outputs of twin (strict) differ by more than 1e-06 + 1e-05 |expected|")
    assert "most at [1, 2]: " in said
    expected[0, 0] = np.nan
    assert "2 of 8 outputs" in failure(assert_outputs, twin, x, expected)
    assert "shape (2, 4), expected (2, 3)" in failure(assert_outputs, twin, x, x)


# ---- Bits


@pytest.fixture
def other(image):
    with TwinTarget("strict") as target:
        target.load_image(image)
        yield target


def step(target) -> None:
    target.write("input", 0, np.array(PIXELS, np.float32))
    target.write("label", 0, np.array(LABELS, np.int32))
    target.run("step")


def test_equal_states(twin, other) -> None:
    for target in (twin, other):
        step(target)
    assert_same_state(twin, other)


def test_other_states_are_told_by_name(twin, other) -> None:
    step(twin)
    other.session.set_property("boots", 3)
    said = failure(assert_same_state, twin, other)
    assert said.startswith("twin (strict) and twin (strict) hold different states\n  w: 12 of 12 values differ, the")
    assert "train_steps 1 and 0" in said and "properties: boots None and 3" in said


def test_one_bit_is_found(twin, other) -> None:
    weights = np.array(WEIGHTS, np.float32)
    weights[6] = np.float32(-0.0)  # equal, but not the same
    other.session.set_parameters(weights)
    assert "w: 1 of 12 values differ, the first at [1, 2]: 0 and -0" in failure(assert_same_state, twin, other)


def test_other_models_are_told(twin, other, monkeypatch) -> None:
    info = other.info()
    monkeypatch.setattr(other, "info", lambda: info.__class__(**{**info.__dict__, "model_id": bytes(16)}))
    assert "hold different models: " in failure(assert_same_state, twin, other)


def test_other_numerics_are_told(twin, other, monkeypatch) -> None:
    step(twin)
    info = other.info()
    monkeypatch.setattr(other, "info", lambda: info.__class__(**{**info.__dict__, "profile": "fused"}))
    assert "their numerics are strict and fused" in failure(assert_same_state, twin, other)
