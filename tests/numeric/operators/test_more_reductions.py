"""ReduceMax and ReduceMin with ties, CumSum, and the reductions that are made of others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote import optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote_runtime import Session
from support.oracle import (
    Case,
    check_case,
    examples,
    make_model,
    node,
    poisoned,
    projection,
    read_gradients,
    seeds,
    shapes,
    values,
)


def i64(*numbers):
    return np.array(numbers, np.int64)


def distinct(seed, *shape):
    """Return numbers that are 0.1 apart at least, so that a finite difference changes no order."""
    count = int(np.prod(shape))
    return np.reshape(np.random.default_rng(seed).permutation(count) * 0.1 - 0.05 * count, shape).astype(np.float32)


def reduce_case(op_type, weights, axes, seed=0, opset=18, **attributes):
    """y = op(w)^2 over axes, which are an input since opset 18."""
    if axes is not None and opset >= 18:
        weights = {**weights, "axes": i64(*axes)}
    elif axes is not None:
        attributes["axes"] = list(axes)
    inputs = "w axes" if "axes" in weights else "w"
    nodes = [node(op_type, inputs, "z", **attributes), node("Mul", "z z", "y")]
    return Case(make_model(nodes, weights, opset=opset), seed=seed)


def some_axes(data, shape):
    axis = st.integers(-len(shape), len(shape) - 1)
    return data.draw(st.none() | st.lists(axis, min_size=1, max_size=len(shape), unique_by=lambda a: a % len(shape)))


@pytest.mark.parametrize("op_type", ["ReduceMax", "ReduceMin"])
@pytest.mark.parametrize("opset", [13, 18])
@examples(10)
@given(data=st.data(), shape=shapes(1, 4), keepdims=st.integers(0, 1), seed=seeds)
def test_extremum(op_type, opset, data, shape, keepdims, seed):
    axes = some_axes(data, shape)
    check_case(reduce_case(op_type, {"w": distinct(seed, *shape)}, axes, seed, opset, keepdims=keepdims))


@pytest.mark.parametrize("op_type", ["ReduceMax", "ReduceMin"])
def test_extremum_of_a_permuted_value(op_type):
    nodes = [
        node("Transpose", "w", "t", perm=[2, 0, 1]),
        node(op_type, "t axes", "z", keepdims=0),
        node("Mul", "z z", "y"),
    ]
    check_case(Case(make_model(nodes, {"w": distinct(1, 2, 3, 4), "axes": i64(1)})))


@pytest.mark.parametrize("op_type", ["ReduceMax", "ReduceMin"])
def test_extremum_of_an_expanded_value(op_type):
    """Each element occurs twice, so its share arrives twice."""
    nodes = [node("Expand", "w s", "t"), node(op_type, "t axes", "z"), node("Mul", "z z", "y")]
    check_case(Case(make_model(nodes, {"w": distinct(1, 1, 3), "s": i64(2, 3), "axes": i64(0, 1)})))


@pytest.mark.parametrize("op_type, function", [("ReduceMax", "amax"), ("ReduceMin", "amin")])
def test_ties_share_as_in_torch(op_type, function, profile):
    torch = pytest.importorskip("torch")
    rows = np.array([[1, 3, 3, 0], [-2, -2, -2, -2], [5, 0, 5, 0]], np.float32)
    weight = torch.tensor(rows, requires_grad=True)
    factors = np.array([1.0, -3.0, 0.5], np.float32)
    (getattr(torch, function)(weight, dim=1) * torch.tensor(factors)).sum().backward()
    model = make_model([node(op_type, "w axes", "y", keepdims=0)], {"w": rows, "axes": i64(1)})
    artifacts = build_artifacts(model, None, projection(factors), optimizers.sgd())
    with Session(compile_image(artifacts, Options(accumulate=True)).image, profile) as session:
        poisoned(session, session.train_step)
        np.testing.assert_array_equal(read_gradients(session)["w"], weight.grad.numpy())


@examples(16)
@given(data=st.data(), shape=shapes(1, 4), exclusive=st.integers(0, 1), reverse=st.integers(0, 1), seed=seeds)
def test_cumsum(data, shape, exclusive, reverse, seed):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    sums = node("CumSum", "h axis", "z", exclusive=exclusive, reverse=reverse)
    weights = {"u": values(seed, *shape), "v": values(seed + 1, *shape), "axis": np.array(axis, np.int64)}
    check_case(Case(make_model([node("Mul", "u v", "h"), sums, node("Mul", "z z", "y")], weights), seed=seed))


def test_cumsum_of_a_permuted_value():
    nodes = [node("Transpose", "w", "t", perm=[1, 0]), node("CumSum", "t axis", "z"), node("Mul", "z z", "y")]
    check_case(Case(make_model(nodes, {"w": values(1, 3, 4), "axis": np.array(0, np.int64)})))


@pytest.mark.parametrize("op_type", ["ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"])
@pytest.mark.parametrize("opset", [13, 18])
@examples(6)
@given(data=st.data(), shape=shapes(1, 4), keepdims=st.integers(0, 1), seed=seeds)
def test_reductions_made_of_others(op_type, opset, data, shape, keepdims, seed):
    weight = values(seed, *shape) / 5  # so that a step does not carry it through 0
    weights = {"w": np.abs(weight) + 2 if op_type == "ReduceLogSum" else weight}
    check_case(reduce_case(op_type, weights, some_axes(data, shape), seed, opset, keepdims=keepdims))


@pytest.mark.parametrize("opset", [13, 18])
@examples(8)
@given(data=st.data(), shape=shapes(1, 4), keepdims=st.integers(0, 1), seed=seeds)
def test_product(opset, data, shape, keepdims, seed):
    weight = values(seed, *shape)
    near_one = np.sign(weight) * (0.75 + np.abs(weight) / 4)  # so that no product is very large
    check_case(reduce_case("ReduceProd", {"w": near_one}, some_axes(data, shape), seed, opset, keepdims=keepdims))


def test_product_with_zeros(profile):
    """One 0 in a line leaves its own gradient, two leave none."""
    rows = np.array([[2, 0, 3], [0, 0, 5], [1, 2, 4]], np.float32)
    model = make_model([node("ReduceProd", "w axes", "y", keepdims=0)], {"w": rows, "axes": i64(1)})
    loss, gradient = gradient_of(model, 3, profile)
    assert loss == 8
    np.testing.assert_array_equal(gradient, [[0, 6, 0], [0, 0, 0], [8, 4, 2]])


@pytest.mark.parametrize("op_type", ["ReduceL2", "ReduceLogSumExp", "ReduceProd"])
def test_reduction_of_a_permuted_value(op_type):
    nodes = [
        node("Transpose", "w", "t", perm=[2, 0, 1]),
        node(op_type, "t axes", "z", keepdims=0),
        node("Mul", "z z", "y"),
    ]
    check_case(Case(make_model(nodes, {"w": values(1, 2, 3, 4), "axes": i64(0, 2)})))


def gradient_of(model, shape, profile):
    artifacts = build_artifacts(model, None, projection(np.ones(shape, np.float32)), optimizers.sgd())
    with Session(compile_image(artifacts, Options(accumulate=True)).image, profile) as session:
        loss = poisoned(session, session.train_step)
        return loss, read_gradients(session)["w"]


def test_gradient_of_a_norm_at_zero_is_zero(profile):
    rows = np.array([[0, 0], [3, 4]], np.float32)
    model = make_model([node("ReduceL2", "w axes", "y", keepdims=0)], {"w": rows, "axes": i64(1)})
    loss, gradient = gradient_of(model, 2, profile)
    assert loss == 5
    np.testing.assert_allclose(gradient, [[0, 0], [0.6, 0.8]], rtol=1e-6)


def test_log_sum_exp_does_not_overflow(profile):
    rows = np.array([[1000, 1000], [-1000, -1000]], np.float32)
    model = make_model([node("ReduceLogSumExp", "w axes", "y", keepdims=0)], {"w": rows, "axes": i64(1)})
    loss, gradient = gradient_of(model, 2, profile)
    np.testing.assert_allclose(loss, 2 * np.log(2), rtol=1e-4)
    np.testing.assert_allclose(gradient, np.full((2, 2), 0.5), rtol=1e-6)
