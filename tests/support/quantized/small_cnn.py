"""A small int8 network on scikit-learn's digits: a residual block, a depthwise convolution, and a dense layer."""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx

from support.small_float_cnn import with_weights

from .by_onnxruntime import quantized

Batch = tuple[np.ndarray, np.ndarray]

TEXT = """
<ir_version: 8, opset_import: ["": 17]>
digits (float[N,1,8,8] x) => (float[N,10] y) {
  c1 = Conv <pads = [1, 1, 1, 1]> (x, w1, b1)
  r1 = Relu (c1)
  c2 = Conv <group = 8, pads = [1, 1, 1, 1], strides = [2, 2]> (r1, w2, b2)
  r2 = Relu (c2)
  c3 = Conv (r2, w3, b3)
  r3 = Relu (c3)
  c4 = Conv <pads = [1, 1, 1, 1]> (r3, w4, b4)
  total = Add (c4, r3)
  r4 = Relu (total)
  pooled = GlobalAveragePool (r4)
  flat = Flatten (pooled)
  y = Gemm <transB = 1> (flat, w5, b5)
}"""
WEIGHTS = {"w1": (8, 1, 3, 3), "w2": (8, 1, 3, 3), "w3": (16, 8, 1, 1), "w4": (16, 16, 3, 3), "w5": (10, 16)}


@cache
def samples() -> tuple[np.ndarray, np.ndarray]:
    """Return all digits as images from 0 to 1, and their labels, in random order."""
    from sklearn.datasets import load_digits

    pixels, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(1).permutation(len(labels))
    return (pixels[order] / 16).astype(np.float32).reshape(-1, 1, 8, 8), labels[order].astype(np.int32)


@cache
def model() -> onnx.ModelProto:
    """Return the network quantized by onnxruntime, with seeded, untrained weights."""
    return quantized(with_weights(TEXT, WEIGHTS), samples()[0][:50])


def batches(batch: int, steps: int) -> list[Batch]:
    """Return the batches for this many steps."""
    x, labels = samples()
    rows = [np.arange(k * batch, (k + 1) * batch) % len(labels) for k in range(steps)]
    return [(x[row], labels[row]) for row in rows]
