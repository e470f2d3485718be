"""A sum that begins with a bias close to the end of int32 left it, and came out with the other sign.

MCUNetV3's networks have such biases, in channels whose weights have tiny scales.
"""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote_runtime import Session
from support.quantized import reference
from support.quantized.qdq import QdqWriter, Scale

CHANNELS, FEATURES, BATCH = 6, 48, 4
X = Scale(0.02, -3)
#: A bias of 2^31 is 30 steps of the output.
Y = Scale(float(np.float32(0.02) * np.float32(1e-7) * 2**31 / 30), -20)
BIASES = [0, 1 << 30, -(1 << 30), 2**31 - 1, -(2**31), 2**31 - 100_000]


def model(operator: str) -> onnx.ModelProto:
    """One layer of int8 weights with an int32 bias, as QDQ."""
    random, w = np.random.default_rng(0), QdqWriter()
    shape = [FEATURES] if operator == "Gemm" else [FEATURES, 3, 3]
    values = random.integers(-127, 128, (CHANNELS, *shape), np.int8)
    scales = np.full(CHANNELS, 1e-7, np.float32)
    x = w.quantize("x", "x", X)
    weight = w.quantized_weight("weight", values, scales)
    bias = w.quantized_weight("bias", np.array(BIASES, np.int64).astype(np.int32), np.float32(X.scale) * scales)
    options = {"transB": 1} if operator == "Gemm" else {"kernel_shape": [3, 3]}
    y = w.quantize("y", w.node(operator, [x.real, weight, bias], "layer", **options), Y)
    return w.model(helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", *shape]), y.real)


@pytest.mark.parametrize("operator", ["Conv", "Gemm"])
def test_sums_stay_in_range(operator: str) -> None:
    made = model(operator)
    feeds = reference.noise(made, BATCH)
    with Session(compile_image(build_artifacts(made), Options(batch=BATCH)).image) as session:
        found = np.array(session.infer(*feeds.values())[0])
    np.testing.assert_array_equal(found, reference.infer(made, feeds)[0])
