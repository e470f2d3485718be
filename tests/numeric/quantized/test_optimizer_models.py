"""The optimizer model of a quantized network under onnxruntime, which draws numbers of its own."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from gradmote import optimizers
from gradmote.artifacts import build_artifacts
from gradmote.losses import cross_entropy
from gradmote.optimizers import Optimizer
from support.oracle import run_ort_plainly
from support.quantized.drawn import QdqNetwork

COLUMNS, INPUTS = 3, 4000
RATE = 0.02
ALL = {
    "sgd": optimizers.sgd(RATE),
    "momentum": optimizers.sgd(RATE, momentum=0.9, weight_decay=0.01),
    "nesterov": optimizers.sgd(RATE, momentum=0.9, nesterov=True),
    "adam": optimizers.adam(RATE, clip_steps=0),
    "adamw": optimizers.adamw(RATE, clip_steps=0),
    "adamw_ort": optimizers.adamw_ort(RATE, weight_decay=0.01, clip_steps=0),
    "clipped": optimizers.sgd(RATE, clip_steps=0.25),
}


def dense(form: str = "int8") -> onnx.ModelProto:
    """Return a dense layer with a scale for each of its columns, and an int32 bias."""
    net = QdqNetwork(np.random.default_rng(4))
    net.shapes["x"] = (1, INPUTS)
    net.quantize(0.02)
    net.gemm(COLUMNS, form, True, "int32", "transB")
    return net.model(False)


def fed(model: onnx.ModelProto, gradient: float) -> dict[str, np.ndarray]:
    """Return inputs: each gradient is `gradient`, moments are 0, and bias corrections those of step 0."""
    feeds = {"learning_rate": np.float32(RATE), "gradient_scale": np.float32(1)}
    for value in model.graph.input:
        shape = [d.dim_value for d in value.type.tensor_type.shape.dim]
        if value.name not in feeds and value.type.tensor_type.elem_type == onnx.TensorProto.FLOAT:
            feeds[value.name] = np.full(shape, gradient if value.name.endswith("_grad") else 0.0, np.float32)
    return {name: np.asarray(array) for name, array in feeds.items()}


@pytest.mark.parametrize("optimizer", ALL.values(), ids=ALL)
def test_the_mean_is_the_step_of_the_float_model(optimizer: Optimizer) -> None:
    """The same rule on the dequantized weight gives the mean of the new ones, up to what the steps are limited to."""
    made = build_artifacts(dense(), None, cross_entropy(), optimizer)
    feeds = fed(made.optimizer, 0.05) | made.parameters
    weight = next(name for name, array in made.parameters.items() if array.dtype == np.int8)
    found = run_ort_plainly(made.optimizer, feeds)
    before, after = feeds[weight].astype(np.float64), found[f"{weight}_new"]
    assert after.dtype == np.int8
    units = scales_of(made.optimizer, weight)
    most = optimizer.clip_steps or np.inf
    steps = np.clip(real_steps(optimizer, before * units, 0.05) / units, -most, most)
    inside = np.abs(before) < 120
    moved = (before - after)[inside]
    assert abs(moved.mean() - steps[inside].mean()) <= 4 * 0.5 / np.sqrt(moved.size)
    assert np.abs(moved).max() <= np.ceil(np.abs(steps).max())


def scales_of(model: onnx.ModelProto, weight: str) -> np.ndarray:
    """Return the scales that the optimizer model keeps."""
    tensors = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    return tensors[f"{weight}.units"].astype(np.float64)


def real_steps(optimizer: Optimizer, p: np.ndarray, g: float) -> np.ndarray:
    """Return the first step of the rule, in float64."""
    hyper, decay = optimizer.hyper, optimizer.hyper.get("weight_decay", 0.0)
    if optimizer.rule in ("sgd", "momentum"):
        g = g + decay * p
        return RATE * (g + hyper["momentum"] * g if hyper.get("nesterov") else g)
    adam = RATE * g / (abs(g) + hyper["eps"])
    decayed = p - adam if optimizer.rule == "adamw_ort" else p
    return adam + RATE * decay * decayed
