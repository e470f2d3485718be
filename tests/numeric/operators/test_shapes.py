"""Operators that move or rename elements: Identity, Cast, Flatten, Reshape, Squeeze, Unsqueeze, Transpose, Expand; and
Constant."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, numpy_helper

from gradmote.errors import UnsupportedOperator
from gradmote.ir.strides import reshaped
from support.oracle import Case, broadcast_pairs, check_case, examples, make_model, node, seeds, shapes, shrunk, values


def i64(*numbers):
    return np.array(numbers, np.int64)


def between_products(middle, seed, weights=None, constants=None, shape=(2, 3, 4)):
    """`middle` (from h to z) between two products with weights, so that views meet kernels on both sides."""
    first = {"u": values(seed, *shape), "v": values(seed + 1, *shape)} | (weights or {})
    return [node("Mul", "u v", "h"), *middle, node("Mul", "z z", "y")], first | (constants or {})


@pytest.mark.parametrize("op_type, attributes", [("Identity", {}), ("Cast", {"to": TensorProto.FLOAT})])
@examples(4)
@given(shape=shapes(1, 4), seed=seeds)
def test_same_bytes(op_type, attributes, shape, seed):
    nodes, weights = between_products([node(op_type, "h", "z", **attributes)], seed, shape=shape)
    check_case(Case(make_model(nodes, weights), seed=seed))
    check_case(Case(make_model([node(op_type, "w", "y", **attributes)], {"w": values(seed, *shape)}), seed=seed))


def test_cast_to_another_type_is_refused_by_name():
    nodes = [node("Cast", "w", "d", to=TensorProto.DOUBLE), node("Cast", "d", "y", to=TensorProto.FLOAT)]
    case = Case(make_model(nodes, {"w": values(0, 2, 2)}))
    with pytest.raises(UnsupportedOperator, match="Cast from FLOAT to DOUBLE"):
        check_case(case)


@examples(10)
@given(data=st.data(), shape=shapes(1, 4), seed=seeds)
def test_flatten(data, shape, seed):
    axis = data.draw(st.integers(-len(shape), len(shape)))
    nodes, weights = between_products([node("Flatten", "h", "z", axis=axis)], seed, shape=shape)
    check_case(Case(make_model(nodes, weights), seed=seed))


@examples(12)
@given(order=st.permutations([2, 3, 4]), form=st.sampled_from(["plain", "minus one", "zero", "merged"]), seed=seeds)
def test_reshape(order, form, seed):
    target = {"plain": order, "minus one": [order[0], -1], "zero": [0, 4, 3], "merged": [24]}[form]
    nodes, weights = between_products([node("Reshape", "h s", "z")], seed, constants={"s": i64(*target)})
    check_case(Case(make_model(nodes, weights), seed=seed))


@examples(6)
@given(batch=st.integers(1, 3), seed=seeds)
def test_reshape_to_a_computed_shape(batch, seed):
    """The shape subgraph that exporters leave: batch of x, and the rest as one dimension."""
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s zero", "n"),
        node("Concat", "n minus", "target", axis=0),
        node("Mul", "x w", "h"),
        node("Reshape", "h target", "z"),
        node("MatMul", "z v", "y"),
    ]
    weights = {"w": values(seed, 2, 3), "v": values(seed, 6, 2), "zero": i64(0), "minus": i64(-1)}
    case = Case(
        make_model(nodes, weights, {"x": ("N", 2, 3)}), {"x": values(seed, batch, 2, 3)}, seed=seed, batch=batch
    )
    check_case(case)


@pytest.mark.parametrize(
    "op_type, shape, axes",
    [
        ("Squeeze", (1, 3, 1), (0, 2)),
        ("Squeeze", (1, 3, 1), (-1,)),
        ("Squeeze", (3, 1), None),
        ("Unsqueeze", (2, 3), (0,)),
        ("Unsqueeze", (2, 3), (1, 3)),
        ("Unsqueeze", (2, 3), (-1,)),
    ],
)
def test_squeeze_and_unsqueeze(op_type, shape, axes):
    constants = {} if axes is None else {"axes": i64(*axes)}
    nodes, weights = between_products(
        [node(op_type, " ".join(["h", *constants]), "z")], 3, constants=constants, shape=shape
    )
    check_case(Case(make_model(nodes, weights)))


@examples(14)
@given(data=st.data(), shape=shapes(2, 4), seed=seeds)
def test_transpose(data, shape, seed):
    perm = data.draw(st.permutations(range(len(shape))))
    nodes, weights = between_products([node("Transpose", "h", "z", perm=list(perm))], seed, shape=shape)
    check_case(Case(make_model(nodes, weights), seed=seed))


@examples(6)
@given(shape=shapes(1, 4), seed=seeds)
def test_transpose_without_perm_reverses(shape, seed):
    nodes = [node("Transpose", "w", "t"), node("Mul", "t t", "y")]
    check_case(Case(make_model(nodes, {"w": values(seed, *shape)}), seed=seed))


def test_views_on_views():
    """Transpose, reshape, transpose again: bytes must move in between."""
    nodes = [
        node("Transpose", "w", "a", perm=[1, 0]),
        node("Reshape", "a s", "b"),
        node("Transpose", "b", "c", perm=[1, 0]),
        node("MatMul", "c v", "y"),
    ]
    check_case(Case(make_model(nodes, {"w": values(1, 4, 3), "s": i64(2, 6), "v": values(2, 2, 3)})))


def test_output_that_is_a_view_of_a_weight():
    check_case(Case(make_model([node("Transpose", "w", "y")], {"w": values(1, 2, 3)})))


@examples(14)
@given(data=st.data(), full=shapes(1, 4), seed=seeds)
def test_expand(data, full, seed):
    shape = data.draw(shrunk(full))
    nodes, weights = between_products([node("Expand", "h s", "z")], seed, constants={"s": i64(*full)}, shape=shape)
    check_case(Case(make_model(nodes, weights), seed=seed))


@examples(8)
@given(pair=broadcast_pairs(3), seed=seeds)
def test_expand_in_both_directions(pair, seed):
    """Expand broadcasts its input and the shape with each other."""
    nodes = [node("Expand", "w s", "z"), node("Mul", "z z", "y")]
    check_case(Case(make_model(nodes, {"w": values(seed, *pair[0]), "s": i64(*pair[1])}), seed=seed))


def test_expanded_matrix_as_operand_of_a_product():
    nodes = [node("Expand", "w s", "z"), node("MatMul", "z v", "y")]
    check_case(Case(make_model(nodes, {"w": values(1, 1, 3), "s": i64(4, 3), "v": values(2, 3, 2)})))


@pytest.mark.parametrize("form", ["tensor", "float", "floats"])
def test_constant(form):
    """A Constant node of any form is not trained."""
    array = values(7, 3) if form != "float" else np.array(0.75, np.float32)
    attributes = {
        "tensor": {"value": numpy_helper.from_array(array)},
        "float": {"value_float": 0.75},
        "floats": {"value_floats": array.tolist()},
    }[form]
    nodes = [node("Constant", "", "c", **attributes), node("Mul", "w c", "y")]
    case = Case(make_model(nodes, {"w": values(8, 2, 3)}))
    assert list(case.artifacts.parameters) == ["w"]
    expected = case.weights * np.broadcast_to(array, (2, 3))
    np.testing.assert_allclose(case.numeric_gradients()["w"], expected, rtol=1e-6)
    check_case(case)


def test_size_of_everything_is_checked_against_numpy():
    """Transpose of a (2, 3, 4) weight read back through inference, against numpy itself."""
    weight = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    case = Case(make_model([node("Transpose", "w", "y", perm=[2, 0, 1])], {"w": weight}))
    assert math.prod(case.weights.shape) == 24
    np.testing.assert_array_equal(case.double({})[0], weight.transpose(2, 0, 1))


@examples(200)
@given(data=st.data(), shape=shapes(1, 4))
def test_reshaped_strides_are_those_of_numpy(data, shape):
    """The result is a view if numpy gives a view, of the same elements; None if numpy has to copy."""
    order = data.draw(st.permutations(range(len(shape))))
    array = np.arange(math.prod(shape)).reshape([shape[a] for a in order]).transpose(np.argsort(order))
    cuts = data.draw(st.permutations([f for d in shape for f in factors(d)]))
    joined = data.draw(st.integers(0, len(cuts)))
    output = [math.prod(cuts[:joined]), *cuts[joined:]]
    strides = reshaped(array.shape, [s // array.itemsize for s in array.strides], output)
    expected = array.reshape(output)
    assert (strides is not None) == np.shares_memory(array, expected)
    if strides is not None:
        steps = [s * array.itemsize for s in strides]
        np.testing.assert_array_equal(np.lib.stride_tricks.as_strided(array, output, steps), expected)


def factors(number):
    return [2, 2] if number == 4 else [number]
