"""Gradients with int8 operands are those of the training model, and use no dequantized tensor if they need none."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from gradmote import optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.artifacts import Artifacts
from gradmote.compiler.options import Options
from gradmote.compiler.programs.forward import concrete
from gradmote.frontend import infer_shapes
from gradmote.frontend.registry import attach_functions
from gradmote.ir.write import to_proto
from gradmote.rewrite.quantized import run as fuse
from support.oracle import examples, projection, run_ort_plainly
from support.quantized.drawn import networks

BATCH = 2


def fused_training(made: Artifacts) -> onnx.ModelProto:
    """Return the training model as it is lowered, with the functions of its operators."""
    model = concrete(made.models.training, Options(batch=BATCH), set(made.parameters))
    fuse(model.graph, set(made.parameters))
    return to_proto(infer_shapes(attach_functions(model)))


def trained(model: onnx.ModelProto, seed: int) -> tuple[Artifacts, dict[str, np.ndarray]]:
    """Return the artifacts for a loss with a random gradient, and what to feed them."""
    shape = [d.dim_value or BATCH for d in model.graph.input[0].type.tensor_type.shape.dim]
    x = np.random.default_rng(seed).normal(0, 1, shape).astype(np.float32)
    y = run_ort_plainly(model, {"x": x})["y"]
    factors = np.random.default_rng(seed).uniform(0.5, 1.5, y.shape).astype(np.float32)
    return build_artifacts(model, None, projection(factors), optimizers.sgd(0.05)), {"x": x, "projection": factors}


@examples(8)
@given(networks(), st.integers(0, 99))
def test_gradients_stay_what_they_are(model: onnx.ModelProto, seed: int) -> None:
    made, feeds = trained(model, seed)
    plain, fused = (run_ort_plainly(m, feeds) for m in (made.training, fused_training(made)))
    for name in made.parameters:
        gradient = f"{name}_grad"
        expected = plain[gradient]
        assert np.allclose(fused[gradient], expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max()), name
