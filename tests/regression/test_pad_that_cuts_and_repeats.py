"""Pads below 0 cut first; reflect, edge and wrap then repeat the rest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote import onnx_backend, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import ModelError
from gradmote_runtime import Session
from support.oracle import examples, make_model, node, projection, run_ort, values

MODES = ["constant", "edge", "reflect", "wrap"]


def test_wrap_repeats_what_was_left():
    model = make_model([node("Pad", "x pads", "y", mode="wrap")], {"pads": [0, -1, 0, 1]}, {"x": (1, 5)}, opset=19)
    (y,) = onnx_backend.run_model(model, [np.arange(5, dtype=np.float32)[None]])
    np.testing.assert_array_equal(y, [[1, 2, 3, 4, 1]])


@pytest.mark.parametrize("mode", MODES)
def test_a_pad_that_leaves_nothing_is_refused(mode):
    model = make_model([node("Pad", "x pads", "y", mode=mode)], {"pads": [0, -3, 0, 2]}, {"x": (1, 3)}, opset=19)
    with pytest.raises(ModelError, match="Pad"):
        onnx_backend.run_model(model, [values(1, 1, 3)])


@st.composite
def pads(draw):
    """Draw shape, mode, pads and the axes that they are for, in any order. At most as much is repeated as remains after
    the cuts."""
    mode, shape = draw(st.sampled_from(MODES)), draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    axes = draw(st.permutations(range(len(shape))))[: draw(st.integers(1, len(shape)))]
    before, after = [], []
    for axis in axes:
        cut = [draw(st.integers(0, shape[axis] - 1))]
        cut.append(draw(st.integers(0, shape[axis] - 1 - cut[0])))
        left = shape[axis] - sum(cut)
        longest = {"reflect": left - 1, "wrap": left}.get(mode, 3)
        sides = [-c if c else draw(st.integers(0, longest)) for c in cut]
        before.append(sides[0])
        after.append(sides[1])
    named = [a - len(shape) if draw(st.booleans()) else a for a in axes]
    return mode, shape, before + after, named


def model_of(mode, shape, sizes, axes, weight):
    """y = Pad(Mul(x, w))."""
    nodes = [node("Mul", "x w", "h"), node("Pad", "h pads - axes", "y", mode=mode)]
    return make_model(nodes, {"w": weight, "pads": sizes, "axes": axes}, {"x": shape}, opset=19)


@examples(60)
@given(pads())
def test_any_pads_on_any_axes_are_those_of_onnxruntime(case):
    x = values(1, *case[1])
    model = model_of(*case, values(2, *case[1]))
    (y,) = onnx_backend.run_model(model, [x])
    np.testing.assert_array_equal(y, run_ort(model, {"x": x})["y"])


@examples(25)
@given(pads())
def test_gradients_are_sums_over_the_places_an_element_went_to(case):
    """onnxruntime pads the elements' numbers, from 1: so the result shows the places that each went to."""
    shape = case[1]
    numbers = np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
    went = run_ort(model_of(*case, np.ones(shape, np.float32)), {"x": numbers})["y"].astype(int)
    x, factors = values(1, *shape), values(3, *went.shape)
    expected = np.bincount(went.reshape(-1), factors.reshape(-1), numbers.size + 1)[1:].reshape(shape) * x
    made = build_artifacts(model_of(*case, values(2, *shape)), ["w"], projection(factors), optimizers.sgd(0.1))
    with Session(compile_image(made, Options(batch=None, accumulate=True)).image) as session:
        session.train_step(x)
        np.testing.assert_allclose(session.gradient("w"), expected, rtol=1e-5, atol=1e-6)
