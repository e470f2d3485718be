"""Trigonometric and hyperbolic functions and what undoes them, each on its domain: against float64 finite differences,
onnxruntime, the reference, and PyTorch."""

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from hypothesis import given

from gradmote.onnx_backend import run_node
from gradmote_runtime import Session
from support.oracle import (
    Case,
    check_case,
    compile_twice,
    examples,
    host_profiles,
    make_model,
    node,
    seeds,
    shapes,
    values,
)


@dataclass(frozen=True)
class Function:
    """times and plus: what brings drawn values, of magnitudes 0.3 to 1.8, into the domain. points: of all its parts."""

    torch: object
    points: tuple[float, ...]
    times: float = 1.0
    plus: float = 0.0


NEAR = (-1e-4, -1e-20, 0.0, 1e-30, 1e-4, 0.2)
ONE_AND_BELOW = (-1.0, -0.9999, -0.6, -0.5, *NEAR, 0.5, 0.7, 0.999, 0.9999999, 1.0)
FUNCTIONS = {
    "Tan": Function(torch.tan, (-700, -90, -3.0, -1.57, -0.7, *NEAR, 0.7, 1.57, 1.6, 22, 3e10), 0.6),
    "Atan": Function(torch.atan, (-3e38, -1e10, -30, -2.5, -2.4, -1, -0.5, -0.4, *NEAR, 0.41, 0.42, 1, 2.42, 7, 3e38)),
    "Asin": Function(torch.asin, ONE_AND_BELOW, 0.3),
    "Acos": Function(torch.acos, ONE_AND_BELOW, 0.3),
    "Sinh": Function(torch.sinh, (-89.3, -80, -18.5, -3, -0.7, *NEAR, 0.7, 3, 20, 88.7, 89.3)),
    "Cosh": Function(torch.cosh, (-89.3, -80, -18.5, -3, -0.7, *NEAR, 0.7, 3, 20, 88.7, 89.3)),
    "Asinh": Function(torch.asinh, (-1e38, -1e10, -30, -1, -0.5, *NEAR, 0.5, 1, 7, 1e5, 1e20, 1e38)),
    "Acosh": Function(torch.acosh, (1.0, 1.0000001, 1.0001, 1.2, 3, 80, 1e5, 1e10, 1e20, 1e38), 0.5, 2.0),
    "Atanh": Function(torch.atanh, ONE_AND_BELOW[1:-1], 0.3),
}
each_function = pytest.mark.parametrize("op_type", FUNCTIONS)


def weight(op_type, seed, *shape):
    function = FUNCTIONS[op_type]
    return values(seed, *shape) * np.float32(function.times) + np.float32(function.plus)


@each_function
@examples(5)
@given(shape=shapes(1, 4), seed=seeds)
def test_any_shape(op_type, shape, seed):
    check_case(Case(make_model([node(op_type, "w", "y")], {"w": weight(op_type, seed, *shape)}), seed=seed))


@each_function
def test_transposed_operand(op_type):
    nodes = [node("Transpose", "w", "t", perm=[1, 2, 0]), node(op_type, "t", "a"), node("Mul", "a t", "y")]
    check_case(Case(make_model(nodes, {"w": weight(op_type, 5, 2, 3, 4)})))


@each_function
def test_in_place_of_a_part(op_type):
    """Check the function of every second row of a weight, an operand with gaps."""
    numbers = {name: np.array([n], np.int64) for name, n in (("first", 0), ("end", 9), ("axis", 0), ("step", 2))}
    nodes = [node("Slice", "w first end axis step", "t"), node(op_type, "t", "y")]
    check_case(Case(make_model(nodes, {"w": weight(op_type, 5, 4, 3), **numbers})))


@each_function
def test_against_torch(op_type):
    """Near 0, at both ends of the domain and far out; values and gradients, relative to each."""
    function = FUNCTIONS[op_type]
    points = np.array(function.points, np.float32)
    w = torch.tensor(points, dtype=torch.float64, requires_grad=True)
    y = function.torch(w)
    case = Case(make_model([node(op_type, "w", "y")], {"w": points}), train=["w"])
    case.weights = np.ones_like(points)
    y.sum().backward()
    slope = w.grad.numpy()
    finite = np.isfinite(slope) & (np.abs(slope) < 3e38)
    for profile in host_profiles():
        with Session(compile_twice(case.artifacts)[0], profile) as session:
            np.testing.assert_allclose(np.array(session.infer()[0]), y.detach().numpy(), 1e-6, 1e-38)
            if finite.all():
                session.train_step()
                np.testing.assert_allclose(np.array(session.gradient("w")), slope, 3e-6, 1e-19)


OUTSIDE = {"Asin": (1.001, -2), "Acos": (1.001, -2), "Acosh": (0.99, -3), "Atanh": (1.01, -7)}


@pytest.mark.parametrize("op_type", OUTSIDE)
def test_outside_of_the_domain_is_nan(op_type, profile):
    points = np.array(OUTSIDE[op_type], np.float32)
    assert np.isnan(run_node(node(op_type, "x", "y"), [points], profile=profile)).all()


@each_function
def test_nan_stays_nan(op_type, profile):
    (y,) = run_node(node(op_type, "x", "y"), [np.array([1, np.nan, 1], np.float32)], profile=profile)
    np.testing.assert_array_equal(np.isnan(y), [False, True, False])
