"""A small float32 network on scikit-learn's digits, which fits a board with 16 KB: a convolution, a depthwise and a
pointwise one, and a dense layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import onnx
import onnx.parser

TEXT = """
<ir_version: 8, opset_import: ["": 17]>
digits (float[N,1,8,8] x) => (float[N,10] y) {
  c1 = Conv <pads = [1, 1, 1, 1]> (x, w1, b1)
  r1 = Relu (c1)
  c2 = Conv <group = 8, pads = [1, 1, 1, 1], strides = [2, 2]> (r1, w2, b2)
  r2 = Relu (c2)
  c3 = Conv (r2, w3, b3)
  r3 = Relu (c3)
  pooled = GlobalAveragePool (r3)
  flat = Flatten (pooled)
  y = Gemm <transB = 1> (flat, w4, b4)
}"""
WEIGHTS = {"w1": (8, 1, 3, 3), "w2": (8, 1, 3, 3), "w3": (16, 8, 1, 1), "w4": (10, 16)}


@cache
def model() -> onnx.ModelProto:
    """Return the network with seeded, untrained weights."""
    return with_weights(TEXT, WEIGHTS)


def with_weights(text: str, weights: Mapping[str, Sequence[int]]) -> onnx.ModelProto:
    """Return the model in a text with seeded weights w1, w2, ... of these shapes, and zero biases b1, b2, ...."""
    made, rng = onnx.parser.parse_model(text), np.random.default_rng(0)
    for name, shape in weights.items():
        weight = rng.normal(0, np.sqrt(2 / np.prod(shape[1:])), shape).astype(np.float32)
        made.graph.initializer.append(onnx.numpy_helper.from_array(weight, name))
        made.graph.initializer.append(onnx.numpy_helper.from_array(np.zeros(shape[0], np.float32), f"b{name[1:]}"))
    return made
