"""Quantized models that are not QDQ of 8 bits are refused by name, with what to do instead."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import compile_image
from gradmote.errors import UnsupportedOperator
from support.oracle import make_model, node
from support.quantized.by_onnxruntime import Form, quantized
from support.quantized.drawn import QdqNetwork


def small() -> onnx.ModelProto:
    rng = np.random.default_rng(0)
    weights = {"conv.w": rng.normal(0, 0.4, (4, 2, 3, 3)), "head.w": rng.normal(0, 0.4, (36, 3))}
    nodes = [node("Conv", "x conv.w", "c"), node("Flatten", "c", "f"), node("MatMul", "f head.w", "y")]
    return make_model(nodes, {n: a.astype(np.float32) for n, a in weights.items()}, {"x": ("N", 2, 5, 5)}, opset=21)


def samples() -> np.ndarray:
    return np.random.default_rng(1).normal(0, 1, (8, 2, 5, 5)).astype(np.float32)


def dynamic(folder: Path) -> onnx.ModelProto:
    from onnxruntime.quantization import quantize_dynamic

    onnx.save(small(), folder / "float.onnx")
    quantize_dynamic(folder / "float.onnx", folder / "dynamic.onnx")
    return onnx.load(folder / "dynamic.onnx")


def refusal(model: onnx.ModelProto, training: bool) -> str:
    with pytest.raises(UnsupportedOperator) as refused:
        made = build_artifacts(model, None, losses.mse(), optimizers.sgd(0.1)) if training else build_artifacts(model)
        compile_image(made)
    return str(refused.value)


@pytest.mark.parametrize("training", [False, True], ids=["inference", "training"])
def test_operators_with_scales(training: bool) -> None:
    reported = refusal(quantized(small(), samples(), Form(kind="QOperator")), training)
    assert "QLinearConv is of another form" in reported
    assert "QuantFormat.QDQ" in reported


@pytest.mark.parametrize("training", [False, True], ids=["inference", "training"])
def test_scales_chosen_at_run_time(training: bool, tmp_path: Path) -> None:
    reported = refusal(dynamic(tmp_path), training)
    assert "DynamicQuantizeLinear is of another form" in reported


@pytest.mark.parametrize("training", [False, True], ids=["inference", "training"])
def test_activations_of_16_bits(training: bool) -> None:
    reported = refusal(quantized(small(), samples(), Form("int16", "int8")), training)
    assert "QuantizeLinear to INT16" in reported


@pytest.mark.parametrize("scale", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("of", ["x.scale", "conv2.w.scale"], ids=["activation", "weight"])
def test_scales_that_are_not_finite(of: str, scale: float) -> None:
    net = QdqNetwork(np.random.default_rng(0), shapes={"x": (1, 2, 5, 5)})
    net.quantize()
    net.conv(3, "int8", False, "none")
    tensor = np.full_like(net.tensors[of], scale)
    net.tensors[of] = tensor
    assert "is not finite" in refusal(net.model(), False)
