"""BatchNormalization is folded if nothing of it trains. A model with one whose scale is computed was refused, because
that one cannot be folded."""

import numpy as np
import onnxruntime
import pytest

from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import UnsupportedOperator
from gradmote_runtime import Session
from support.oracle import make_model, node, values


def model():
    nodes = [
        node("Conv", "x w", "c"),
        node("BatchNormalization", "c scale bias mean var", "n"),
        node("Mul", "s two", "twice"),
        node("BatchNormalization", "n twice bias mean var", "y"),
    ]
    weights = {"w": values(1, 3, 2, 1, 1), "scale": values(2, 3), "bias": values(3, 3), "mean": values(4, 3)}
    weights |= {"var": np.abs(values(5, 3)) + 1, "two": np.array([2.0], np.float32)}
    return make_model(nodes, weights, {"x": ("N", 2, 2, 2), "s": (3,)})


def test_what_is_constant_is_folded_and_the_rest_is_as_if_frozen():
    x, s = values(6, 3, 2, 2, 2), values(7, 3)
    made = build_artifacts(model())
    assert made.batch_norm() == ("inference", 2)
    result = compile_image(made, Options(batch=3))
    (got,) = Session(result.image).infer(x, s)
    expected = onnxruntime.InferenceSession(model().SerializeToString()).run(None, {"x": x, "s": s})[0]
    np.testing.assert_allclose(np.array(got), expected, rtol=1e-5, atol=1e-6)
    opcodes = [i.opcode for i in result.compiled.programs[0].instructions]
    assert opcodes.count("NORMALIZE") == 1  # the second
    assert opcodes.count("MUL") == 1  # 2 s


def test_folding_that_was_asked_for_is_still_refused():
    with pytest.raises(UnsupportedOperator, match="computed 'twice'"):
        build_artifacts(model(), batch_norm="fold")
