"""The first micro-batch of an update clears the gradients that it adds to, or writes them: the result is that of
clearing all of them first."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import pytest
from regression.test_refused_micro_batches import LABELS, image_of, normalized, perceptron, two_heads

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.passes import accumulate_gradients
from gradmote.errors import RuntimeFault
from gradmote.formats import records
from gradmote.formats.image import read_image
from gradmote_runtime import Session
from support.oracle import make_model, node, values
from support.quantized import small_cnn

FEATURES = 6


def convolutions() -> onnx.ModelProto:
    """One of each kind: full, depthwise and 1x1."""
    weights = {"a": values(1, 4, 1, 3, 3), "b": values(2, 4), "d": values(3, 4, 1, 3, 3), "p": values(4, 5, 4, 1, 1)}
    nodes = [
        node("Conv", "x a b", "h", pads=[1, 1, 1, 1]), node("Relu", "h", "r"),
        node("Conv", "r d", "s", pads=[1, 1, 1, 1], group=4), node("Conv", "s p", "t"),
        node("GlobalAveragePool", "t", "u"), node("Flatten", "u", "y"),
    ]  # fmt: skip
    return make_model(nodes, weights, {"x": ("N", 1, 5, 7)})


def shared_weight() -> onnx.ModelProto:
    """Return a model with a matrix in two products: its gradient is the sum of theirs."""
    nodes = [node("MatMul", "x w", "h"), node("Relu", "h", "r"), node("MatMul", "r w", "s"), node("MatMul", "s v", "y")]
    return make_model(nodes, {"w": values(1, FEATURES, FEATURES), "v": values(2, FEATURES, 3)}, {"x": ("N", FEATURES)})


MODELS: dict[str, Callable[[], onnx.ModelProto]] = {
    "perceptron": perceptron,
    "batch norm": normalized,
    "convolutions": convolutions,
    "shared weight": shared_weight,
}
QUANTIZED = {"quantized, int16": "int16", "quantized, float": "float"}


def compiled(name: str, batch: int) -> bytes:
    model = MODELS[name]() if name in MODELS else small_cnn.model()
    made = build_artifacts(model, None, losses.cross_entropy(), optimizers.sgd(0.1))
    options = Options(batch=batch, accumulate=True, gradients=QUANTIZED.get(name))  # type: ignore[arg-type]
    return compile_image(made, options).image


def samples(session: Session, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a batch in which some products are zeros of either sign."""
    shape = tuple(session.inputs()[0]["shape"])
    x = values(seed, *shape)
    x.flat[::5] = np.float32(-0.0)
    return x, np.arange(shape[0], dtype=np.int32) % 3


def clear_by_hand(session: Session) -> None:
    """Clear all gradients, and let the next micro-batch take them as the sum of one that there was."""
    for name in session.parameter_names():
        np.asarray(session.gradient(name))[...] = 0
    image = bytes(session._ffi.buffer(session._image.pointer))
    control = session.state()[read_image(image).header["control_offset"] :][: records.size_of("control")]
    control[:] = records.pack("control", {**records.unpack("control", bytes(control)), "accumulated": 1})


def gradients(session: Session) -> list[bytes]:
    return [bytes(session.gradient(name)) for name in session.parameter_names()]


def fill_gradients(session: Session, value: float) -> None:
    for name in session.parameter_names():
        np.asarray(session.gradient(name))[...] = value


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("batch", [1, 3, 32])
@pytest.mark.parametrize("name", [*MODELS, *QUANTIZED])
def test_gradients_are_those_of_a_sum_that_was_cleared(name, batch, threads, profile):
    image = compiled(name, batch)
    with Session(image, profile, threads) as session, Session(image, profile) as cleared:
        for seed in range(3):
            fill_gradients(session, np.nan)
            session.lazy_reset_grad()
            clear_by_hand(cleared)
            for part in range(2):
                data = samples(session, 10 * seed + part)
                assert session.train_step(*data) == cleared.train_step(*data)
                assert gradients(session) == gradients(cleared)


def test_a_first_micro_batch_that_is_refused_leaves_no_gradients(profile):
    with Session(image_of(perceptron(), losses.mse()), profile) as session:
        good, target = values(5, 3, FEATURES), values(7, 3, 3)
        session.train_step(good, target)
        session.lazy_reset_grad()
        with pytest.raises(RuntimeFault, match="NOT_FINITE"):
            session.train_step(good * np.float32(np.inf), target)
        assert not any(map(any, gradients(session)))
        with pytest.raises(RuntimeFault, match="NO_GRADIENTS"):
            session.optimizer_step()
        session.train_step(good, target)
        after = gradients(session)
        session.reset()
        session.train_step(good, target)
        assert gradients(session) == after


@pytest.mark.parametrize("instructions", [0, 1, 5, 8, 10])
def test_a_first_micro_batch_that_is_dropped_leaves_no_gradients(instructions, profile):
    with Session(compiled("perceptron", 3), profile) as session:
        session.train_step(*samples(session, 1))
        session.lazy_reset_grad()
        session.begin("train")
        assert not session.run(instructions)
        session.abort()
        assert not any(map(any, gradients(session)))
        session.train_step()
        whole = gradients(session)
        session.lazy_reset_grad()
        session.begin("train")
        while not session.run(1):
            pass
        assert gradients(session) == whole


def test_gradients_with_several_makers_are_cleared_before_all_of_them(profile, monkeypatch):
    """No pass of today makes such a program, and an image may have it all the same."""
    image = image_of(two_heads(), of_both)

    def twice(program, facts, source, gradient):
        for _ in range(2):
            program.instructions.append(accumulate_gradients.add(source, gradient))

    monkeypatch.setattr(accumulate_gradients, "accumulate", twice)
    doubled = image_of(two_heads(), of_both)
    with Session(image, profile) as session, Session(doubled, profile) as both:
        for seed in range(2):
            for each in (session, both):
                fill_gradients(each, 7.0)
                each.lazy_reset_grad()
                each.train_step(values(seed, 3, FEATURES), LABELS)
            for name in session.parameter_names():
                expected = 2 * np.asarray(session.gradient(name))
                np.testing.assert_array_equal(np.asarray(both.gradient(name)), expected)


def of_both(builder, y, z):
    square = builder.op("ReduceMean", builder.op("Mul", z, z, name="square"), name="mean", keepdims=0)
    return builder.op("Add", square, losses.cross_entropy()(builder, y), name="total")
