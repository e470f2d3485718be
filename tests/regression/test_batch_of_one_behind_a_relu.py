"""A model with a batch of 1 in the file was compiled for more, though its samples mix: after a Relu nearly all of its
results are 0, so that one draw of samples did not show it."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from gradmote.compiler import Options, compile_model
from gradmote.errors import ModelError


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("bias", (0.0, -1.0, -3.0))
def test_what_mixes_samples_behind_a_relu_is_refused(seed, bias):
    with pytest.raises(ModelError, match="depends on the others"):
        compile_model(summed_over_the_batch(seed, bias), options=Options(batch=3))


def summed_over_the_batch(seed: int, bias: float) -> onnx.ModelProto:
    """relu(cumsum(x W) + b), with the sum over the batch."""
    weights = np.random.default_rng(seed).normal(0, 1, (2, 4)).astype(np.float32)
    constants = {"w": weights, "b": np.full((1, 4), bias, np.float32), "axis": np.array(0)}
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "w"], ["product"]),
            helper.make_node("CumSum", ["product", "axis"], ["sum"]),
            helper.make_node("Add", ["sum", "b"], ["moved"]),
            helper.make_node("Relu", ["moved"], ["y"]),
        ],
        "summed",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4])],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
