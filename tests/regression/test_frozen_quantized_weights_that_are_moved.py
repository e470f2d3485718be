"""A frozen weight of one scale in a convolution over three dimensions was refused: its Reshape moved in front of its
DequantizeLinear, and was not computed there."""

import numpy as np
import onnx
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote_runtime import Session
from support.quantized import reference
from support.quantized.drawn import QdqNetwork

SHAPE = (2, 1, 3, 4, 4)


def network(form: str, axis: int | None) -> onnx.ModelProto:
    net = QdqNetwork(np.random.default_rng(1), shapes={"x": SHAPE})
    net.quantize()
    n, _, *volume = SHAPE
    for channels in (3, 2):
        w, _ = net.weight(f"w{channels}", (channels, net.shape[1], 3, 3, 3), form, axis)
        net.value = net.add("Conv", [net.value, w], (n, channels, *volume), pads=[1] * 6)
        net.quantize()
    return net.model()


@pytest.mark.parametrize("scheme", ["full", "last:1"])
@pytest.mark.parametrize("axis", [None, 0])
@pytest.mark.parametrize("form", ["int8", "uint8", "float32"])
def test_compiles_and_computes_as_onnxruntime(form: str, axis: int | None, scheme: str) -> None:
    model = network(form, axis)
    made = build_artifacts(model, None, losses.mse(), optimizers.sgd(0.01), scheme=scheme)
    feeds = reference.noise(model, SHAPE[0])
    with Session(compile_image(made, Options(batch=SHAPE[0])).image) as session:
        assert np.array_equal(session.infer(*feeds.values())[0], reference.infer(model, feeds)[0])
        assert np.isfinite(session.step(*feeds.values(), np.zeros((SHAPE[0], 2, *SHAPE[2:]), np.float32)))
