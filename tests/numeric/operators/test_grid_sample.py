"""GridSample against PyTorch: values, and the gradients of data and grid."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradmote.compiler import compile_model
from gradmote.errors import UnsupportedOperator
from gradmote_runtime import Session
from support.oracle import (
    Case,
    compile_twice,
    examples,
    host_profiles,
    make_model,
    node,
    poisoned,
    run_ort,
    seeds,
    values,
)

MODES = {"linear": "bilinear", "nearest": "nearest", "cubic": "bicubic"}
PADDINGS = ["zeros", "border", "reflection"]


def sampled(x, grid, mode, padding, aligned):
    """PyTorch's result, and the gradients of both for weights that are drawn."""
    tensors = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in (x, grid)]
    y = torch.nn.functional.grid_sample(*tensors, MODES[mode], padding, aligned)
    return tensors, y


def check(x, grid, mode, padding, aligned, opset=20):
    settings = {"mode": mode if opset == 20 else MODES[mode], "padding_mode": padding, "align_corners": int(aligned)}
    model = make_model([node("GridSample", "x g", "y", **settings)], {"x": x, "g": grid}, opset=opset)
    tensors, y = sampled(x, grid, mode, padding, aligned)
    names = "x" if mode == "nearest" else "xg"  # a step has no slope
    case = Case(model, train=list(names))
    case.weights = values(7, *y.shape)
    y.backward(torch.tensor(case.weights, dtype=torch.float64))
    training = run_ort(case.artifacts.training, case.feeds)
    for profile in host_profiles():
        with Session(compile_twice(case.artifacts)[0], profile) as session:
            np.testing.assert_allclose(np.array(session.infer()[0]), y.detach().numpy(), 1e-4, 2e-5)
            poisoned(session, session.train_step)
            for name, tensor in zip(names, tensors, strict=False):
                found = np.array(session.gradient(name))
                np.testing.assert_allclose(found, tensor.grad.numpy(), 1e-3, 1e-4)
                np.testing.assert_allclose(found, training[f"{name}_grad"], 1e-4, 1e-4)


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("mode", MODES)
@examples(2)
@given(data=st.data(), seed=seeds)
def test_two_dimensions(mode, padding, aligned, data, seed):
    """Points are inside and outside of the data; none of the draws has one on a kink."""
    if mode == "cubic" and padding == "border":
        return
    size, out = (data.draw(st.tuples(st.integers(2, 4), st.integers(1, 4))) for _ in range(2))
    grid = np.random.default_rng(seed).uniform(-1.7, 1.7, (2, *out, 2)).astype(np.float32)
    check(values(seed, 2, 2, *size), grid, mode, padding, aligned)


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("mode", ["linear", "nearest"])
def test_three_dimensions(mode, padding):
    grid = np.random.default_rng(2).uniform(-1.4, 1.4, (1, 2, 2, 3, 3)).astype(np.float32)
    check(values(3, 1, 2, 3, 2, 4), grid, mode, padding, False)


def test_words_of_the_older_opset():
    grid = np.random.default_rng(2).uniform(-1.4, 1.4, (1, 2, 2, 2)).astype(np.float32)
    check(values(3, 1, 2, 3, 4), grid, "linear", "zeros", False, 16)


def test_cubic_over_the_border_is_refused():
    made = [node("GridSample", "x g", "y", mode="cubic", padding_mode="border")]
    model = make_model(made, {"x": values(1, 1, 1, 3, 3), "g": values(2, 1, 2, 2, 2)}, opset=20)
    with pytest.raises(UnsupportedOperator, match="padding_mode border"):
        compile_model(model)
