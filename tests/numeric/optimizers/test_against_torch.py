"""A hundred steps of every optimizer against torch.optim in float64: the same model, data and start."""

import numpy as np
import pytest
import torch

from gradmote import optimizers
from gradmote_runtime import Session
from support import digits
from support.oracle import WORST, assert_close, host_profiles, poisoned, read_gradients, train

STEPS = 100
TOLERANCE = 1e-4

SGD, ADAM, ADAMW = torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW
PAIRS = {
    "sgd": (optimizers.sgd(0.1), lambda p: SGD(p, 0.1)),
    "sgd, decay": (optimizers.sgd(0.1, weight_decay=0.01), lambda p: SGD(p, 0.1, weight_decay=0.01)),
    "sgd, decay of 1": (optimizers.sgd(0.1, weight_decay=1.0), lambda p: SGD(p, 0.1, weight_decay=1.0)),
    "momentum": (optimizers.sgd(0.02, momentum=0.9), lambda p: SGD(p, 0.02, momentum=0.9)),
    "nesterov, decay": (
        optimizers.sgd(0.02, momentum=0.9, nesterov=True, weight_decay=0.01),
        lambda p: SGD(p, 0.02, momentum=0.9, nesterov=True, weight_decay=0.01),
    ),
    "adam": (optimizers.adam(1e-3), lambda p: ADAM(p, 1e-3)),
    "adam, decay": (
        optimizers.adam(2e-3, beta1=0.8, beta2=0.99, weight_decay=0.01),
        lambda p: ADAM(p, 2e-3, betas=(0.8, 0.99), weight_decay=0.01),
    ),
    "adamw": (optimizers.adamw(1e-3), lambda p: ADAMW(p, 1e-3, weight_decay=0.01)),
    "adamw, eps": (
        optimizers.adamw(2e-3, beta1=0.8, beta2=0.99, eps=1e-4, weight_decay=0.1),
        lambda p: ADAMW(p, 2e-3, betas=(0.8, 0.99), eps=1e-4, weight_decay=0.1),
    ),
}
each_pair = pytest.mark.parametrize("ours, theirs", PAIRS.values(), ids=PAIRS)
each_batch = pytest.mark.parametrize("batch", [1, 8])


def assert_same_curve(actual, expected):
    actual, expected = np.array(actual), np.array(list(expected))
    error = (np.abs(actual - expected) / np.maximum(np.abs(expected), 1e-3)).max()
    WORST["curve against torch"] = max(error, WORST.get("curve against torch", 0.0))
    assert error <= TOLERANCE, f"largest relative error {error:.2e}"


@each_pair
@each_batch
def test_fused_step(ours, theirs, batch):
    data = digits.batches(batch, STEPS)
    expected = list(digits.torch_losses(theirs, data))
    for profile in host_profiles():
        assert_same_curve(train(digits.image(ours, batch), data, profile)[0], expected)


@each_pair
def test_train_then_optimizer(ours, theirs):
    data = digits.batches(8, STEPS)
    assert_same_curve(
        train(digits.image(ours, 8, accumulate=True), data, accumulate=True)[0], digits.torch_losses(theirs, data)
    )


@pytest.mark.parametrize("name", ["sgd", "adamw"])
@pytest.mark.parametrize("max_norm", [0.05, 1.0, 1e6])
def test_clipping_of_the_global_norm(name, max_norm):
    theirs = {"sgd": lambda p: SGD(p, 0.1), "adamw": lambda p: ADAMW(p, 1e-3)}[name]
    data = digits.batches(8, 30)
    expected = digits.torch_losses(theirs, data, lambda net: torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm))
    ours = optimizers.OPTIMIZERS[name](0.1 if name == "sgd" else 1e-3, clip_norm=max_norm)
    assert_same_curve(train(digits.image(ours, 8), data)[0], expected)


@pytest.mark.parametrize("name", ["sgd", "adamw"])
@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("limit", [0.001, 0.02, 1e6])
def test_clipping_by_value(name, accumulate, limit):
    theirs = {"sgd": lambda p: SGD(p, 0.1), "adamw": lambda p: ADAMW(p, 1e-3)}[name]
    data = digits.batches(8, 30)
    expected = digits.torch_losses(theirs, data, lambda net: torch.nn.utils.clip_grad_value_(net.parameters(), limit))
    ours = optimizers.OPTIMIZERS[name](0.1 if name == "sgd" else 1e-3, clip_value=limit)
    assert_same_curve(train(digits.image(ours, 8, accumulate=accumulate), data, accumulate=accumulate)[0], expected)


