"""Quantized operators and networks give the numbers of onnxruntime without optimizations, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper

from support.quantized import drawn_operators, reference
from support.quantized.catalogue import entries
from support.quantized.comparing import InGradmote, InOnnxruntime, differing, float_opcodes, fused, with_every_result
from support.quantized.qdq import QdqWriter, Scale

SEEDS = range(3)
#: The share of outputs that may be midway between two integers within the error of a float32 sum.
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
    """Compare all results within the network, not only its scores.

    onnxruntime sums a Conv between DequantizeLinear and QuantizeLinear in float32. If the exact result is closer to the
    middle of two integers than the error of that sum, it may take the other one than its own QLinearConv.
    """
    model = next(entry for entry in entries() if entry.name == name).make()
    assert model is not None
    model, data = with_every_result(model), reference.noise(model, 2)
    found, in_floats = InGradmote(model, 2, profile)(data), InOnnxruntime(model)(data)
    assert differing(found, InOnnxruntime(fused(model, 2))(data)) == 0
    assert differing(found, in_floats) <= MIDWAY * sum(y.size for y in in_floats)
    assert float_opcodes(model, 2) == set()


@pytest.mark.parametrize("columns", [2042, 2043])
def test_long_rows_of_a_pool(columns: int, profile: str) -> None:
    """A row and its padding have 2045 numbers, or one more: then onnxruntime adds a window up row by row.

    Half of all means are midway between two integers, so that the order of the sum decides.
    """
    shape, writer = (1, 2, 5, columns), QdqWriter()
    x = writer.quantize("x", "x", Scale(0.1, 3))
    real = writer.node("AveragePool", [x.real], "pool", kernel_shape=[3, 3], pads=[0, 1, 0, 2])
    y = writer.quantize("y", real, Scale(0.2 / 9, 0))
    model = writer.model(helper.make_tensor_value_info("x", TensorProto.FLOAT, shape), y.real)
    data = {"x": (np.random.default_rng(0).integers(-20, 21, shape) * 0.1).astype(np.float32)}
    assert differing(InGradmote(model, profile=profile)(data), InOnnxruntime(model)(data)) == 0
