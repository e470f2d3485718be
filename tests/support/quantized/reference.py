"""Runs models in onnxruntime without optimizations: its optimized int8 kernels saturate sums on some processors."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx


def infer(model: onnx.ModelProto, feeds: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """Return all outputs of the model."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return list(session.run(None, dict(feeds)))


def noise(model: onnx.ModelProto, batch: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Return a batch for each input: normal floats, or any integers of its type."""
    random, feeds = np.random.default_rng(seed), {}
    for value in model.graph.input:
        dtype = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        shape = [batch, *(dim.dim_value for dim in value.type.tensor_type.shape.dim[1:])]
        if np.issubdtype(dtype, np.integer):
            feeds[value.name] = random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, shape).astype(dtype)
        else:
            feeds[value.name] = random.normal(0, 1, shape).astype(np.float32)
    return feeds
