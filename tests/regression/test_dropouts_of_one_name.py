"""Two Dropout nodes of one name, which ONNX allows, drew the same random numbers."""

import numpy as np

from gradmote import optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote_runtime import Session
from support.oracle import make_model, node, projection, read_gradients


def test_two_dropouts_of_one_name_draw_apart():
    ones = np.ones(400, np.float32)
    nodes = [node("Dropout", "a", "p", name="drop"), node("Dropout", "b", "q", name="drop"), node("Add", "p q", "y")]
    artifacts = build_artifacts(make_model(nodes, {"a": ones, "b": ones}), None, projection(ones), optimizers.sgd())
    session = Session(compile_image(artifacts, Options(accumulate=True)).image, "strict")
    session.train_step()
    masks = read_gradients(session)
    assert 0.3 < (masks["a"] == masks["b"]).mean() < 0.7
