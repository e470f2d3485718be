"""Conv, 1-D to 3-D, with every attribute; the gradients of data, weights and bias."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gradmote.artifacts import build_artifacts
from gradmote.compiler import compile_image
from gradmote.errors import UnsupportedOperator
from support.oracle import Case, check_case, examples, make_model, node, seeds, values


def conv_case(seed, x_shape, w_shape, bias=True, **attributes):
    """All of x, w and b are trained, so that every gradient shows."""
    weights = {"x": values(seed, *x_shape), "w": values(seed + 1, *w_shape)}
    if bias:
        weights["b"] = values(seed + 2, w_shape[0])
    nodes = [node("Conv", " ".join(weights), "y", **attributes)]
    return Case(make_model(nodes, weights), seed=seed, reference=False)  # its ConvTranspose is wrong for groups


@st.composite
def geometry(draw, dims):
    """(spatial input, kernel, attributes) with at least one output."""
    kernel = draw(st.lists(st.integers(1, 3), min_size=dims, max_size=dims))
    strides = draw(st.lists(st.integers(1, 3), min_size=dims, max_size=dims))
    dilations = draw(st.lists(st.integers(1, 2), min_size=dims, max_size=dims))
    pads = draw(st.lists(st.integers(0, 2), min_size=2 * dims, max_size=2 * dims))
    inputs = draw(st.lists(st.integers(1, 6), min_size=dims, max_size=dims))
    for axis in range(dims):
        assume(inputs[axis] + pads[axis] + pads[axis + dims] > (kernel[axis] - 1) * dilations[axis])
    return inputs, kernel, {"strides": strides, "dilations": dilations, "pads": pads}


@pytest.mark.parametrize("dims", [1, 2])
@examples(12)
@given(
    data=st.data(), group=st.integers(1, 3), out_channels=st.integers(1, 5), in_channels=st.integers(1, 5), seed=seeds
)
def test_strides_pads_dilations_groups(dims, data, group, out_channels, in_channels, seed):
    inputs, kernel, attributes = data.draw(geometry(dims))
    case = conv_case(
        seed, (2, group * in_channels, *inputs), (group * out_channels, in_channels, *kernel), group=group, **attributes
    )
    check_case(case)


@pytest.mark.parametrize("mode", ["SAME_UPPER", "SAME_LOWER", "VALID"])
@pytest.mark.parametrize("stride", [1, 2])
def test_auto_pad(mode, stride):
    """SAME_UPPER puts the odd cell at the end, SAME_LOWER at the start."""
    check_case(conv_case(3, (1, 2, 5, 6), (3, 2, 2, 3), auto_pad=mode, strides=[stride, stride]))


@examples(12)
@given(
    data=st.data(), group=st.integers(1, 2), out_channels=st.integers(1, 3), in_channels=st.integers(1, 3), seed=seeds
)
def test_three_dimensions(data, group, out_channels, in_channels, seed):
    inputs, kernel, attributes = data.draw(geometry(3))
    assume(np.prod(inputs) <= 60)
    bias = data.draw(st.booleans())
    weights = (group * out_channels, in_channels, *kernel)
    check_case(conv_case(seed, (2, group * in_channels, *inputs), weights, bias, group=group, **attributes))


@pytest.mark.parametrize("mode", ["SAME_UPPER", "SAME_LOWER", "VALID"])
def test_auto_pad_of_three_dimensions(mode):
    check_case(conv_case(3, (1, 2, 4, 3, 5), (2, 2, 2, 2, 3), auto_pad=mode, strides=[2, 1, 2]))


def test_three_dimensions_with_a_symbolic_batch():
    weights = {"w": values(1, 3, 2, 2, 2, 2), "b": values(2, 3), "v": values(3, 3, 1, 1, 1)}
    nodes = [node("Conv", "x w b", "c", pads=[1, 0, 1, 0, 1, 1]), node("Relu", "c", "r"), node("Mul", "r v", "y")]
    model = make_model(nodes, weights, {"x": ("N", 2, 3, 3, 3)})
    check_case(Case(model, {"x": values(4, 2, 2, 3, 3, 3)}, batch=2, reference=False))


def test_depthwise():
    check_case(conv_case(4, (2, 6, 5, 5), (6, 1, 3, 3), group=6, pads=[1, 1, 1, 1]))


def test_data_that_no_window_sees_has_gradient_zero():
    check_case(conv_case(5, (1, 1, 5, 5), (1, 1, 1, 1), strides=[3, 3]))


def test_relu_after_conv_is_fused():
    weights = {"x": values(1, 1, 2, 4, 4), "w": values(2, 3, 2, 3, 3), "b": values(3, 3)}
    model = make_model([node("Conv", "x w b", "c"), node("Relu", "c", "y")], weights)
    case = Case(model, reference=False)
    check_case(case)
    program = compile_image(case.artifacts).compiled.programs[0]
    assert [i.opcode for i in program.instructions].count("RELU") == 0


def test_channels_last_inside_needs_no_copies_between_layers():
    """Convolutions, element-wise operators and pools hand on channels-last values."""
    weights = {"w1": values(1, 4, 2, 3, 3), "w2": values(2, 3, 4, 3, 3)}
    nodes = [
        node("Conv", "x w1", "a", pads=[1, 1, 1, 1]),
        node("Tanh", "a", "b"),
        node("MaxPool", "b", "c", kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", "c w2", "d"),
        node("GlobalAveragePool", "d", "e"),
        node("Flatten", "e", "y"),
    ]
    case = Case(make_model(nodes, weights, {"x": (1, 2, 8, 8)}), {"x": values(0, 1, 2, 8, 8)}, reference=False)
    check_case(case)
    for program in compile_image(case.artifacts).compiled.programs:
        assert "COPY" not in [i.opcode for i in program.instructions]


@pytest.mark.parametrize(
    "x_shape, w_shape, attributes, reason", [((1, 1, 2, 2, 2, 2), (1, 1, 1, 1, 1, 1), {}, "4 spatial")]
)
def test_refusals_name_the_node(x_shape, w_shape, attributes, reason):
    case = conv_case(0, x_shape, w_shape, **attributes)
    case.model.graph.node[0].name = "the_conv"
    with pytest.raises(UnsupportedOperator, match=f"the_conv.*{reason}"):
        compile_image(build_artifacts(case.model, ["w"], lambda b, y: b.op("ReduceSum", y, name="loss", keepdims=0)))


def test_digits_learn():
    """A small CNN on real data: the loss of 60 steps falls below a third."""
    from sklearn.datasets import load_digits

    from gradmote import losses, optimizers
    from gradmote.compiler import Options
    from gradmote_runtime import Session

    weights = {"w1": values(1, 8, 1, 3, 3), "b1": np.zeros(8, np.float32), "w2": values(2, 128, 10) / 4}
    nodes = [
        node("Conv", "x w1 b1", "c", pads=[1, 1, 1, 1]),
        node("Relu", "c", "r"),
        node("MaxPool", "r", "p", kernel_shape=[2, 2], strides=[2, 2]),
        node("Flatten", "p", "f"),
        node("MatMul", "f w2", "y"),
    ]
    model = make_model(nodes, weights, {"x": ("N", 1, 8, 8)})
    made = build_artifacts(model, None, losses.cross_entropy(), optimizers.adam(0.01))
    pixels, digits = load_digits(return_X_y=True)
    pixels = (pixels / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    with Session(compile_image(made, Options(batch=16)).image, "strict") as session:
        seen = [session.step(pixels[i : i + 16], digits[i : i + 16]) for i in range(0, 960, 16)]
    assert np.mean(seen[-10:]) < np.mean(seen[:5]) / 3
