"""Training programs of quantized models make no float32 form of integers that nothing reads; their bits stay."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.passes import pipeline
from gradmote.compiler.passes.index_max_pool import index_max_pool_s8
from gradmote.compiler.passes.quantized_models import drop_unread
from gradmote.ir.generated.instructions import Dequantize, MaxPoolGrad, MaxPoolGradS16, MaxPoolIndexGrad
from gradmote_runtime import Session
from support.quantized.qdq import QdqWriter, Scale

CHANNELS, SIZE, CLASSES, STEPS = 4, 8, 3, 3


def network(pool: str) -> onnx.ModelProto:
    """Return a convolution, a pool over halves or everything, and a classifier."""
    rng, w = np.random.default_rng(0), QdqWriter(np.int8)
    x = w.quantize("x", "x", Scale(0.02, 3))
    kernels = rng.integers(-127, 128, (CHANNELS, 2, 3, 3)).astype(np.int8)
    made = w.node("Conv", [x.real, w.quantized_weight("kernels", kernels, np.full(CHANNELS, 0.01))], "conv")
    seen = w.quantize("seen", made, Scale(0.05, 0))
    window = {} if pool == "GlobalAveragePool" else {"kernel_shape": [2, 2], "strides": [2, 2]}
    pooled = w.quantize("pooled", w.node(pool, [seen.real], "pool", **window), seen.of)
    flat = w.node("Flatten", [pooled.real], "flat")
    features = CHANNELS if pool == "GlobalAveragePool" else CHANNELS * 9
    head = rng.integers(-127, 128, (CLASSES, features)).astype(np.int8)
    scores = w.node("Gemm", [flat, w.quantized_weight("head", head, np.full(CLASSES, 0.01))], "gemm", transB=1)
    y = w.quantize("y", scores, Scale(0.1, 0))
    return w.model(onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 2, SIZE, SIZE]), y.real)


def trained(pool: str, gradients: str) -> tuple[bytes, list[type]]:
    """Return the parameters after some steps, and the kinds of instructions of the step."""
    made = build_artifacts(network(pool), None, losses.cross_entropy(), optimizers.sgd(0.05))
    result = compile_image(made, Options(batch=None, gradients=gradients))
    rng = np.random.default_rng(1)
    with Session(result.image) as session:
        for _ in range(STEPS):
            session.poison()
            session.step(rng.normal(size=(1, 2, SIZE, SIZE)).astype(np.float32), np.array([1], np.int32))
        parameters = b"".join(np.array(session.parameter(name)).tobytes() for name in session.parameter_names())
    step = next(p for p in result.compiled.programs if p.kind == "step")
    return parameters, [type(i) for i in step.instructions]


@pytest.mark.parametrize(("gradients", "of_max_pool"), [("int16", MaxPoolGradS16), ("float", MaxPoolIndexGrad)])
@pytest.mark.parametrize("pool", ["MaxPool", "AveragePool", "GlobalAveragePool"])
def test_only_scores_become_floats(
    pool: str, gradients: str, of_max_pool: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, kinds = trained(pool, gradients)
    assert kinds.count(Dequantize) == 1 and MaxPoolGrad not in kinds
    assert (of_max_pool in kinds) == (pool == "MaxPool")
    kept = [run for run in pipeline.PROGRAMS if run not in (drop_unread, index_max_pool_s8)]
    monkeypatch.setattr(pipeline, "PROGRAMS", kept)
    expected, more = trained(pool, gradients)
    assert found == expected
    assert more.count(Dequantize) > 1
