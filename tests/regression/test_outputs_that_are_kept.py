"""The outputs of infer() were views of the arena, over which the next call wrote."""

from __future__ import annotations

import numpy as np

from gradmote import Session
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from support.oracle import make_model, node, values


def test_outputs_stay_what_they_were_after_later_calls():
    model = make_model(
        [node("MatMul", "x w", "y"), node("Relu", "y", "z")], {"w": values(1, 6, 4)}, {"x": (2, 6)}, ("y", "z")
    )
    session = Session(compile_image(build_artifacts(model), Options(batch=2)).image)
    kept = [session.infer(values(k, 2, 6)) for k in range(3)]
    session.poison()
    for k, (y, z) in enumerate(kept):
        np.testing.assert_allclose(y, values(k, 2, 6) @ values(1, 6, 4), rtol=1e-5)
        np.testing.assert_array_equal(z, np.maximum(y, 0))


def test_output_is_a_view():
    model = make_model([node("MatMul", "x w", "y")], {"w": values(1, 6, 4)}, {"x": (2, 6)})
    session = Session(compile_image(build_artifacts(model), Options(batch=2)).image)
    (first,) = session.infer(values(1, 2, 6))
    view = session.output(0)
    (second,) = session.infer(values(2, 2, 6))
    np.testing.assert_array_equal(view, second)
    assert not np.array_equal(view, first)
