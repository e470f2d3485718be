"""A small quantized classifier with inputs, outputs and parameters of 8-bit or 16-bit integers, for every language."""

from __future__ import annotations

import numpy as np
import onnx

from gradmote import compile_model, losses, optimizers
from gradmote.compiler.options import Options
from gradmote.compiler.sample_store import StoreOptions
from support.quantized.qdq import QdqWriter, Scale

FEATURES, CLASSES = 6, 5
INPUT, OUTPUT = Scale(0.05, 3), Scale(0.04, -7)


def model(dtype: str = "int8") -> onnx.ModelProto:
    """Return a dense layer from integers to integers of that dtype."""
    writer, rng = QdqWriter(np.dtype(dtype).type), np.random.default_rng(5)
    shift = 128 if dtype == "uint8" else 0
    x = writer.dequantize("x", "x", Scale(INPUT.scale, INPUT.zero + shift))
    codes = rng.integers(-127, 128, (CLASSES, FEATURES)).astype(np.int8)
    weight = writer.quantized_weight("w", codes, np.full(CLASSES, 0.01, np.float32))
    scores = writer.node("Gemm", [x.real, weight], "gemm", transB=1)
    y = writer.quantize("y", scores, Scale(OUTPUT.scale, OUTPUT.zero + shift))
    element = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    made = writer.model(onnx.helper.make_tensor_value_info("x", element, ["N", FEATURES]), y.real)
    del made.graph.output[:]
    made.graph.output.append(onnx.helper.make_tensor_value_info(y.name, element, ["N", CLASSES]))
    return made


def image(dtype: str = "int8", weights: str = "int8", batch: int = 1, store: StoreOptions | None = None) -> bytes:
    """Return an image that trains all weights, which are int8 or int16 masters."""
    options = Options(batch=batch, weights=weights, store=store)
    return compile_model(model(dtype), losses.cross_entropy(), optimizers.sgd(0.05), options).image


def samples(rng: np.random.Generator, dtype: str, count: int) -> np.ndarray:
    """Return samples over the whole range of the dtype."""
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, (count, FEATURES), dtype, endpoint=True)
