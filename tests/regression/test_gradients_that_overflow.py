"""A gradient that is not finite, of finite data with a finite loss, does not reach the parameters."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.sample_store import StoreOptions
from gradmote.errors import RuntimeFault
from gradmote_runtime import Session
from support.oracle import make_model, node

BATCH = 2
RNG = np.random.default_rng(0)
GOOD = RNG.normal(0, 1, (BATCH, 4)).astype(np.float32)
BAD = np.array([[0, 0, 0, 0], GOOD[1]], np.float32)  # the root's slope at 0 is infinite, its value is not
LABELS = np.array([0, 1], np.int32)


def image_of(optimizer: optimizers.Optimizer, **options: object) -> bytes:
    """y = sqrt((x W)^2) V + b"""
    weights = {
        "w": RNG.normal(0, 1, (4, 6)).astype(np.float32),
        "v": RNG.normal(0, 1, (6, 3)).astype(np.float32),
        "b": np.zeros(3, np.float32),
    }
    nodes = [node("MatMul", "x w", "h"), node("Mul", "h h", "s"), node("Sqrt", "s", "r"), node("Gemm", "r v b", "y")]
    made = build_artifacts(make_model(nodes, weights, {"x": ("N", 4)}), None, losses.cross_entropy(), optimizer)
    return compile_image(made, Options(batch=BATCH, **options)).image  # type: ignore[arg-type]


def learned(session: Session) -> str:
    """Parameters and moments, without counters."""
    state, size = bytes(session.state()), 4 * len(session.parameters())
    return hashlib.sha256(state[:size] + state[size + 48 :]).hexdigest()


def refused(call, *data: object) -> None:
    with pytest.raises(RuntimeFault) as caught:
        call(*data)
    assert caught.value.name == "NOT_FINITE"


OPTIMIZERS = [optimizers.sgd(0.1), optimizers.sgd(0.1, momentum=0.9), optimizers.adamw(0.01)]


@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=lambda o: o.rule)
@pytest.mark.parametrize("profile", ["fused", "strict"])
def test_step_leaves_the_parameters_finite(optimizer, profile):
    """Layers after the root have finite gradients, and may have learned; what is before it is as it was."""
    session = Session(image_of(optimizer), profile)
    session.step(GOOD, LABELS)
    before = bytes(session.parameter("w"))
    assert np.isfinite(session.eval_step(BAD, LABELS))
    refused(session.step, BAD, LABELS)
    assert bytes(session.parameter("w")) == before
    state = np.frombuffer(bytes(session.state()), np.float32)
    assert np.isfinite(np.asarray(session.parameters())).all() and not np.isinf(state).any()
    counters = session.control()
    assert (counters["optimizer_steps"], counters["train_steps"], counters["skipped_steps"]) == (1, 1, 1)
    assert np.isfinite(session.step(GOOD, LABELS))


@pytest.mark.parametrize("clip", [None, 1.0])
@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=lambda o: o.rule)
def test_an_update_on_kept_gradients_is_applied_whole_or_not_at_all(optimizer, clip):
    """One bad micro-batch of two: the update is refused, and the next one starts from zero gradients."""
    rule = optimizers.Optimizer(optimizer.rule, optimizer.learning_rate, optimizer.hyper, clip)
    session, other = (Session(image_of(rule, accumulate=True)) for _ in range(2))
    other.set_parameters(session.parameters())
    before = learned(session)
    session.train_step(GOOD, LABELS)
    session.train_step(BAD, LABELS)
    refused(session.optimizer_step)
    assert learned(session) == before
    assert session.control()["skipped_steps"] == 1 and session.control()["optimizer_steps"] == 0
    with pytest.raises(RuntimeFault, match="NO_GRADIENTS"):
        session.optimizer_step()
    for each in (session, other):
        each.train_step(GOOD, LABELS)
        each.optimizer_step()
    assert learned(session) == learned(other) != before


@pytest.mark.parametrize("clip", [1.0])
@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=lambda o: o.rule)
def test_a_clipped_step_is_applied_whole_or_not_at_all(optimizer, clip):
    rule = optimizers.Optimizer(optimizer.rule, optimizer.learning_rate, optimizer.hyper, clip)
    session = Session(image_of(rule))
    session.step(GOOD, LABELS)
    before = learned(session)
    refused(session.step, BAD, LABELS)
    assert learned(session) == before


def test_replay():
    """Replay a store with only bad samples."""
    store = StoreOptions(4, "f32", BAD[:1], np.array([0]))
    session = Session(image_of(optimizers.adamw(0.01), store=store))
    before = bytes(session.parameter("w"))
    for skipped in (1, 2):
        refused(session.replay)
        assert session.control()["skipped_steps"] == skipped
    assert bytes(session.parameter("w")) == before and np.isfinite(np.asarray(session.parameters())).all()


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("accumulate", [False, True])
def test_targets_that_are_not_finite_change_nothing(number, accumulate):
    weights = {"w": RNG.normal(0, 1, (4, 1)).astype(np.float32)}
    model = make_model([node("MatMul", "x w", "y")], weights, {"x": ("N", 4)})
    made = build_artifacts(model, None, losses.mse(), optimizers.adamw(0.01))
    session = Session(compile_image(made, Options(batch=BATCH, accumulate=accumulate)).image)
    before = learned(session)
    call = session.train_step if accumulate else session.step
    refused(call, GOOD, np.array([[1], [number]], np.float32))
    refused(call, GOOD * np.float32(1e30), np.zeros((BATCH, 1), np.float32))  # the loss overflows
    assert learned(session) == before and session.control()["skipped_steps"] == 2