@pytest.mark.parametrize("clip", [{"clip_norm": 0.1}, {"clip_value": 0.003}])
def test_clipping_happens_after_averaging(clip):
    """Two micro-batches: what is clipped is their mean."""
    (first, second), (whole,) = digits.batches(4, 2), digits.batches(8, 1)
    halves = Session(digits.image(optimizers.sgd(0.1, **clip), 4, accumulate=True))
    for micro in (first, second):
        poisoned(halves, halves.train_step, *micro)
    poisoned(halves, halves.optimizer_step)
    _, at_once = train(digits.image(optimizers.sgd(0.1, **clip), 8), [whole])
    np.testing.assert_allclose(np.array(halves.parameters()), np.array(at_once.parameters()), rtol=0, atol=1e-7)


def test_four_micro_batches_equal_one_batch(profile):
    small, large = digits.batches(2, 40), digits.batches(8, 10)
    accumulating = Session(digits.image(optimizers.sgd(0.1, momentum=0.9), 2, accumulate=True), profile)
    mean_losses = []
    for step in range(10):
        micro = [poisoned(accumulating, accumulating.train_step, *b) for b in small[4 * step : 4 * step + 4]]
        mean_losses.append(np.mean(micro))
        poisoned(accumulating, accumulating.optimizer_step)
        accumulating.lazy_reset_grad()
    losses, whole = train(digits.image(optimizers.sgd(0.1, momentum=0.9), 8), large, profile)
    np.testing.assert_allclose(mean_losses, losses, rtol=1e-5)
    np.testing.assert_allclose(np.array(accumulating.parameters()), np.array(whole.parameters()), rtol=0, atol=1e-5)


def test_lazy_reset_drops_what_was_accumulated():
    """Gradients of abandoned data do not reach the update; without a reset they would."""
    (good,), (other,) = digits.batches(4, 1), digits.batches(4, 3)[2:]
    states = []
    for lazy in (True, False):
        session = Session(digits.image(optimizers.sgd(0.1), 4, accumulate=True))
        poisoned(session, session.train_step, *other)
        if lazy:
            session.lazy_reset_grad()
        poisoned(session, session.train_step, *good)
        poisoned(session, session.optimizer_step)
        states.append(np.array(session.parameters()))
    _, clean = train(digits.image(optimizers.sgd(0.1), 4, accumulate=True), [good], accumulate=True)
    np.testing.assert_array_equal(states[0], np.array(clean.parameters()))
    assert np.abs(states[1] - states[0]).max() > 1e-4


def test_gradients_stay_until_they_are_reset():
    """An update does not forget them, as in onnxruntime: the next one takes the mean of both micro-batches."""
    first, second = digits.batches(4, 2)
    session = Session(digits.image(optimizers.sgd(0.0), 4, accumulate=True))
    gradients = []
    for batch in (first, second):
        poisoned(session, session.train_step, *batch)
        gradients.append(read_gradients(session))
        poisoned(session, session.optimizer_step)
    session.lazy_reset_grad()
    poisoned(session, session.train_step, *second)
    alone = read_gradients(session)
    for name in alone:
        assert_close(gradients[1][name], gradients[0][name] + alone[name], 1e-6, "sum of two gradients")


def linear_warmup(warmup, total):
    """transformers' get_linear_schedule_with_warmup, as its source writes it."""

    def factor(step):
        if step < warmup:
            return step / max(1, warmup)
        return max(0.0, (total - step) / max(1, total - warmup))

    return factor


@pytest.mark.parametrize("warmup, total", [(10, 40), (0, 30), (5, 20), (30, 30), (1, 1)])
@pytest.mark.parametrize("accumulate", [False, True])
def test_linear_schedule(warmup, total, accumulate):
    data = digits.batches(4, 35)
    session = Session(digits.image(optimizers.sgd(0.2), 4, accumulate=accumulate))
    session.set_linear_schedule(0.2, warmup, total)
    factor, rates, losses = linear_warmup(warmup, total), [], []
    for batch in data:
        rates.append(session.learning_rate)
        losses.append(poisoned(session, session.train_step if accumulate else session.step, *batch))
        if accumulate:
            poisoned(session, session.optimizer_step)
            session.lazy_reset_grad()
    np.testing.assert_allclose(rates, [0.2 * factor(i) for i in range(35)], rtol=1e-6, atol=1e-9)
    expected = digits.torch_losses(
        lambda p: SGD(p, 0.2), data, schedule=lambda o: torch.optim.lr_scheduler.LambdaLR(o, factor)
    )
    assert_same_curve(losses, expected)
