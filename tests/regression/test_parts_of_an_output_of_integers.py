"""A loss of an output of integers whose parts are quantized one by one was refused, as after a sparse scheme."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from gradmote import optimizers
from gradmote.artifacts import build_artifacts
from gradmote.errors import UnsupportedOperator
from gradmote.losses import mse
from support.oracle import make_model, node, run_ort_plainly
from support.quantized.drawn import QdqNetwork


@pytest.mark.parametrize("activations", ["int8", "uint8"])
def test_a_share_of_the_channels_trains(activations: str) -> None:
    net = QdqNetwork(np.random.default_rng(2), activations)
    net.shapes["x"] = (1, 2, 3, 3)
    net.quantize()
    net.conv(4, "int8", per_channel=True, bias="float32")
    model = net.model(integers=True)
    x, target = np.ones((2, 2, 3, 3), np.float32), np.zeros((2, 4, 3, 3), np.float32)
    whole, share = (build_artifacts(model, None, mse(), optimizers.sgd(), scheme=s) for s in (None, "sparse:0.5"))
    found = [run_ort_plainly(m.training, {"x": x, m.training.graph.input[1].name: target}) for m in (whole, share)]
    assert found[0]["loss"] == pytest.approx(found[1]["loss"], rel=1e-6)
    assert np.abs(found[0]["conv2.w_grad"]).max() > 0
    np.testing.assert_allclose(found[1]["conv2.w[0:2]_grad"], found[0]["conv2.w_grad"][:2], rtol=1e-5)


def joined(scales: tuple[float, float]) -> onnx.ModelProto:
    """Return a model whose output are two quantized products, side by side."""
    rng = np.random.default_rng(0)
    weights = {f"w{i}": rng.normal(0, 0.5, (3, 2)).astype(np.float32) for i in range(2)}
    weights |= {f"s{i}": np.float32(scale) for i, scale in enumerate(scales)} | {"zero": np.int8(3)}
    nodes = [node("Gemm", f"x w{i}", f"y{i}") for i in range(2)]
    nodes += [node("QuantizeLinear", f"y{i} s{i} zero", f"q{i}") for i in range(2)]
    model = make_model([*nodes, node("Concat", "q0 q1", "y", axis=1)], weights, {"x": (4, 3)})
    model.graph.output[0].type.tensor_type.elem_type = onnx.TensorProto.INT8
    return onnx.shape_inference.infer_shapes(model)


def test_joined_integers_of_one_scale_have_real_numbers() -> None:
    model, x = joined((0.05, 0.05)), np.random.default_rng(1).normal(size=(4, 3)).astype(np.float32)
    made = build_artifacts(model, None, mse(), optimizers.sgd())
    outputs = run_ort_plainly(made.training, {"x": x, made.training.graph.input[1].name: np.zeros((4, 4), np.float32)})
    real = (run_ort_plainly(model, {"x": x})["y"].astype(np.float32) - 3) * np.float32(0.05)
    assert outputs["loss"] == pytest.approx(float((real**2).mean()), rel=1e-5)


def test_joined_integers_of_two_scales_are_refused() -> None:
    with pytest.raises(UnsupportedOperator, match="the loss of 'y'"):
        build_artifacts(joined((0.05, 0.06)), None, mse(), optimizers.sgd())
