"""Floor, Ceil, Round, Sign and Mod: functions with steps, whose gradient is 0 except beside them."""

import numpy as np
import pytest
import torch
from hypothesis import given

from gradmote.errors import ModelError
from gradmote.onnx_backend import run_node
from support.oracle import Case, broadcast_pairs, check_case, examples, make_model, node, seeds, shapes, values

ROUNDINGS = {"Floor": np.floor, "Ceil": np.ceil, "Round": np.rint, "Sign": np.sign}
each_rounding = pytest.mark.parametrize("op_type", ROUNDINGS)
#: Halves to both sides, what has no fraction left, and what is smaller than any step.
POINTS = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999997, -1e-40, 3e-45, 8388607.5, -8388609, 1e30, np.inf, -np.inf]


@each_rounding
@examples(6)
@given(shape=shapes(1, 4), seed=seeds)
def test_rounding(op_type, shape, seed):
    """Check the product of w and its rounding: w has the product's gradient alone; the rounding gives none."""
    w = values(seed, *shape) * np.float32(2.3)
    check_case(Case(make_model([node(op_type, "w", "s"), node("Mul", "s w", "y")], {"w": w}), seed=seed))


@each_rounding
def test_every_kind_of_number(op_type, profile):
    points = np.array([*POINTS, np.nan], np.float32)
    (y,) = run_node(node(op_type, "x", "y"), [points], profile=profile)
    np.testing.assert_array_equal(y, ROUNDINGS[op_type](points))


def test_a_weight_of_which_only_steps_are_seen_is_refused():
    with pytest.raises(ModelError, match="does not depend on"):
        check_case(Case(make_model([node("Floor", "w", "y")], {"w": values(1, 3)})))


each_mod = pytest.mark.parametrize("fmod", [0, 1])


def mod_case(fmod, shapes_of_both, seed, train):
    """Return a case. onnxruntime has no Mod of floats without fmod; Gradmote trains what it made of it."""
    a, b = values(seed, *shapes_of_both[0]) * np.float32(2.7), values(seed + 1, *shapes_of_both[1]) * np.float32(2)
    return Case(make_model([node("Mod", "a b", "y", fmod=fmod)], {"a": a, "b": b}), train=train, seed=seed)


@each_mod
@examples(12)
@given(pair=broadcast_pairs(), seed=seeds)
def test_mod(fmod, pair, seed):
    check_case(mod_case(fmod, pair, seed, ["a"]))


@each_mod
@pytest.mark.parametrize("pair", [((2, 3), (2, 3)), ((2, 3), (3,)), ((3,), (2, 1, 3))])
def test_gradient_of_the_divisor(fmod, pair):
    """The case is not drawn: an update that takes a divisor over a step, or near 0, would fail without a defect."""
    check_case(mod_case(fmod, pair, 5, None))


@pytest.mark.parametrize("fmod, expected", [(0, torch.remainder), (1, torch.fmod)])
def test_mod_against_torch(fmod, expected, profile):
    rng = np.random.default_rng(3)
    a = np.concatenate([rng.normal(size=60) * 10.0 ** rng.integers(-30, 30, 60), [0, -0.0, 6, -6, 3e38, 1e-40]])
    b = np.concatenate([rng.normal(size=60) * 10.0 ** rng.integers(-30, 30, 60), [2, -2, 3, -3, 7e-5, 3e-42]])
    a, b = a.astype(np.float32), b.astype(np.float32)
    (got,) = run_node(node("Mod", "a b", "y", fmod=fmod), [a, b], profile=profile)
    wanted = np.float32(np.fmod(a.astype(np.float64), b.astype(np.float64)))
    if fmod == 0:
        wanted = np.where((wanted != 0) & (np.sign(wanted) != np.sign(b)), wanted + b, wanted)
    np.testing.assert_array_equal(got, wanted)
    modest = np.abs(a) < 1e6 * np.abs(b)
    np.testing.assert_allclose(got[modest], expected(torch.tensor(a), torch.tensor(b)).numpy()[modest], 1e-6)
