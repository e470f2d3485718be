"""Normalizations by statistics of the data itself: forward, and the gradients of x, scale and bias."""

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import (
    Case,
    assert_close,
    check_case,
    compile_twice,
    examples,
    make_model,
    node,
    poisoned,
    read_gradients,
    seeds,
    shapes,
    values,
)

from gradmote_runtime import Session

#: Groups of two elements are +1 and -1 but for epsilon: with a small one, their gradient is what cancellation leaves.
epsilons = st.sampled_from([0.05, 0.5])


def check(nodes, weights, seed=0, opset=18, **options):
    """All weights are trained. y has the shape of x, which onnx's inference does not know of GroupNormalization."""
    model = make_model(nodes, weights, opset=opset)
    shape = np.shape(weights["x"])
    model.graph.output[0].CopyFrom(onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, shape))
    check_case(Case(model, seed=seed, **options))


@pytest.mark.parametrize("opset", [17, 18])
@examples(16)
@given(data=st.data(), shape=shapes(1, 4), epsilon=epsilons, with_bias=st.booleans(), seed=seeds)
def test_layer_norm(opset, data, shape, epsilon, with_bias, seed):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    tail = shape[axis % len(shape) :]
    weights = {"x": values(seed, *shape), "scale": values(seed + 1, *tail), "bias": values(seed + 2, *tail)}
    inputs = "x scale bias" if with_bias else "x scale"
    if not with_bias:
        del weights["bias"]
    norm = node("LayerNormalization", inputs, "y", axis=axis, epsilon=epsilon)
    check([norm], weights, seed, opset)


@examples(16)
@given(shape=shapes(3, 5), epsilon=epsilons, seed=seeds)
def test_instance_norm(shape, epsilon, seed):
    weights = {"x": values(seed, *shape), "scale": values(seed, shape[1]), "bias": values(seed + 2, shape[1])}
    check([node("InstanceNormalization", "x scale bias", "y", epsilon=epsilon)], weights, seed)


@pytest.mark.parametrize("opset", [18, 21])
@examples(16)
@given(
    batch=st.integers(1, 2),
    groups=st.integers(1, 3),
    size=st.integers(1, 3),
    space=shapes(1, 3),
    epsilon=epsilons,
    seed=seeds,
)
def test_group_norm(opset, batch, groups, size, space, epsilon, seed):
    channels = groups * size
    factors = groups if opset < 21 else channels
    weights = {
        "x": values(seed, batch, channels, *space),
        "scale": values(seed + 1, factors),
        "bias": values(seed + 2, factors),
    }
    norm = node("GroupNormalization", "x scale bias", "y", epsilon=epsilon, num_groups=groups)
    check([norm], weights, seed, opset)


@examples(16)
@given(data=st.data(), shape=shapes(1, 4), epsilon=epsilons, seed=seeds)
def test_rms_norm(data, shape, epsilon, seed):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    weights = {"x": values(seed, *shape), "scale": values(seed + 1, *shape[axis % len(shape) :])}
    check([node("RMSNormalization", "x scale", "y", axis=axis, epsilon=epsilon)], weights, seed, 23)


@pytest.mark.parametrize("axes", [(1,), (0, 2), (0, 2, 3), (1, 3)])
def test_default_epsilon_over_many_elements(axes):
    """Standardize over axes that lie apart, which batch statistics need, in a model of which it is no operator."""
    shape = (4, 3, 5, 2)
    order = [a for a in range(4) if a not in axes] + list(axes)
    weights = {"x": values(1, *shape), "scale": values(2, *(shape[a] for a in axes))}
    nodes = [node("Transpose", "x", "t", perm=order), node("LayerNormalization", "t scale", "y", axis=4 - len(axes))]
    check_case(Case(make_model(nodes, weights)))


def inferred(model, profile, *data):
    with Session(compile_twice(Case(model).artifacts)[0], profile) as session:
        return [np.array(y) for y in poisoned(session, session.infer, *data)]


def norm_model(rows, **attributes):
    width = rows.shape[-1]
    weights = {"x": rows, "scale": np.ones(width, np.float32), "bias": np.zeros(width, np.float32)}
    return make_model([node("LayerNormalization", "x scale bias", "y", **attributes)], weights)


def test_constant_rows_give_exactly_zero(profile):
    rows = np.array([[0.1] * 10, [1e4 + 0.3] * 10, [-7e-20] * 10], np.float32)
    np.testing.assert_array_equal(inferred(norm_model(rows), profile)[0], np.zeros((3, 10)))


def test_one_element_gives_zero_and_no_gradient(profile):
    case = Case(norm_model(values(1, 3, 1)))
    with Session(compile_twice(case.artifacts)[0], profile) as session:
        poisoned(session, session.train_step)
        np.testing.assert_array_equal(read_gradients(session)["x"], np.zeros((3, 1)))
    np.testing.assert_array_equal(inferred(case.model, profile)[0], np.zeros((3, 1)))


def test_a_large_offset_costs_no_precision(profile):
    rows = (1e4 + np.random.default_rng(1).normal(0, 1, (4, 64))).astype(np.float32)
    wide = rows.astype(np.float64)
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    assert_close(inferred(norm_model(rows), profile)[0], expected, 1e-6, "large offset")
