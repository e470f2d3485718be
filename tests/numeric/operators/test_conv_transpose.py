"""ConvTranspose, 1-D to 3-D; the gradients of data, weights and bias."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from gradmote import compile_model
from gradmote.errors import UnsupportedOperator
from gradmote_runtime import Session
from support.oracle import (
    Case,
    assert_all_close,
    assert_close,
    check_case,
    compile_twice,
    examples,
    gradients_of,
    host_profiles,
    make_model,
    node,
    poisoned,
    read_gradients,
    run_ort,
    seeds,
    values,
)


def transpose_case(seed, x_shape, w_shape, group=1, **attributes):
    weights = {"x": values(seed, *x_shape), "w": values(seed + 1, *w_shape), "b": values(seed + 2, w_shape[1] * group)}
    nodes = [node("ConvTranspose", "x w b", "y", group=group, **attributes)]
    return Case(make_model(nodes, weights), seed=seed, reference=False)  # its ConvTranspose is wrong for groups


@pytest.mark.parametrize("dims", [1, 2])
@examples(12)
@given(data=st.data(), in_channels=st.integers(1, 5), out_channels=st.integers(1, 5), seed=seeds)
def test_strides_pads_dilations(dims, data, in_channels, out_channels, seed):
    def draw(low, high, count=dims):
        return data.draw(st.lists(st.integers(low, high), min_size=count, max_size=count))

    inputs, kernel, strides, dilations, pads = draw(1, 4), draw(1, 3), draw(1, 3), draw(1, 2), draw(0, 1, 2 * dims)
    extra = [data.draw(st.integers(0, max(s, d) - 1)) for s, d in zip(strides, dilations)]
    for axis in range(dims):
        reach = (inputs[axis] - 1) * strides[axis] + (kernel[axis] - 1) * dilations[axis] + 1 + extra[axis]
        assume(reach > pads[axis] + pads[axis + dims] and extra[axis] < strides[axis])
    attributes = {"strides": strides, "dilations": dilations, "pads": pads, "output_padding": extra}
    check_case(transpose_case(seed, (2, in_channels, *inputs), (in_channels, out_channels, *kernel), **attributes))


def test_groups_against_pytorch():
    """onnx.reference, which the float64 gradients come from, has groups wrong."""
    import torch

    case = transpose_case(1, (2, 6, 4, 3), (6, 2, 3, 2), group=3, strides=[2, 1], pads=[1, 0, 0, 1])
    case.weights = values(9, 2, 6, 8, 3)
    tensors = {n: torch.from_numpy(a).double().requires_grad_() for n, a in case.artifacts.parameters.items()}
    y = torch.nn.functional.conv_transpose2d(tensors["x"], tensors["w"], tensors["b"], stride=(2, 1), groups=3)
    y = y[:, :, 1:, :-1]
    (y * torch.from_numpy(case.weights)).sum().backward()
    assert y.shape == case.weights.shape
    check_gradients_of(case, {n: t.grad.numpy() for n, t in tensors.items()})


@examples(10)
@given(data=st.data(), group=st.integers(1, 2), seed=seeds)
def test_three_dimensions_against_pytorch(data, group, seed):
    import torch

    def draw(low, high):
        return data.draw(st.lists(st.integers(low, high), min_size=3, max_size=3))

    inputs, kernel, strides, dilations, pads = draw(1, 3), draw(1, 3), draw(1, 3), draw(1, 2), draw(0, 1)
    extra = [data.draw(st.integers(0, s - 1)) for s in strides]
    reach = [(i - 1) * s + (k - 1) * d + 1 + e for i, s, k, d, e in zip(inputs, strides, kernel, dilations, extra)]
    assume(all(r > 2 * p for r, p in zip(reach, pads)))
    settings = {"strides": strides, "dilations": dilations, "output_padding": extra, "pads": [*pads, *pads]}
    case = transpose_case(seed, (2, 2 * group, *inputs), (2 * group, 2, *kernel), group, **settings)
    case.weights = values(9, 2, 2 * group, *(r - 2 * p for r, p in zip(reach, pads)))
    x, w, b = (torch.from_numpy(a).double().requires_grad_() for a in case.artifacts.parameters.values())
    # PyTorch wants output_padding below a stride or a dilation, as it is here.
    y = torch.nn.functional.conv_transpose3d(x, w, b, strides, pads, extra, group, dilations)
    (y * torch.from_numpy(case.weights)).sum().backward()
    gradients = [tensor.grad.numpy() for tensor in (x, w, b)]
    check_gradients_of(case, dict(zip(case.artifacts.parameters, gradients, strict=True)))
    for profile in host_profiles():
        with Session(compile_twice(case.artifacts)[0], profile) as session:
            assert_close(np.array(session.infer()[0]), y.detach().numpy(), 1e-4, "C runtime: inference")


@pytest.mark.parametrize("output", [[10, 8, 5], [8, 6, 3], [7, 8, 4]])
def test_output_shape_of_three_dimensions(output):
    check_against_ort(transpose_case(4, (1, 2, 3, 3, 2), (2, 2, 3, 3, 2), strides=[3, 2, 2], output_shape=output))


def test_output_padding_of_more_than_a_stride_against_pytorch():
    """Such a padding needs a dilated kernel; onnx.reference refuses it."""
    import torch

    case = transpose_case(2, (2, 2, 4), (2, 3, 2), strides=[1], dilations=[3], output_padding=[2])
    case.weights = values(9, 2, 3, 9)
    tensors = {n: torch.from_numpy(a).double().requires_grad_() for n, a in case.artifacts.parameters.items()}
    y = torch.nn.functional.conv_transpose1d(tensors["x"], tensors["w"], tensors["b"], dilation=3, output_padding=2)
    (y * torch.from_numpy(case.weights)).sum().backward()
    check_gradients_of(case, {n: t.grad.numpy() for n, t in tensors.items()})


def check_gradients_of(case, expected):
    for profile in host_profiles():
        with Session(compile_twice(case.artifacts)[0], profile) as session:
            poisoned(session, session.train_step, *case.feeds.values())
            assert_all_close(read_gradients(session), expected, 1e-4, "C runtime against PyTorch")


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER", "VALID"])
@pytest.mark.parametrize("kernel, strides", [(3, 2), (2, 1), (4, 3), (2, 3)])
def test_auto_pad(auto_pad, kernel, strides):
    """float64 knows explicit pads alone: the sizes are compared with those of onnxruntime."""
    attributes = {"strides": [strides], "auto_pad": auto_pad}
    check_against_ort(transpose_case(3, (2, 2, 4), (2, 3, kernel), **attributes))


@pytest.mark.parametrize("output", [[10, 8], [9, 7], [8, 6], [7, 8]])
def test_output_shape(output):
    """The output is smaller than without pads, as large, and larger."""
    check_against_ort(transpose_case(4, (1, 2, 3, 3), (2, 2, 3, 3), strides=[3, 2], output_shape=output))


@pytest.mark.parametrize(("output", "attributes"), [([12, 7], {}), ([9, 9], {}), ([12, 7], {"output_padding": [2, 0]})])
def test_an_output_shape_with_room_for_further_elements_is_refused_as_by_onnxruntime(output, attributes):
    made = node("ConvTranspose", "x w", "y", strides=[3, 2], output_shape=output, **attributes)
    shapes = {"x": (1, 2, 3, 3), "y": (1, 2, *output)}
    x, y = [helper.make_tensor_value_info(name, 1, shape) for name, shape in shapes.items()]
    graph = helper.make_graph([made], "g", [x], [y], [numpy_helper.from_array(values(2, 2, 2, 3, 3), "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    with pytest.raises(UnsupportedOperator, match=r"is larger than \[11, 8\]"):
        compile_model(model, batch=None)
    with pytest.raises(Exception, match="inconsistent"):
        run_ort(model, {"x": values(1, 1, 2, 3, 3)})


def check_against_ort(case):
    """Outputs and gradients of onnxruntime on the model and on our training model; the latter against PyTorch above."""
    y = run_ort(case.model, {})["y"]
    case.weights = values(9, *y.shape)
    expected = gradients_of(run_ort(case.artifacts.training, case.feeds), list(case.artifacts.parameters))
    check_gradients_of(case, expected)
    for profile in host_profiles():
        with Session(compile_twice(case.artifacts)[0], profile) as session:
            assert_close(np.array(poisoned(session, session.infer)[0]), y, 2e-5, "C runtime: inference")
