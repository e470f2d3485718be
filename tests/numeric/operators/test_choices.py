"""Cast between kinds of numbers, OneHot, Trilu, and what shapes are made of: ConstantOfShape, Range, Size, NonZero."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from gradmote.compiler import Options, compile_model
from gradmote.errors import ModelError, UnsupportedOperator
from gradmote.onnx_backend import run_model, run_node
from support.oracle import Case, check_case, examples, make_model, node, seeds, shapes, values

KINDS = {t: helper.np_dtype_to_tensor_dtype(np.dtype(t)) for t in (np.float32, np.bool_, np.int32, np.int64)}


# ---- Cast


@pytest.mark.parametrize("target", KINDS)
@pytest.mark.parametrize("source", KINDS)
def test_cast(source, target, profile):
    x = np.array([[0, 1, -1, 2.75, -2.75, 16777216, 2147483520, 1e-30]]).astype(source)
    (y,) = run_node(node("Cast", "x", "y", to=KINDS[target]), [x], outputs_info=[(target, None)], profile=profile)
    assert y.dtype == target
    np.testing.assert_array_equal(y, x.astype(target))


def test_what_no_integer_holds(profile):
    x = np.array([np.nan, np.inf, -np.inf, 3e9, -3e9, -2147483648], np.float32)
    cast = node("Cast", "x", "y", to=TensorProto.INT32)
    (y,) = run_node(cast, [x], outputs_info=[(np.int32, None)], profile=profile)
    np.testing.assert_array_equal(y, [0, 2**31 - 1, -(2**31), 2**31 - 1, -(2**31), -(2**31)])


def test_gradients_pass_beside_integers():
    nodes = [
        node("Cast", "w", "whole", to=TensorProto.INT64),
        node("Cast", "whole", "number", to=TensorProto.FLOAT),
        node("Mul", "w number", "y"),
    ]
    check_case(Case(make_model(nodes, {"w": values(1, 2, 3) * np.float32(4)})))


def test_other_types_are_refused_by_name():
    with pytest.raises(UnsupportedOperator, match="Cast from"):
        run_node(node("Cast", "x", "y", to=TensorProto.DOUBLE), [values(1, 3)], outputs_info=[(np.float64, None)])


# ---- OneHot


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.float32])
@examples(8)
@given(data=st.data(), shape=shapes(1, 3), depth=st.integers(1, 5), seed=seeds)
def test_one_hot(dtype, data, shape, depth, seed):
    """A negative index counts from the end; one outside [-depth, depth - 1] selects no class."""
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    indices = np.random.default_rng(seed).integers(-depth - 2, depth + 2, shape)
    off_on = np.array([-0.5, 2.5], np.float32)
    found = [node("OneHot", "i d v", "y", axis=axis)]
    model = make_model(found, {"d": np.array(depth), "v": off_on}, {"i": shape})
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    model.graph.input[0].CopyFrom(helper.make_tensor_value_info("i", kind, shape))
    (y,) = run_model(model, [indices.astype(dtype)])
    valid = (indices >= -depth) & (indices < depth)
    hot = (np.arange(depth) == (indices % depth)[..., None]) & valid[..., None]
    np.testing.assert_array_equal(y, np.moveaxis(np.where(hot, 2.5, -0.5), -1, axis))


def test_gradient_of_the_values():
    """Check the gradient of values that are computed."""
    weights = {"i": np.array([[1, 0], [-1, 2]]), "d": np.array(3), "u": values(2, 2), "v": values(3, 2)}
    nodes = [node("Mul", "u v", "h"), node("OneHot", "i d h", "y")]
    check_case(Case(make_model(nodes, weights), train=["u", "v"], reference=False))


def test_integers_of_the_strongest(profile):
    """PyTorch exports one_hot of argmax so: integers, then numbers."""
    nodes = [
        node("ArgMax", "x", "i", axis=1, keepdims=0),
        node("OneHot", "i d v", "h"),
        node("Cast", "h", "c", to=TensorProto.FLOAT),
        node("Mul", "c x", "y"),
    ]
    model = make_model(nodes, {"d": np.array([4]), "v": np.array([0, 1])}, {"x": (3, 4)})
    x = values(1, 3, 4)
    (y,) = run_model(model, [x], profile=profile)
    np.testing.assert_array_equal(y, np.where(x == x.max(1, keepdims=True), x, 0))


def test_computed_depth_is_refused():
    model = make_model([node("OneHot", "i d v", "y")], {"v": np.array([0, 1], np.float32)}, {"i": (2,), "d": ()})
    model.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, None]))
    with pytest.raises(UnsupportedOperator, match="make the depth constant"):
        compile_model(model, options=Options(batch=None))


# ---- Trilu


@pytest.mark.parametrize("upper", [0, 1])
@examples(8)
@given(shape=shapes(2, 4), k=st.one_of(st.none(), st.integers(-4, 4)), seed=seeds)
def test_trilu(upper, shape, k, seed):
    constants = {} if k is None else {"k": np.array(k)}
    nodes = [
        node("Mul", "u v", "h"),
        node("Trilu", " ".join(["h", *constants]), "z", upper=upper),
        node("Mul", "z z", "y"),
    ]
    weights = {"u": values(seed, *shape), "v": values(seed + 1, *shape)}
    check_case(Case(make_model(nodes, weights | constants), train=["u", "v"], seed=seed))


def test_trilu_of_a_batch_leaves_no_infinity_outside(profile):
    """0 times infinity would be NaN."""
    x = np.array([[[1, np.inf], [np.nan, 2]]], np.float32)
    (y,) = run_node(node("Trilu", "x", "y", upper=0), [np.transpose(x, (0, 2, 1))], profile=profile)
    np.testing.assert_array_equal(y, [[[1, 0], [np.inf, 2]]])


# ---- Shapes


BATCH = {
    "ConstantOfShape": [node("Shape", "h", "s"), node("ConstantOfShape", "s", "c", value=numpy_helper.from_array(
        np.array([1.5], np.float32)))],
    "Range": [node("Shape", "h", "s", start=1), node("Squeeze", "s", "n"), node("Range", "zero n one", "r"),
              node("Cast", "r", "c", to=TensorProto.FLOAT)],
    "Size": [node("Size", "h", "s"), node("Cast", "s", "c", to=TensorProto.FLOAT)],
    "NonZero": [node("NonZero", "mask", "p"), node("Gather", "h p", "g", axis=1), node("Identity", "g", "y")],
}  # fmt: skip


@pytest.mark.parametrize("name", BATCH)
def test_of_a_symbolic_batch(name):
    """All that follows from the shape, or from constants, is known as soon as the batch is."""
    nodes = [node("Mul", "x w", "h"), *BATCH[name], *([] if name == "NonZero" else [node("Add", "h c", "y")])]
    weights = {"w": values(1, 3), "zero": np.array(0), "one": np.array(1), "mask": np.array([1, 0, 1])}
    used = {n for made in nodes for n in made.input}
    model = make_model(nodes, {n: a for n, a in weights.items() if n in used}, {"x": ("N", 3)})
    check_case(Case(model, {"x": values(2, 4, 3)}, batch=4, reference=False))


@pytest.mark.parametrize("made, weights, expected", [
    (node("ConstantOfShape", "s", "y"), {"s": np.array([2, 3])}, np.zeros((2, 3), np.float32)),
    (node("Range", "a b d", "y"), {n: np.array(v, np.float32) for n, v in (("a", 1), ("b", 4), ("d", 0.5))},
     np.arange(1, 4, 0.5, dtype=np.float32)),
    (node("Size", "x", "y"), {}, np.array(6)),
    (node("NonZero", "m", "y"), {"m": np.array([[0, 1], [2, 0]])}, np.array([[0, 1], [1, 0]])),
])  # fmt: skip
def test_as_outputs(made, weights, expected, profile):
    """A constant is an output too."""
    model = make_model([made, node("Relu", "x", "r")], weights, {"x": (2, 3)}, ("y", "r"))
    kind = helper.np_dtype_to_tensor_dtype(expected.dtype)
    model.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", kind, expected.shape))
    np.testing.assert_array_equal(run_model(model, [values(1, 2, 3)], profile=profile)[0], expected)


def test_places_of_what_is_not_0_in_data_are_refused():
    """Their number depends on the data."""
    model = make_model([node("NonZero", "x", "y")], {}, {"x": (2, 3)})
    model.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", TensorProto.INT64, [2, None]))
    with pytest.raises(ModelError, match="cannot be known before running"):
        compile_model(model, options=Options(batch=None))
