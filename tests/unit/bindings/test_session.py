"""Session on a small classifier, in both profiles, against the mathematics written out in numpy."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from gradmote import Session
from gradmote.errors import DataError, GradmoteError, RuntimeFault
from support import classifier_image as model
from support.classifier_image import LABELS, PIXELS

X = np.array(PIXELS, np.float64).reshape(model.BATCH, model.FEATURES)
W = np.array(model.WEIGHTS, np.float64).reshape(model.FEATURES, model.CLASSES)


def expected_loss_and_gradient(w: np.ndarray, x: np.ndarray = X) -> tuple[float, np.ndarray]:
    """Mean cross-entropy and its gradient by w, in float64."""
    logits = x @ w
    probability = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    onehot = np.eye(model.CLASSES)[list(LABELS)]
    return float(-np.log((probability * onehot).sum(axis=1)).mean()), x.T @ (probability - onehot) / len(x)


# ---- Opening -------------------------------------------------------------------------------------------------


def test_required_is_what_a_session_says(image: bytes, session: Session) -> None:
    expected = {
        "arena_size": model.ARENA_SIZE,
        "state_size": model.STATE_SIZE,
        "parameters_size": 48,
        "gradients_size": 48,
        "batch": 2,
        "programs": ["infer", "eval", "train", "optimizer", "step"],
    }
    assert Session.required(image) == expected
    assert session.requirements() == expected


@pytest.mark.parametrize("shift", range(4))
@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_image_may_lie_anywhere(image: bytes, kind: type, shift: int) -> None:
    data = memoryview(bytes(shift) + image)[shift:]
    with Session(kind(data), "strict") as session:
        assert session.parameter_names() == ["w"]


def test_later_changes_of_the_callers_buffer_do_no_harm(image: bytes) -> None:
    mutable = bytearray(image)
    session = Session(mutable, "strict")
    mutable[:] = b"\xff" * len(mutable)
    session.set_input(0, PIXELS)
    session.reset()
    assert session.parameter(0).tolist() == W.tolist()


@pytest.mark.parametrize(
    ("damage", "name"),
    [
        (lambda image: b"", "TRUNCATED"),
        (lambda image: b"hello" * 40, "BAD_MAGIC"),
        (lambda image: image[:-1], "TRUNCATED"),
        (lambda image: image[:-40] + b"\1" + image[-39:], "BAD_CRC"),
    ],
    ids=["empty", "other file", "cut", "flipped"],
)
def test_a_damaged_image_is_refused(image: bytes, damage: object, name: str) -> None:
    with pytest.raises(RuntimeFault) as fault:
        Session(damage(image), "strict")  # type: ignore[operator]
    assert fault.value.name == name and " - " in str(fault.value)


def test_image_must_be_a_buffer() -> None:
    with pytest.raises(DataError, match="the image takes an object with the buffer protocol, not str"):
        Session("model.mote")


def test_closed_session_refuses(image: bytes) -> None:
    session = Session(image, "strict")
    view = session.parameter("w")
    session.close()
    session.close()
    with pytest.raises(GradmoteError, match="the session is closed - open another one"):
        session.step(PIXELS, LABELS)
    assert view.tolist() == W.tolist()


def test_views_outlive_their_session(image: bytes) -> None:
    view = Session(image, "strict").parameters()
    gc.collect()
    assert view.tolist() == model.WEIGHTS


# ---- Descriptions --------------------------------------------------------------------------------------------


def test_descriptions(session: Session) -> None:
    everywhere = ["infer", "eval", "train", "step"]
    x = {"name": "x", "dtype": "float32", "shape": (2, 3), "size": 24, "programs": everywhere}
    labels = {"name": "labels", "dtype": "int32", "shape": (2,), "size": 8, "programs": everywhere[1:]}
    assert session.inputs() == [{**x, "lasts": True, "rows_in": everywhere}]
    assert session.labels() == [{**labels, "lasts": True, "rows_in": everywhere[1:]}]
    assert [output["name"] for output in session.outputs()] == ["logits"]
    assert session.outputs("train") == []
    with pytest.raises(GradmoteError, match="there is no program 'training' - use one of infer, eval"):
        session.outputs("training")


# ---- Running -------------------------------------------------------------------------------------------------


def test_infer(session: Session) -> None:
    (logits,) = session.infer(PIXELS)
    assert logits.shape == (2, 4)
    np.testing.assert_allclose(logits, X @ W, rtol=1e-6)
    assert session.output(0).tolist() == logits.tolist()


def test_poison_is_all_of_the_scratch_and_nothing_else(session: Session) -> None:
    state = session.state_sha256()
    session.poison()
    assert np.isnan(session.output(0)).all()
    np.testing.assert_array_equal(session.input_view(0), X)
    np.testing.assert_array_equal(session.label_view(0), LABELS)
    assert session.state_sha256() == state


def test_inputs_written_once_serve_every_program(session: Session) -> None:
    for program in ("step", "train", "optimizer", "eval", "infer"):
        session.run_program(program)
    np.testing.assert_array_equal(session.input_view(0), X)
    np.testing.assert_array_equal(session.label_view(0), LABELS)


def test_eval_leaves_the_state_alone(session: Session) -> None:
    before = session.state_sha256()
    assert session.eval_step(PIXELS, LABELS) == pytest.approx(expected_loss_and_gradient(W)[0], rel=1e-6)
    assert session.state_sha256() == before


def test_train_accumulates_and_optimizer_applies_the_mean(session: Session) -> None:
    other = (X + 1).astype(np.float32)
    session.train_step(PIXELS, LABELS)
    session.train_step(other, LABELS)
    gradients = [expected_loss_and_gradient(W, x)[1] for x in (X, X + 1)]
    np.testing.assert_allclose(session.gradient("w"), sum(gradients), rtol=1e-5, atol=1e-6)
    session.optimizer_step()
    np.testing.assert_allclose(session.parameter("w"), W - model.LEARNING_RATE * sum(gradients) / 2, rtol=1e-5)


def test_lazy_reset_grad_starts_from_zero(session: Session) -> None:
    session.train_step(PIXELS, LABELS)
    session.lazy_reset_grad()
    session.train_step(PIXELS, LABELS)
    np.testing.assert_allclose(session.gradient(0), expected_loss_and_gradient(W)[1], rtol=1e-5, atol=1e-6)


def test_step_is_train_and_optimizer(session: Session, image: bytes, profile: str) -> None:
    loss = session.step(PIXELS, LABELS)
    with Session(image, profile) as other:
        assert other.train_step(PIXELS, LABELS) == loss
        other.optimizer_step()
        assert other.parameters().tobytes() == session.parameters().tobytes()


def test_step_follows_the_mathematics(session: Session) -> None:
    w = W.copy()
    for _ in range(20):
        loss, gradient = expected_loss_and_gradient(w)
        assert session.step() == pytest.approx(loss, rel=1e-4)
        session.set_input(0, PIXELS)
        session.set_label(0, LABELS)
        w -= model.LEARNING_RATE * gradient
    np.testing.assert_allclose(session.parameter("w"), w, rtol=1e-4, atol=1e-5)


def test_slices_equal_a_whole_step(session: Session, image: bytes, profile: str) -> None:
    session.begin("step")
    slices = 1
    while not session.run(1):
        slices += 1
    with Session(image, profile) as other:
        assert other.step(PIXELS, LABELS) == session.loss("step")
        assert other.state_sha256() == session.state_sha256()
        assert slices >= other.instructions == session.instructions == 5


def test_a_running_program_keeps_others_out(session: Session) -> None:
    before = session.state_sha256()
    session.begin("eval")
    assert session.run(1) is False
    with pytest.raises(RuntimeFault) as fault:
        session.set_parameters(session.parameters())
    assert fault.value.name == "BUSY"
    session.abort()
    assert session.state_sha256() == before
    assert session.eval_step(PIXELS, LABELS) > 0


def test_run_program(session: Session) -> None:
    assert session.run_program("infer") is None
    session.set_input(0, PIXELS)
    loss = session.run_program("train")
    assert loss == pytest.approx(expected_loss_and_gradient(W)[0], rel=1e-6)
    assert session.run_program("optimizer") is None
    assert session.control()["optimizer_steps"] == 1


def test_optimizer_without_gradients_is_refused(session: Session) -> None:
    with pytest.raises(RuntimeFault, match=r"optimizer_step: .*GM_ERR_NO_GRADIENTS.* - call gm_train_step"):
        session.optimizer_step()


@pytest.mark.parametrize("label", [4, -1])
@pytest.mark.parametrize("method", ["eval_step", "train_step", "step"])
def test_label_out_of_range_changes_nothing(session: Session, method: str, label: int) -> None:
    before = session.parameters().tobytes()
    with pytest.raises(RuntimeFault) as fault:
        getattr(session, method)(PIXELS, np.array([0, label]))
    assert fault.value.name == "LABEL_OUT_OF_RANGE"
    assert session.parameters().tobytes() == before


# ---- Learning rate, seed -------------------------------------------------------------------------------------


def test_learning_rate(session: Session) -> None:
    assert session.learning_rate == model.LEARNING_RATE
    session.learning_rate = 0.0
    session.step(PIXELS, LABELS)
    assert session.parameter("w").tolist() == W.tolist()
    for refused in (-1.0, float("nan"), float("inf")):
        with pytest.raises(RuntimeFault):
            session.learning_rate = refused
    assert session.learning_rate == 0.0


def test_linear_schedule(session: Session) -> None:
    session.set_linear_schedule(1.0, 2, 6)
    rates = []
    for _ in range(7):
        rates.append(session.learning_rate)
        session.step(PIXELS, LABELS)
    assert rates == pytest.approx([0, 0.5, 1, 0.75, 0.5, 0.25, 0])
    assert session.control()["schedule"] == "linear" and session.control()["total_steps"] == 6


def test_control_has_every_field(session: Session) -> None:
    from gradmote.generated.records import RECORDS

    session.set_seed(2**32 - 1)
    assert set(session.control()) == {name for name, _, _ in RECORDS["control"]} - {"reserved"}
    assert session.control()["seed"] == 2**32 - 1
    with pytest.raises(DataError, match="seed is -1 - it must be in 0"):
        session.set_seed(-1)


# ---- Parameters ----------------------------------------------------------------------------------------------


def test_parameters_are_views(session: Session) -> None:
    session.parameter("w")[0, 0] = 7.0
    assert session.parameters()[0] == 7.0 and session.parameter(0)[0, 0] == 7.0
    assert session.state()[:4].tobytes() == np.float32(7).tobytes()
    with pytest.raises(RuntimeFault, match="parameter 'v'.*NOT_FOUND"):
        session.parameter("v")
    with pytest.raises(RuntimeFault, match="parameter 'v'.*NOT_FOUND"):
        session.gradient("v")
    with pytest.raises(RuntimeFault, match="parameter '1'.*NOT_FOUND"):
        session.parameter(1)


def test_set_parameters(session: Session) -> None:
    session.set_parameters(np.arange(12, dtype=np.float32))
    assert session.parameters().tolist() == list(range(12))
    with pytest.raises(DataError, match="12 elements; 11 were given"):
        session.set_parameters(np.zeros(11, np.float32))
    assert session.parameters().tolist() == list(range(12))


def test_delta_carries_training_to_another_session(session: Session, image: bytes, profile: str) -> None:
    assert session.delta() == bytes(48)
    session.step(PIXELS, LABELS)
    delta = np.frombuffer(session.delta(), np.float32)
    np.testing.assert_array_equal(delta, session.parameters() - np.array(model.WEIGHTS, np.float32))
    with Session(image, profile) as other:
        other.apply_delta(delta)
        np.testing.assert_array_equal(other.parameters(), np.array(model.WEIGHTS, np.float32) + delta)


# ---- Checkpoints and properties ------------------------------------------------------------------------------


def test_checkpoint_continues_to_the_same_bits(session: Session, image: bytes, profile: str) -> None:
    session.set_linear_schedule(0.5, 1, 10)
    for _ in range(3):
        session.step(PIXELS, LABELS)
    session.set_property("accuracy", 0.25)
    with Session(image, profile) as other:
        other.load(session.save())
        assert other.state_sha256() == session.state_sha256()
        assert other.step(PIXELS, LABELS) == session.step(PIXELS, LABELS)
        assert other.state_sha256() == session.state_sha256()


def test_any_flipped_byte_of_a_checkpoint_is_refused(session: Session) -> None:
    session.step(PIXELS, LABELS)
    good = session.save()
    state = session.state_sha256()
    for position in range(len(good)):
        bad = bytearray(good)
        bad[position] ^= 0x10
        with pytest.raises(RuntimeFault):
            session.load(bad)
    with pytest.raises(RuntimeFault):
        session.load(good[:-1])
    assert session.state_sha256() == state


def test_reset(session: Session) -> None:
    fresh = session.state_sha256()
    session.step(PIXELS, LABELS)
    session.set_property("epoch", 1)
    assert session.state_sha256() != fresh
    session.reset()
    assert session.state_sha256() == fresh


def test_properties(session: Session) -> None:
    session.set_property("epoch", -3)
    session.set_property("accuracy", 0.5)
    assert session.properties() == {"epoch": -3, "accuracy": 0.5}
    assert isinstance(session.get_property("epoch"), int)
    with pytest.raises(RuntimeFault) as fault:
        session.set_property("third", 1)
    assert fault.value.name == "FULL"
    session.set_property("epoch", 4.5)
    session.remove_property("accuracy")
    assert session.properties() == {"epoch": 4.5}
    with pytest.raises(RuntimeFault, match="property 'accuracy'"):
        session.get_property("accuracy")
    with pytest.raises(DataError, match="an int must fit 32 bits"):
        session.set_property("epoch", 2**31)


def test_two_sessions_are_independent(image: bytes) -> None:
    first, second = Session(image, "strict"), Session(image, "strict")
    first.step(PIXELS, LABELS)
    assert second.parameter("w").tolist() == W.tolist()
