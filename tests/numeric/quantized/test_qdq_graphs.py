"""QDQ models as graphs: their canonical form has the same bits, and gradients are those of dequantized weights."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from gradmote import optimizers
from gradmote.artifacts import build_artifacts
from support.oracle import examples, gradients_of, projection, run_ort_plainly
from support.quantized.drawn import networks
from support.quantized.straight_through import check_gradients


def samples(model: onnx.ModelProto, seed: int, batch: int = 2) -> np.ndarray:
    """Return inputs for a model."""
    shape = [d.dim_value or batch for d in model.graph.input[0].type.tensor_type.shape.dim]
    return np.random.default_rng(seed).normal(0, 1, shape).astype(np.float32)


@examples(60)
@given(networks(), st.integers(0, 99))
def test_inference_keeps_all_bits(model: onnx.ModelProto, seed: int) -> None:
    x = samples(model, seed)
    made = build_artifacts(model)
    expected = run_ort_plainly(model, {"x": x})["y"]
    assert np.array_equal(run_ort_plainly(made.inference, {"x": x})["y"], expected)
    quantized = {t.data_type for t in made.inference.graph.initializer}
    assert onnx.TensorProto.UINT8 not in quantized


@examples(40)
@given(networks(), st.integers(0, 99))
def test_gradients_are_those_of_the_dequantized_weights(model: onnx.ModelProto, seed: int) -> None:
    x = samples(model, seed)
    y = run_ort_plainly(model, {"x": x})["y"]
    factors = np.random.default_rng(seed).uniform(0.5, 1.5, y.shape).astype(np.float32)
    made = build_artifacts(model, None, projection(factors), optimizers.sgd(0.05))
    feeds = {"x": x, "projection": factors}
    feeds = {i.name: feeds[i.name] for i in made.training.graph.input if i.name in feeds}
    outputs = run_ort_plainly(made.training, feeds)
    found = gradients_of(outputs, list(made.parameters))
    check_gradients(made.training, feeds, found, made.parameters, seed)
