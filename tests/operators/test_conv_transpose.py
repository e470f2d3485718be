"""ConvTranspose, 1-D and 2-D; the gradients of data, weights and bias."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle import Case, check_case, examples, make_model, node, seeds, values

from gradmote.artifacts import build_artifacts
from gradmote.compile import compile_image
from gradmote.errors import UnsupportedOperator


def transpose_case(seed, x_shape, w_shape, group=1, **attributes):
    weights = {"x": values(seed, *x_shape), "w": values(seed + 1, *w_shape), "b": values(seed + 2, w_shape[1] * group)}
    nodes = [node("ConvTranspose", "x w b", "y", group=group, **attributes)]
    return Case(make_model(nodes, weights), seed=seed, reference=False)  # its ConvTranspose is wrong for groups


@pytest.mark.parametrize("dims", [1, 2])
@examples(12)
@given(data=st.data(), channels=st.integers(1, 5), maps=st.integers(1, 5), seed=seeds)
def test_strides_pads_dilations(dims, data, channels, maps, seed):
    def draw(low, high, count=dims):
        return data.draw(st.lists(st.integers(low, high), min_size=count, max_size=count))

    inputs, kernel, strides, dilations, pads = draw(1, 4), draw(1, 3), draw(1, 3), draw(1, 2), draw(0, 1, 2 * dims)
    extra = [data.draw(st.integers(0, max(s, d) - 1)) for s, d in zip(strides, dilations)]
    for axis in range(dims):
        reach = (inputs[axis] - 1) * strides[axis] + (kernel[axis] - 1) * dilations[axis] + 1 + extra[axis]
        assume(reach > pads[axis] + pads[axis + dims] and extra[axis] < strides[axis])
    attributes = {"strides": strides, "dilations": dilations, "pads": pads, "output_padding": extra}
    check_case(transpose_case(seed, (2, channels, *inputs), (channels, maps, *kernel), **attributes))


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


def check_gradients_of(case, expected):
    from oracle import assert_all_close, compile_twice, host_profiles, poisoned, read_gradients

    from gradmote_runtime import Session

    for profile in host_profiles():
        with Session(compile_twice(case.artifacts)[0], profile) as session:
            poisoned(session, session.train_step, *case.feeds.values())
            assert_all_close(read_gradients(session), expected, 1e-4, "C runtime against PyTorch")


def test_auto_pad_is_refused():
    case = transpose_case(0, (1, 1, 3), (1, 1, 2), auto_pad="SAME_UPPER", strides=[2])
    with pytest.raises(UnsupportedOperator, match="explicit pads"):
        compile_image(build_artifacts(case.model, ["w"], lambda b, y: b.op("ReduceSum", y, name="loss", keepdims=0)))
