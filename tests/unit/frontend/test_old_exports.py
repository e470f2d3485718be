"""Models of opset 6 to 12, and PaddlePaddle's exports: weights in Constant nodes, open dimensions of -1."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from unit.frontend.round_trip import check, classes, noise

from gradmote import losses

WEIGHTS = {"conv": noise(4, 2, 3, 3), "fc": noise(4, 3, seed=1), "bias": noise(3, seed=2)}
X = noise(6, 2, 5, 5)


def model(opset: int, in_constants: bool, batch: int | str) -> onnx.ModelProto:
    """Conv, Relu, GlobalAveragePool, Squeeze (whose axes were an attribute), Dropout, MatMul, Add."""
    tensors = [numpy_helper.from_array(array, name) for name, array in WEIGHTS.items()]
    constants = [helper.make_node("Constant", [], [t.name], value=t) for t in tensors]
    nodes = [
        helper.make_node("Conv", ["x", "conv"], ["a"]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("GlobalAveragePool", ["b"], ["c"]),
        helper.make_node("Squeeze", ["c"], ["d"], axes=[2, 3]),
        helper.make_node("Dropout", ["d"], ["e"], ratio=0.1),
        helper.make_node("MatMul", ["e", "fc"], ["f"]),
        helper.make_node("Add", ["f", "bias"], ["y"]),
    ]
    graph = helper.make_graph(
        [*(constants if in_constants else []), *nodes],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 2, 5, 5])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, 3])],
        [] if in_constants else tensors,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=7)


@pytest.mark.parametrize("opset", [7, 9, 10, 11])
def test_old_opsets_are_converted(opset, tmp_path):
    session = check(model(opset, False, "N"), losses.cross_entropy(), X, classes(X, 3), tmp_path)
    assert session.parameter_names() == list(WEIGHTS)


def test_weights_in_constant_nodes_and_open_dimensions(tmp_path):
    session = check(model(11, True, -1), losses.cross_entropy(), X, classes(X, 3), tmp_path)
    assert session.parameter_names() == list(WEIGHTS)


def test_constants_beside_initializers_are_no_weights(tmp_path):
    proto = model(11, False, "N")
    proto.graph.node.insert(
        0, helper.make_node("Constant", [], ["half"], value=numpy_helper.from_array(np.full(3, 0.5, np.float32)))
    )
    proto.graph.node[-1].output[0] = "doubled"
    proto.graph.node.append(helper.make_node("Mul", ["doubled", "half"], ["y"]))
    session = check(proto, losses.cross_entropy(), X, classes(X, 3), tmp_path, rate=0.3)
    assert session.parameter_names() == list(WEIGHTS)
