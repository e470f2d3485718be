"""The engine to compare an image with: onnxruntime, or onnx's reference if that is not installed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np
import onnx

from ..errors import ModelError

Arrays = dict[str, np.ndarray[Any, Any]]


def engine_name() -> str:
    """Return the name of the engine that run() uses."""
    return "onnxruntime" if find_spec("onnxruntime") else "onnx's reference"


def run(model: onnx.ModelProto, feeds: Mapping[str, Any]) -> Arrays:
    """Return the outputs of a model by name. feeds: arrays by input, of any type that can hold the numbers.

    Raises ModelError if the engine cannot run the model.
    """
    try:
        return run_typed(model, with_types(model, feeds))
    except Exception as error:  # onnxruntime and onnx's reference have no common base for their errors
        raise ModelError(f"{engine_name()} cannot run the model: {error}", "compile with --no-check") from error


def run_typed(model: onnx.ModelProto, typed: Arrays) -> Arrays:
    """Return the outputs for arrays of the model's own types."""
    if not find_spec("onnxruntime"):
        from onnx.reference import ReferenceEvaluator

        evaluator = ReferenceEvaluator(model)
        return dict(zip(evaluator.output_names, evaluator.run(None, typed), strict=True))
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    # its optimizations change the results of some quantized models
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, typed), strict=True))


def run_in_batches(model: onnx.ModelProto, feeds: Mapping[str, Any]) -> Arrays:
    """Return a model's outputs; if its file fixes the batch at 1, run it once for each sample."""
    dims = [value.type.tensor_type.shape.dim for value in model.graph.input if value.name in feeds]
    count = max((len(array) for array in feeds.values() if np.ndim(array)), default=1)
    if count == 1 or not dims or any(not dim or dim[0].dim_value != 1 for dim in dims):
        return run(model, feeds)
    each = [run(model, {name: array[i : i + 1] for name, array in feeds.items()}) for i in range(count)]
    return {name: np.concatenate([found[name] for found in each]) for name in each[0]}


def with_types(model: onnx.ModelProto, feeds: Mapping[str, Any]) -> Arrays:
    """Return the arrays that the model takes, in the types of its inputs."""
    types = {v.name: onnx.helper.tensor_dtype_to_np_dtype(v.type.tensor_type.elem_type) for v in model.graph.input}
    return {name: np.asarray(array).astype(types[name]) for name, array in feeds.items() if name in types}
