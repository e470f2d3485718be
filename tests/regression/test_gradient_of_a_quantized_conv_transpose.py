"""The gradient of a quantized ConvTranspose's weight swaps two operands: the layer's input is in the place that other
layers use for their gradient. The input's own values trained the weight; if the sizes did not agree, no session opened
the image."""

import numpy as np
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote_runtime import Session
from support.oracle import run_ort_plainly
from support.quantized.drawn import QdqNetwork

BATCH = 2


@pytest.mark.parametrize("gradients", ["int16", "float"])
@pytest.mark.parametrize("channels", [3, 8], ids=["as many outputs", "more outputs"])
def test_its_gradient_is_that_of_the_training_model(channels: int, gradients: str) -> None:
    net = QdqNetwork(np.random.default_rng(1), shapes={"x": (1, 3, 5, 5)})
    net.quantize()
    w, _ = net.weight("w", (3, channels, 3, 3), "int8", None)
    net.value = net.add("ConvTranspose", [net.value, w], (1, channels, 5, 5), pads=[1] * 4)
    made = build_artifacts(net.model(), None, losses.mse(), optimizers.sgd(0.01))
    rng = np.random.default_rng(0)
    x = rng.normal(0, 1, (BATCH, 3, 5, 5)).astype(np.float32)
    y = rng.normal(0, 1, (BATCH, channels, 5, 5)).astype(np.float32)
    label = next(value.name for value in made.training.graph.input if value.name not in ("x", *made.parameters))
    expected = run_ort_plainly(made.training, {"x": x, label: y})["w_grad"]
    image = compile_image(made, Options(batch=BATCH, accumulate=True, gradients=gradients)).image
    with Session(image) as session:
        session.train_step(x, y)
        found = np.array(session.gradient("w"))
    assert np.linalg.norm(found - expected) < 5e-3 * np.linalg.norm(expected)
