"""ReduceSum and ReduceMean over any axes, which come as an input or, before opset 18, as an attribute."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import numpy_helper

from gradmote.artifacts import build_artifacts
from gradmote.errors import ModelError
from support.oracle import Case, check_case, examples, make_model, node, projection, seeds, shapes, values


def reduce_case(op_type, shape, axes, seed, opset=18, **attributes):
    weights = {"u": values(seed, *shape), "v": values(seed + 1, *shape)}
    as_input = opset >= 18 or op_type == "ReduceSum"
    if axes is not None and as_input:
        weights["axes"] = np.array(axes, np.int64)
    elif axes is not None:
        attributes["axes"] = list(axes)
    inputs = "h axes" if "axes" in weights else "h"
    return Case(
        make_model([node("Mul", "u v", "h"), node(op_type, inputs, "y", **attributes)], weights, opset=opset), seed=seed
    )


@pytest.mark.parametrize("op_type", ["ReduceSum", "ReduceMean"])
@pytest.mark.parametrize("opset", [13, 18])
@examples(12)
@given(data=st.data(), shape=shapes(1, 4), keepdims=st.integers(0, 1), seed=seeds)
def test_any_axes(op_type, opset, data, shape, keepdims, seed):
    axis = st.integers(-len(shape), len(shape) - 1)
    axes = data.draw(st.none() | st.lists(axis, min_size=1, max_size=len(shape), unique_by=lambda a: a % len(shape)))
    check_case(reduce_case(op_type, shape, axes, seed, opset, keepdims=keepdims))


@pytest.mark.parametrize("keepdims", [0, 1])
def test_no_axes_may_mean_no_reduction(keepdims):
    check_case(reduce_case("ReduceSum", (2, 3), [], 1, keepdims=keepdims, noop_with_empty_axes=1))


@pytest.mark.parametrize("keepdims", [0, 1])
def test_empty_axes_mean_all(keepdims):
    check_case(reduce_case("ReduceSum", (2, 3), [], 1, keepdims=keepdims))


@pytest.mark.parametrize("op_type", ["ReduceSum", "ReduceMean"])
def test_reduction_of_a_transposed_weight(op_type):
    nodes = [node("Transpose", "w", "t", perm=[2, 0, 1]), node(op_type, "t axes", "y", keepdims=0)]
    check_case(Case(make_model(nodes, {"w": values(1, 2, 3, 4), "axes": np.array([0, 2], np.int64)})))


def test_over_the_batch():
    """The batch is symbolic when gradients are built."""
    weights = {"w": values(1, 3), "axes": np.array([0], np.int64)}
    nodes = [node("Mul", "x w", "h"), node("ReduceMean", "h axes", "y")]
    check_case(Case(make_model(nodes, weights, {"x": ("N", 3)}), {"x": values(2, 4, 3)}, batch=4))


def test_axis_out_of_range_is_refused():
    case = reduce_case("ReduceSum", (2, 3), [1], 1)
    case.model.graph.initializer[-1].CopyFrom(numpy_helper.from_array(np.array([2], np.int64), "axes"))
    with pytest.raises(ModelError, match="axis must be in"):
        build_artifacts(case.model, None, projection(np.ones((), np.float32)))
