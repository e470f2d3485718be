"""A loss scale keeps gradients from underflow, and changes no bit if nothing underflows."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
import torch

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, Result, compile_image, compile_model
from gradmote.errors import ModelError, RuntimeFault
from gradmote.optimizers import Optimizer
from gradmote.report.image_reports import updates_of
from gradmote_runtime import Session
from support import digits
from support.oracle import make_model, node

BATCH = 8
OPTIMIZERS = {
    "sgd": optimizers.sgd(0.1),
    "momentum": optimizers.sgd(0.1, momentum=0.9, weight_decay=0.01),
    "adamw": optimizers.adamw(0.003),
    "clipped": Optimizer("adamw", 0.003, optimizers.adamw(0.003).hyper, 0.5),
}


def compiled(optimizer: Optimizer, loss_scale: float, accumulate: bool = False) -> Result:
    options = Options(batch=BATCH, accumulate=accumulate)
    return compile_model(digits.model(), losses.cross_entropy(), optimizer, options, loss_scale=loss_scale)


def trained(image: bytes, profile: str, accumulate: bool) -> str:
    """SHA-256 of the state after 20 updates."""
    session = Session(image, profile)
    for number, (pixels, labels) in enumerate(digits.batches(BATCH, 20)):
        if not accumulate:
            session.step(pixels, labels)
            continue
        session.train_step(pixels, labels)
        if number % 2:
            session.optimizer_step()
            session.lazy_reset_grad()
    return hashlib.sha256(session.state()).hexdigest()


@pytest.mark.parametrize("profile", ["fused", "strict"])
@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_the_bits_of_an_ordinary_network_stay(optimizer, accumulate, profile):
    states = {trained(compiled(optimizer, s, accumulate).image, profile, accumulate) for s in (1.0, 1024.0, 2.0**-10)}
    assert len(states) == 1


def test_without_a_scale_the_image_is_the_same():
    made = digits.artifacts(OPTIMIZERS["adamw"])
    assert compile_image(made, Options(batch=BATCH)).image == compiled(OPTIMIZERS["adamw"], 1.0).image


# ---- Underflow ------------------------------------------------------------------------------------------------------

SCALE, RATE, STEPS = 2.0**64, 1e11, 12
RNG = np.random.default_rng(0)
W = np.abs(RNG.normal(1, 0.3, (4, 6))).astype(np.float32)
UP = (1e36 * np.abs(RNG.normal(1, 0.3, (6, 5)))).astype(np.float32)
DOWN = (RNG.choice([1.0, 2.0], (5, 3)) * 1e-36).astype(np.float32)
LEAST = np.eye(3, dtype=np.float32) * np.float32(1e-12)
X = np.abs(RNG.normal(0, 0.1, (BATCH, 4))).astype(np.float32)
Y = np.zeros((BATCH, 3), np.float32)


def narrow(loss_scale: float, accumulate: bool = False, optimizer: Optimizer | None = None) -> Session:
    """y = relu(relu(x W) UP) DOWN LEAST: between DOWN and UP a gradient is 1e-48, which no float32 is. W learns."""
    nodes = [node("MatMul", "x w", "h"), node("Relu", "h", "a"), node("MatMul", "a up", "u"), node("Relu", "u", "b")]
    nodes += [node("MatMul", "b down", "d"), node("MatMul", "d least", "y")]
    model = make_model(nodes, {"w": W, "up": UP, "down": DOWN, "least": LEAST}, {"x": ("N", 4)})
    rule = optimizer or optimizers.sgd(RATE)
    made = build_artifacts(model, ["w"], losses.l1(), rule, loss_scale=loss_scale)
    return Session(compile_image(made, Options(batch=BATCH, accumulate=accumulate)).image)


def run(session: Session, accumulate: bool) -> list[float]:
    results = []
    for _ in range(STEPS):
        results.append((session.train_step if accumulate else session.step)(X, Y))
        if accumulate:
            session.optimizer_step()
            session.lazy_reset_grad()
    return results


@pytest.mark.parametrize("accumulate", [False, True])
def test_a_network_whose_gradients_underflow_learns_with_a_scale_alone(accumulate):
    without, scaled = narrow(1.0, accumulate), narrow(SCALE, accumulate)
    assert len(set(run(without, accumulate))) == 1
    assert bytes(without.parameters()) == W.tobytes()
    curve = run(scaled, accumulate)
    assert curve[-1] < 0.7 * curve[0]


def test_as_pytorch_does():
    """float32, with the loss scaled and its gradients unscaled."""
    w = torch.tensor(W, requires_grad=True)
    curve = []
    for _ in range(STEPS):
        y = ((torch.tensor(X) @ w).relu() @ torch.tensor(UP)).relu() @ torch.tensor(DOWN) @ torch.tensor(LEAST)
        loss = torch.nn.functional.l1_loss(y, torch.tensor(Y))
        (loss * SCALE).backward()
        with torch.no_grad():
            w -= RATE * (w.grad / SCALE)
        w.grad = None
        curve.append(loss.item())
    session = narrow(SCALE)
    assert curve[-1] < 0.7 * curve[0]
    np.testing.assert_allclose(run(session, False), curve, rtol=1e-6)
    np.testing.assert_allclose(np.asarray(session.parameter("w")), w.detach().numpy(), rtol=1e-6, atol=1e-6)


# ---- Overflow, and what is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_a_scale_that_is_too_large_skips_whole_steps(optimizer, accumulate):
    session = Session(compiled(optimizer, 2.0**64, accumulate).image)
    pixels, labels = digits.batches(BATCH, 1)[0]
    size = 4 * len(session.parameters())
    before = bytes(session.state())
    with pytest.raises(RuntimeFault, match="NOT_FINITE"):
        if accumulate:
            session.train_step(pixels * np.float32(1e25), labels)
            session.optimizer_step()
        else:
            session.step(pixels * np.float32(1e25), labels)
    after = bytes(session.state())
    assert after[:size] == before[:size] and after[size + 48 :] == before[size + 48 :]
    assert session.skipped_steps == 1 and session.control()["optimizer_steps"] == 0


@pytest.mark.parametrize("scale", [0.0, -2.0, 1000.0, float("inf"), float("nan"), 2.0**65])
def test_what_is_no_power_of_two_is_refused(scale):
    with pytest.raises(ModelError, match="not a power of two"):
        compiled(OPTIMIZERS["sgd"], scale)


def test_it_is_told_why_gradients_are_stored():
    assert updates_of(compiled(OPTIMIZERS["sgd"], 1024.0).compiled).reason == "with a loss scale all are checked first"
    assert updates_of(compiled(OPTIMIZERS["sgd"], 1.0).compiled).reason == ""
