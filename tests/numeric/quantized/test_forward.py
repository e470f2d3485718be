"""Quantized operators and networks give the numbers of onnxruntime without optimizations, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

from support.quantized import drawn_operators, reference
from support.quantized.catalogue import entries
from support.quantized.comparing import InGradmote, InOnnxruntime, differing, float_opcodes, fused, with_every_result

SEEDS = range(3)
#: The share of outputs that may lie midway between two integers but for the error of a float32 sum.
MIDWAY = 1e-5
#: Networks of all tools and forms, all of whose operators have an int8 form.
NETWORKS = ("torch_residual_int8_per_channel", "tflite_residual_float32_per_channel", "DS-CNN int8-int8-per-channel",
            "DS-CNN uint8-uint8-per-tensor", "ResNet-8 uint8-int8-per-channel")  # fmt: skip


@pytest.mark.parametrize("per_channel", [False, True], ids=["per_tensor", "per_channel"])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8], ids=["int8", "uint8"])
@pytest.mark.parametrize("name", drawn_operators.OPERATORS)
def test_operator(name: str, dtype: type[np.integer], per_channel: bool, profile: str) -> None:
    for seed in SEEDS:
        model, data = drawn_operators.model_of(name, seed, dtype, per_channel)
        assert differing(InGradmote(model, profile=profile)(data), InOnnxruntime(model)(data)) == 0, seed
        assert float_opcodes(model) == set()


@pytest.mark.parametrize("name", drawn_operators.OPERATORS)
def test_body_in_standard_onnx(name: str) -> None:
    """The fused operators run in onnxruntime by their bodies, and give the same."""
    for seed in SEEDS:
        model, data = drawn_operators.model_of(name, seed, np.int8, per_channel=bool(seed % 2))
        assert differing(InGradmote(model)(data), InOnnxruntime(fused(model))(data)) == 0, seed


@pytest.mark.parametrize("name", NETWORKS)
def test_network(name: str, profile: str) -> None:
    """All results within the network are compared, and not its scores alone.

    onnxruntime sums a Conv between DequantizeLinear and QuantizeLinear in float32. Where the exact result is midway
    between two integers but for less than the error of that sum, it may take the other one than its own QLinearConv.
    """
    model = next(entry for entry in entries() if entry.name == name).make()
    assert model is not None
    model, data = with_every_result(model), reference.noise(model, 2)
    found, in_floats = InGradmote(model, 2, profile)(data), InOnnxruntime(model)(data)
    assert differing(found, InOnnxruntime(fused(model, 2))(data)) == 0
    assert differing(found, in_floats) <= MIDWAY * sum(y.size for y in in_floats)
    assert float_opcodes(model, 2) == set()
