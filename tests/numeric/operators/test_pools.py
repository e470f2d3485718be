"""MaxPool, AveragePool and the global pools, 1-D to 3-D, with every attribute."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from gradmote.artifacts import build_artifacts
from gradmote.compiler import compile_image
from gradmote.errors import UnsupportedOperator
from support.oracle import Case, check_case, examples, make_model, node, seeds, values


def pool_case(op_type, seed, shape, opset=18, **attributes):
    model = make_model([node(op_type, "w", "y", **attributes)], {"w": values(seed, *shape)}, opset=opset)
    return Case(model, seed=seed, reference=False)  # onnx.reference pools wrongly for some paddings


@st.composite
def geometry(draw, dims):
    """(spatial input, attributes); padding smaller than the kernel, as ONNX asks."""
    kernel = draw(st.lists(st.integers(1, 3), min_size=dims, max_size=dims))
    strides = draw(st.lists(st.integers(1, 3), min_size=dims, max_size=dims))
    pads = [draw(st.integers(0, k - 1)) for k in (*kernel, *kernel)]
    inputs = draw(st.lists(st.integers(2, 7), min_size=dims, max_size=dims))
    for axis in range(dims):
        free = inputs[axis] + pads[axis] + pads[axis + dims] - kernel[axis]
        assume(free >= 0)
        assume(-(-free // strides[axis]) * strides[axis] < inputs[axis] + pads[axis])  # else ceil_mode is refused
    return inputs, {"kernel_shape": kernel, "strides": strides, "pads": pads}


@pytest.mark.parametrize("dims", [1, 2])
@pytest.mark.parametrize("ceil_mode", [0, 1])
@examples(8)
@given(data=st.data(), seed=seeds)
def test_max_pool(dims, ceil_mode, data, seed):
    inputs, attributes = data.draw(geometry(dims))
    check_case(pool_case("MaxPool", seed, (2, 3, *inputs), ceil_mode=ceil_mode, **attributes))


def test_dilated_max_pool():
    check_case(pool_case("MaxPool", 1, (1, 2, 7, 6), kernel_shape=[2, 3], dilations=[2, 2], strides=[2, 1]))


@pytest.mark.parametrize("dims", [1, 2])
@pytest.mark.parametrize("ceil_mode", [0, 1])
@pytest.mark.parametrize("count_include_pad", [0, 1])
@examples(6)
@given(data=st.data(), seed=seeds)
def test_average_pool(dims, ceil_mode, count_include_pad, data, seed):
    inputs, attributes = data.draw(geometry(dims))
    attributes |= {"ceil_mode": ceil_mode, "count_include_pad": count_include_pad}
    check_case(pool_case("AveragePool", seed, (2, 3, *inputs), opset=19, **attributes))


@pytest.mark.parametrize("op_type", ["MaxPool", "AveragePool"])
@pytest.mark.parametrize("mode", ["SAME_UPPER", "SAME_LOWER", "VALID"])
def test_auto_pad(op_type, mode):
    check_case(pool_case(op_type, 2, (1, 2, 5, 6), kernel_shape=[2, 3], strides=[2, 2], auto_pad=mode))


@pytest.mark.parametrize("op_type", ["GlobalAveragePool", "GlobalMaxPool"])
@pytest.mark.parametrize("spatial", [(5,), (4, 3)])
def test_global_pools(op_type, spatial):
    check_case(pool_case(op_type, 3, (2, 4, *spatial)))


THREE_DIMENSIONS = {
    "plain": {"kernel_shape": [2, 2, 1]},
    "strided": {"kernel_shape": [2, 1, 2], "strides": [1, 2, 2], "pads": [1, 0, 1, 0, 0, 1]},
    "dilated": {"kernel_shape": [2, 2, 2], "dilations": [2, 1, 1]},
    "ceil": {"kernel_shape": [2, 2, 2], "strides": [2, 2, 2], "ceil_mode": 1},
    "same": {"kernel_shape": [3, 2, 2], "strides": [2, 1, 2], "auto_pad": "SAME_UPPER"},
}


@pytest.mark.parametrize("op_type", ["MaxPool", "AveragePool"])
@pytest.mark.parametrize("form", THREE_DIMENSIONS)
def test_pool_over_three_dimensions(op_type, form):
    check_case(pool_case(op_type, 4, (1, 2, 3, 3, 3), opset=19, **THREE_DIMENSIONS[form]))


def test_padded_average_over_three_dimensions():
    attributes = {"kernel_shape": [2, 2, 2], "pads": [1, 0, 1, 0, 1, 1], "count_include_pad": 1}
    check_case(pool_case("AveragePool", 4, (1, 2, 3, 3, 2), opset=19, **attributes))


@pytest.mark.parametrize("op_type", ["GlobalAveragePool", "GlobalMaxPool"])
def test_global_pools_over_three_dimensions(op_type):
    check_case(pool_case(op_type, 5, (2, 2, 2, 3, 2)))


def test_indices_that_are_used_are_refused():
    model = make_model([node("MaxPool", "w", "y i", kernel_shape=[2])], {"w": values(1, 1, 1, 4)})
    model.graph.output.append(helper.make_tensor_value_info("i", TensorProto.INT64, [1, 1, 3]))
    with pytest.raises(UnsupportedOperator, match="the indices of a MaxPool are used"):
        compile_image(build_artifacts(model))


def test_window_without_an_element_is_refused():
    """Here onnx's shape inference and runtimes disagree on the number of outputs."""
    case = pool_case("AveragePool", 0, (1, 1, 2), opset=19, kernel_shape=[1], strides=[2], ceil_mode=1)
    with pytest.raises(UnsupportedOperator, match="without a single element"):
        check_case(case)
