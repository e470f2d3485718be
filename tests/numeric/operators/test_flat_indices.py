"""Operators that take, put and choose elements by indices: GatherElements, GatherND, ScatterElements, ScatterND, TopK,
ArgMax, ArgMin; with constant indices and with those that are data."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from gradmote.compiler import Options, compile_model
from gradmote.errors import ModelError, RuntimeFault, UnsupportedOperator
from gradmote.onnx_backend import run_node
from gradmote_runtime import Session
from support.oracle import Case, check_case, compile_twice, examples, make_model, node, poisoned, seeds, shapes, values


def case_of(nodes, weights, indices, as_data, seed, batch=1):
    """indices are an initializer, or an int64 input."""
    known = {} if as_data else {"i": indices}
    model = make_model(nodes, weights | known, {"i": indices.shape} if as_data else {})
    if as_data:
        model.graph.input[0].CopyFrom(helper.make_tensor_value_info("i", TensorProto.INT64, indices.shape))
        if indices.ndim and indices.shape[0] != batch:
            batch = None
    return Case(model, {"i": indices} if as_data else {}, list(weights), seed, batch, reference=False)


def different(rng, shape, axis, size):
    """Indices, none twice in a line along the axis."""
    numbers = rng.permuted(np.broadcast_to(np.arange(size), (*shape[:axis], *shape[axis + 1 :], size)), axis=-1)
    taken = np.moveaxis(numbers, -1, axis)[tuple(slice(d) for d in shape)]
    return np.where(rng.random(taken.shape) < 0.3, taken - size, taken)


@st.composite
def along_axis(draw, repeated=True):
    """Draw (shape of the data, axis, indices).

    The array of indices may be smaller than the data along any axis and, if indices may repeat, larger along this one.
    """
    shape = draw(shapes(1, 3))
    axis = draw(st.integers(0, len(shape) - 1))
    part = tuple(draw(st.integers(1, d)) for d in shape)
    rng = np.random.default_rng(draw(seeds))
    if not repeated:
        return shape, axis, different(rng, part, axis, shape[axis])
    longer = tuple(draw(st.integers(1, 4)) if a == axis else d for a, d in enumerate(part))
    return shape, axis, rng.integers(-shape[axis], shape[axis], longer)


as_data_or_not = pytest.mark.parametrize("as_data", [False, True], ids=["constant", "data"])


@as_data_or_not
@examples(12)
@given(drawn=along_axis(), seed=seeds)
def test_gather_elements(as_data, drawn, seed):
    shape, axis, indices = drawn
    nodes = [node("Mul", "u v", "h"), node("GatherElements", "h i", "z", axis=axis), node("Mul", "z z", "y")]
    check_case(case_of(nodes, {"u": values(seed, *shape), "v": values(seed + 1, *shape)}, indices, as_data, seed))


@as_data_or_not
@examples(12)
@given(data=st.data(), batch_dims=st.integers(0, 1), seed=seeds)
def test_gather_nd(as_data, data, batch_dims, seed):
    shape = data.draw(shapes(batch_dims + 1, 4))
    depth = data.draw(st.integers(1, len(shape) - batch_dims))
    points = data.draw(st.lists(st.integers(1, 3), min_size=0 if batch_dims else 1, max_size=2))
    rng = np.random.default_rng(seed)
    sizes = np.array(shape[batch_dims : batch_dims + depth])
    indices = rng.integers(-sizes, sizes, (*shape[:batch_dims], *points, depth))
    nodes = [node("Mul", "u v", "h"), node("GatherND", "h i", "z", batch_dims=batch_dims), node("Mul", "z z", "y")]
    check_case(case_of(nodes, {"u": values(seed, *shape), "v": values(seed + 1, *shape)}, indices, as_data, seed))


@as_data_or_not
@pytest.mark.parametrize("reduction", ["none", "add", "max", "min"])
@examples(8)
@given(data=st.data(), seed=seeds)
def test_scatter_elements(as_data, reduction, data, seed):
    """If there is no reduction, nothing is written twice, which ONNX leaves open."""
    shape, axis, indices = data.draw(along_axis(reduction != "none"))
    nodes = [
        node("Mul", "u v", "h"),
        node("ScatterElements", "h i w", "z", axis=axis, reduction=reduction),
        node("Mul", "z z", "y"),
    ]
    weights = {"u": values(seed, *shape), "v": values(seed + 1, *shape), "w": values(seed + 2, *indices.shape)}
    check_case(case_of(nodes, weights, indices, as_data, seed))


@as_data_or_not
@pytest.mark.parametrize("reduction", ["none", "add", "max", "min"])
@examples(8)
@given(data=st.data(), seed=seeds)
def test_scatter_nd(as_data, reduction, data, seed):
    shape = data.draw(shapes(1, 3))
    depth = data.draw(st.integers(1, len(shape)))
    rng = np.random.default_rng(seed)
    everywhere = np.argwhere(np.ones(shape[:depth]))
    count = data.draw(st.integers(1, 5 if reduction != "none" else len(everywhere)))
    indices = everywhere[rng.choice(len(everywhere), count, replace=reduction != "none")]
    indices = np.where(rng.random(indices.shape) < 0.3, indices - np.array(shape[:depth]), indices)
    nodes = [node("Mul", "u v", "h"), node("ScatterND", "h i w", "z", reduction=reduction), node("Mul", "z z", "y")]
    weights = {"u": values(seed, *shape), "v": values(seed + 1, *shape), "w": values(seed + 2, count, *shape[depth:])}
    check_case(case_of(nodes, weights, indices, as_data, seed))


@pytest.mark.parametrize("reduction", ["max", "min"])
def test_equal_ones_share_the_gradient_as_in_torch(reduction, profile):
    """Data and two updates of one place."""
    data, updates = np.array([2, 1, 3], np.float32), np.array([2, 2, 1, 0], np.float32)
    indices = np.array([0, 0, 1, 2])
    case = Case(make_model([node("ScatterElements", "d i u", "y", reduction=reduction)],
                           {"d": data, "i": indices, "u": updates}))  # fmt: skip
    tensors = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in (data, updates)]
    y = tensors[0].scatter_reduce(0, torch.tensor(indices), tensors[1], f"a{reduction}")
    y.backward(torch.tensor(case.weights, dtype=torch.float64))
    with Session(compile_twice(case.artifacts)[0], profile) as session:
        poisoned(session, session.train_step)
        for name, tensor in zip("du", tensors, strict=True):
            np.testing.assert_allclose(np.array(session.gradient(name)), tensor.grad.numpy(), 1e-6)


def test_a_product_at_places_has_no_gradient():
    weights = {"d": values(1, 3), "i": np.array([0, 1]), "u": values(2, 2)}
    with pytest.raises(UnsupportedOperator, match="reduction mul"):
        check_case(Case(make_model([node("ScatterElements", "d i u", "y", reduction="mul")], weights)))


@pytest.mark.parametrize("op_type, indices", [("GatherElements", [[3], [0]]), ("GatherND", [[-3, 0]])])
def test_indices_out_of_range(op_type, indices, profile):
    """Constant indices are refused, and those in data stop the program."""
    x = values(1, 2, 2)
    known = make_model([node(op_type, "x i", "y")], {"x": x, "i": np.array(indices)})
    with pytest.raises(ModelError, match="leave axes of sizes"):
        compile_model(known)
    with pytest.raises(RuntimeFault, match="INDEX_OUT_OF_RANGE|index"):
        run_node(node(op_type, "x i", "y"), [x, np.array(indices)], profile=profile)


# ---- The first of all in order


@examples(12)
@given(data=st.data(), shape=shapes(1, 3), largest=st.integers(0, 1), seed=seeds)
def test_top_k(data, shape, largest, seed):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    k = data.draw(st.integers(1, shape[axis]))
    nodes = [node("TopK", "w k", "z i", axis=axis, largest=largest), node("Mul", "z z", "y")]
    check_case(Case(make_model(nodes, {"w": values(seed, *shape), "k": np.array([k])}), seed=seed))


def test_top_k_of_a_batch():
    middle = [node("Mul", "x w", "h"), node("TopK", "h k", "z i", axis=1), node("Mul", "z z", "y")]
    model = make_model(middle, {"w": values(1, 4), "k": np.array([2])}, {"x": ("N", 4)})
    check_case(Case(model, {"x": values(2, 3, 4)}, batch=3))


TIES = np.array(
    [[1, np.nan, 3, np.nan, 0], [2, 5, 5, -1, 5], [-0.0, 0.0, 0.0, -0.0, -3], [np.inf, -np.inf, 1, 1, np.inf]],
    np.float32,
)


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("keepdims", [0, 1])
@pytest.mark.parametrize("op_type, expected", [("ArgMax", np.argmax), ("ArgMin", np.argmin)])
def test_first_and_last_of_equal_extremes(op_type, expected, keepdims, last, profile):
    found = node(op_type, "x", "y", axis=1, keepdims=keepdims, select_last_index=last)
    (y,) = run_node(found, [TIES], outputs_info=[(np.int64, None)], profile=profile)
    wanted = 4 - expected(TIES[:, ::-1], 1) if last else expected(TIES, 1)
    np.testing.assert_array_equal(y, wanted[:, None] if keepdims else wanted)


@examples(10)
@given(data=st.data(), shape=shapes(1, 4), seed=seeds)
def test_extremes_of_any_shape(data, shape, seed):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = np.random.default_rng(seed).integers(0, 3, shape).astype(np.float32)
    for op_type, expected in (("ArgMax", np.argmax), ("ArgMin", np.argmin)):
        (y,) = run_node(node(op_type, "x", "y", axis=axis, keepdims=0), [x], outputs_info=[(np.int64, None)])
        np.testing.assert_array_equal(y, expected(x, axis))


@pytest.mark.parametrize("largest", [0, 1])
def test_order_of_all(largest, profile):
    """The order is that of a stable sort; -0 is 0, and NaN comes first."""
    infos = [(np.float32, None), (np.int64, None)]
    k = np.array([5])
    z, i = run_node(node("TopK", "x k", "z i", largest=largest), [TIES, k], outputs_info=infos, profile=profile)
    ranks = np.maximum(-TIES if largest else TIES, -3e38)  # an infinite one comes after NaN
    ranks = np.where(np.isnan(TIES), -np.inf, ranks)
    order = np.argsort(ranks, axis=1, kind="stable")
    np.testing.assert_array_equal(i, order)
    np.testing.assert_array_equal(z, np.take_along_axis(TIES, order, 1))


def test_indices_are_outputs_that_the_board_gives(profile):
    """The indices are int32, beside the values that they belong to, and may go on to a Gather."""
    nodes = [
        node("MatMul", "x w", "scores"),
        node("ArgMax", "scores", "label", axis=1, keepdims=0),
        node("Gather", "table label", "y"),
    ]
    weights = {"w": values(1, 3, 4), "table": values(2, 4, 2)}
    model = make_model(nodes, weights, {"x": ("N", 3)})
    model.graph.output.append(helper.make_tensor_value_info("label", TensorProto.INT64, ["N"]))
    x = values(3, 5, 3)
    with Session(compile_model(model, options=Options(batch=5)).image, profile) as session:
        y, label = session.infer(x)
        wanted = (x @ weights["w"]).argmax(1)
        assert label.format == "i"
        np.testing.assert_array_equal(label, wanted)
        np.testing.assert_array_equal(y, weights["table"][wanted])
