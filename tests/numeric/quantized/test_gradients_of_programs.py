"""Compiled QDQ networks: gradients are those of the ONNX training model, and both forms of programs update alike."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote import Session, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.artifacts import Artifacts
from gradmote.compiler.options import GRADIENTS, WEIGHTS
from gradmote.errors import RuntimeFault
from gradmote.formats.image import read_image
from gradmote.losses import cross_entropy
from gradmote.optimizers import Optimizer
from support.oracle import compile_twice, examples, host_profiles, poisoned, run_ort_plainly
from support.quantized import rounding
from support.quantized.drawn import QdqNetwork, networks

BATCH = 2


def trained(model: onnx.ModelProto, seed: int) -> tuple[Artifacts, dict[str, np.ndarray]]:
    """Return the artifacts with cross entropy, and a batch for the training model."""
    shape = [d.dim_value or BATCH for d in model.graph.input[0].type.tensor_type.shape.dim]
    made = build_artifacts(model, None, cross_entropy(), optimizers.sgd(0.05))
    assert made.training is not None
    classes = model.graph.output[0].type.tensor_type.shape.dim[1].dim_value
    rng = np.random.default_rng(seed)
    label = next(value.name for value in made.training.graph.input if value.type.tensor_type.elem_type == 7)
    return made, {"x": rng.normal(0, 1, shape).astype(np.float32), label: rng.integers(0, classes, BATCH)}


def gradients(session: Session, feeds: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the gradients of one batch."""
    x, label = feeds.values()
    poisoned(session, session.train_step, x, label.astype(np.int32))
    return {name: np.array(session.gradient(name)) for name in session.parameter_names()}


@pytest.mark.parametrize("kind", GRADIENTS)
@examples(6)
@given(networks(), st.integers(0, 99))
def test_gradients_are_those_of_the_training_model(kind: str, model: onnx.ModelProto, seed: int) -> None:
    """They differ at most by their rounding, and are the same in both profiles."""
    made, feeds = trained(model, seed)
    expected, errors = run_ort_plainly(made.training, feeds), rounding.errors(made.training, feeds, kind)
    image, _ = compile_twice(made, batch=BATCH, gradients=kind)
    for profile in host_profiles():
        with Session(image, profile) as session:
            for name, found in gradients(session, feeds).items():
                right, error = expected[f"{name}_grad"], errors[f"{name}_grad"]
                assert found.dtype == np.float32 and found.shape == right.shape
                assert np.all(np.abs(found - right) <= error), name


@pytest.mark.parametrize("kind", GRADIENTS)
@examples(4)
@given(networks(), st.integers(0, 99))
def test_masters_begin_as_their_weights(kind: str, model: onnx.ModelProto, seed: int) -> None:
    """A byte of fraction in the state does not change a bit of the first loss and of all gradients."""
    made, feeds = trained(model, seed)
    images = [compile_twice(made, batch=BATCH, gradients=kind, weights=weights)[0] for weights in WEIGHTS]
    found = []
    for image in images:
        with Session(image) as session:
            x, label = feeds.values()
            loss = session.train_step(x, label.astype(np.int32))
            found.append([loss, *(np.array(session.gradient(name)) for name in session.parameter_names())])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


@examples(4)
@given(networks(), st.integers(0, 99))
def test_a_step_is_train_and_optimizer(model: onnx.ModelProto, seed: int) -> None:
    """Random numbers and gradients are the same: whole ones, or row by row."""
    made, feeds = trained(model, seed)
    x, label = feeds.values()
    kept, fused = compile_twice(made, batch=BATCH)
    with Session(kept) as one, Session(fused) as other:
        for _ in range(3):
            poisoned(one, one.train_step, x, label.astype(np.int32))
            poisoned(one, one.optimizer_step)
            one.lazy_reset_grad()
            poisoned(other, other.step, x, label.astype(np.int32))
        assert bytes(one.state()) == bytes(other.state())


def small() -> onnx.ModelProto:
    """Return two convolutions and a dense layer."""
    net = QdqNetwork(np.random.default_rng(1))
    net.shapes["x"] = (1, 2, 5, 5)
    net.quantize(0.02)
    for channels in (3, 4):
        net.conv(channels, "int8", True, "int32")
        net.activation("Relu")
        net.quantize()
    net.flatten()
    net.gemm(3, "int8", False, "int32", "transB")
    return net.model(False)


#: A momentum of 0.9 makes steps ten times as long in the end. At a rate of 0.05 the network in float32 loses its ReLUs
#: for ever in one training of 16, so that says nothing of int8.
ALL = {
    "sgd": optimizers.sgd(0.1),
    "momentum": optimizers.sgd(0.01, momentum=0.9, weight_decay=1e-3),
    "adam": optimizers.adam(0.01),
    "adamw": optimizers.adamw(0.01),
    "adamw_ort": optimizers.adamw_ort(0.01),
    "clipped": optimizers.sgd(0.1, clip_norm=1.0),
    "clipped by value": optimizers.sgd(0.1, clip_value=0.05),
}


@pytest.mark.parametrize("optimizer", ALL.values(), ids=ALL)
@pytest.mark.parametrize("kept", [False, True], ids=["step", "kept"])
def test_learns_and_refuses_what_is_not_finite(optimizer: Optimizer, kept: bool) -> None:
    made = build_artifacts(small(), None, cross_entropy(), optimizer, loss_scale=8.0)
    image = compile_twice(made, batch=BATCH)[0 if kept else 1]
    rng = np.random.default_rng(0)
    with Session(image) as session:

        def update(x: np.ndarray, y: np.ndarray) -> float:
            loss = poisoned(session, session.train_step if kept else session.step, x, y.astype(np.int32))
            if kept:
                poisoned(session, session.optimizer_step)
                session.lazy_reset_grad()
            return float(loss)

        losses = []
        for number in range(80):
            y = rng.integers(0, 3, BATCH)
            x = rng.normal(0, 0.3, (BATCH, 2, 5, 5)) + 0.7 * (y - 1)[:, None, None, None]
            losses.append(update(x.astype(np.float32), y))
            if number == 40:
                before = bytes(session.state())[: parameters_size(image)]
                with pytest.raises(RuntimeFault, match="NOT_FINITE"):
                    update(np.full((BATCH, 2, 5, 5), np.nan, np.float32), y)
                assert bytes(session.state())[: parameters_size(image)] == before
        assert np.mean(losses[-10:]) < 0.8 * np.mean(losses[:10])


def parameters_size(image: bytes) -> int:
    """Return the bytes of all parameters, at the start of the state."""
    rows = [row for row in read_image(image).state if row["role"] == "parameter"]
    return max(int(row["offset"]) + int(row["size"]) for row in rows)
