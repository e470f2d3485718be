"""Updates of stored integers: right on average, saturated at the bounds, and never moved by NaN."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.oracle import examples
from support.stored_update import DTYPES, StoredUpdate

#: How many numbers are averaged.
MANY = 100_000
RULES = {
    "sgd": {},
    "sgd with decay": {"weight_decay": 0.01},
    "momentum": {"momentum": 0.9},
    "nesterov": {"momentum": 0.9, "nesterov": 1.0},
    "adam": {"beta1": 0.9, "one_minus_beta1": 0.1, "beta2": 0.999, "one_minus_beta2": 0.001, "eps": 1e-8},
    "adamw": {"beta1": 0.9, "one_minus_beta1": 0.1, "beta2": 0.999, "one_minus_beta2": 0.001, "eps": 1e-8,
              "weight_decay": 0.05},
}  # fmt: skip
opcodes = st.sampled_from(sorted(DTYPES))
seeds = st.integers(0, 2**32 - 1)
#: Steps in units, from those that hardly ever move a parameter to several at once.
distances = st.floats(1e-5, 5.0) | st.sampled_from([1e-5, 0.5, 1.0, 0.25, 1 / 3, 3.0]) | st.floats(1e-5, 1e-2)


def expected_mean(steps: np.ndarray) -> tuple[float, float]:
    """Return the mean of steps that are rounded at random, and its standard deviation."""
    part = steps - np.floor(steps)
    return float(steps.mean()), float(np.sqrt((part * (1 - part)).sum()) / steps.size)


@examples(25)
@given(opcodes, distances, st.sampled_from([-1, 1]), seeds, seeds, st.integers(-20, 20))
def test_the_mean_is_the_exact_step(opcode: str, distance: float, sign: int, seed: int, step: int, start: int) -> None:
    update = StoredUpdate(opcode, lr=0.125, unit=0.0625, seed=seed, step=step, low=-128, high=127)
    g = np.full(MANY, sign * distance / 2, np.float32)
    moved = start - update.run(np.full(MANY, start), g).astype(np.float64)
    mean, deviation = expected_mean(np.full(MANY, sign * distance))
    assert set(np.unique(moved)) <= {np.floor(sign * distance), np.floor(sign * distance) + 1}
    assert abs(moved.mean() - mean) <= 4 * deviation + 2**-17


@pytest.mark.parametrize("opcode", sorted(DTYPES))
def test_the_mean_near_a_bound_is_that_of_clamped_steps(opcode: str) -> None:
    update = StoredUpdate(opcode, low=-127, high=127, seed=5)
    for start, step in ((127, -0.4), (-127, 0.4), (126, -1.3), (-126, 1.7)):
        found = update.run(np.full(MANY, start), np.full(MANY, step)).astype(np.float64)
        below = np.floor(step)
        both = np.clip(start - np.array([below, below + 1]), -127, 127)
        chance = step - below
        mean, deviation = both @ [1 - chance, chance], abs(both[0] - both[1]) * np.sqrt(chance * (1 - chance) / MANY)
        assert abs(found.mean() - mean) <= 4 * deviation + 2**-17
        assert found.min() >= -127 and found.max() <= 127


@pytest.mark.parametrize("opcode", sorted(DTYPES))
@pytest.mark.parametrize("step", [1e4, 1e9, 3e9, 1e30, np.inf])
def test_saturates_and_never_wraps(opcode: str, step: float, profile: str) -> None:
    limits = np.iinfo(DTYPES[opcode])
    starts = np.linspace(limits.min, limits.max, 1001).astype(np.int64)
    for low, high in ((limits.min, limits.max), (limits.min // 2, limits.max // 3)):
        update = StoredUpdate(opcode, low=low, high=high)
        for sign in (-1, 1):
            found = update.run(starts, np.full(starts.size, np.float32(sign * step)), profile).astype(np.int64)
            distance = sign * min(int(min(step, 2.0**31)), 2**30)
            assert np.array_equal(found, np.clip(starts - distance, low, high))


@pytest.mark.parametrize("opcode", sorted(DTYPES))
def test_every_number_of_8_bits_saturates(opcode: str) -> None:
    starts = np.arange(-127, 128)
    for step in range(-300, 301, 7):
        found = StoredUpdate(opcode, low=-127, high=127).run(starts, np.full(starts.size, step))
        assert np.array_equal(found, np.clip(starts - step, -127, 127))


@pytest.mark.parametrize("opcode", sorted(DTYPES))
def test_the_limit_cuts_a_step(opcode: str) -> None:
    update = StoredUpdate(opcode, limit=1.0, low=-127, high=127)
    found = update.run(np.zeros(4), np.array([7.0, -7.0, 1.0, -1.0]))
    assert list(found) == [-1, 1, -1, 1]
    small = StoredUpdate(opcode, limit=0.25, low=-127, high=127, seed=3)
    moved = -small.run(np.zeros(MANY), np.full(MANY, 9.0)).astype(np.float64)
    assert abs(moved.mean() - 0.25) <= 4 * np.sqrt(0.25 * 0.75 / MANY)


@pytest.mark.parametrize("opcode", sorted(DTYPES))
@pytest.mark.parametrize("rule", RULES)
def test_nan_moves_nothing(opcode: str, rule: str, profile: str) -> None:
    update = StoredUpdate(opcode, rule.split()[0].replace("nesterov", "momentum"), RULES[rule], low=-127, high=127)
    starts = np.arange(-3, 4)
    found = update.run(starts, np.full(starts.size, np.nan), profile)
    assert np.array_equal(found, starts)


@pytest.mark.parametrize("opcode", sorted(DTYPES))
@pytest.mark.parametrize("rule", RULES)
def test_rules_step_as_those_of_float32(opcode: str, rule: str, profile: str) -> None:
    """The mean of many updates is the step that the rule takes of the real value."""
    name, hyper, n = rule.split()[0].replace("nesterov", "momentum"), RULES[rule], MANY
    start, g, unit, lr = 20.0, 0.03, 0.01, 0.02
    update = StoredUpdate(opcode, name, hyper, lr, unit, low=-127, high=127, seed=9)
    found = (start - update.run(np.full(n, start), np.full(n, g), profile).astype(np.float64)) * unit
    expected = real_step(name, hyper, start * unit, g, lr)
    _, deviation = expected_mean(np.full(n, expected / unit))
    assert abs(found.mean() - expected) <= 4 * unit * deviation + unit * 2**-16


def real_step(rule: str, hyper: dict[str, float], p: float, g: float, lr: float) -> float:
    """Return the first step of a rule from moments of 0, in float64."""
    decay = hyper.get("weight_decay", 0.0)
    if rule in ("sgd", "momentum"):
        g = g + decay * p
        return lr * (g + hyper["momentum"] * g if hyper.get("nesterov") else g)
    m, v = hyper["one_minus_beta1"] * g, hyper["one_minus_beta2"] * g * g
    adam = lr / 0.1 * m / (np.sqrt(v) / np.sqrt(0.001) + hyper["eps"])
    return float(adam + lr * decay * p)


def test_a_master_of_16_bits_moves_its_weight_in_small_steps() -> None:
    """256 of its units are one of the weight, which is the high byte: the master rounded to the nearest."""
    update = StoredUpdate("UPDATE_S16", unit=1 / 256, zero=128, low=-127 * 256, high=127 * 256 + 255, seed=2)
    master = update.run(np.full(MANY, 5 * 256 + 128), np.full(MANY, 0.4))
    weights = np.frombuffer(master.astype("<i2").tobytes(), np.int8)[1::2]
    assert set(np.unique(weights)) == {5}
    again = StoredUpdate(**{**vars(update), "step": 1}).run(master, np.full(MANY, 0.4))
    assert set(np.unique(np.frombuffer(again.astype("<i2").tobytes(), np.int8)[1::2])) == {4}


@examples(10)
@given(seeds, seeds, st.integers(0, 1000))
def test_draws_of_steps_and_streams_differ(seed: int, step: int, stream: int) -> None:
    n, g = 4096, np.full(4096, 0.5)
    draws = [
        StoredUpdate(seed=seed, step=step, stream=stream).run(np.zeros(n), g),
        StoredUpdate(seed=seed, step=(step + 1) % 2**32, stream=stream).run(np.zeros(n), g),
        StoredUpdate(seed=seed, step=step, stream=stream + 1).run(np.zeros(n), g),
        StoredUpdate(seed=seed ^ 1, step=step, stream=stream).run(np.zeros(n), g),
    ]
    for i, one in enumerate(draws):
        assert abs(float(one.mean()) + 0.5) < 5 / np.sqrt(4 * n)
        assert all(0.4 < float((one == other).mean()) < 0.6 for other in draws[:i])
