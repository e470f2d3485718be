"""The ONNX backend as users call it."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from gradmote import onnx_backend
from gradmote.errors import DataError, ModelError, UnsupportedOperator
from support.oracle import host_profiles, make_model, node, values


@pytest.fixture
def linear():
    return make_model([node("MatMul", "x w", "y")], {"w": values(1, 3, 2)}, {"x": ("N", 3)})


@pytest.mark.parametrize("profile", host_profiles())
def test_a_model_runs_on_batches_of_any_size(linear, profile):
    rep = onnx_backend.prepare(linear, profile=profile)
    for batch in (1, 4):
        x = values(2, batch, 3)
        (y,) = rep.run([x])
        np.testing.assert_allclose(y, x @ values(1, 3, 2), rtol=1e-5)
        np.testing.assert_array_equal(rep.run({"x": x})[0], y)


def test_sizes_among_the_inputs_become_constants():
    graph = helper.make_graph(
        [node("Reshape", "x shape", "y")],
        "reshape",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 4]),
            helper.make_tensor_value_info("shape", TensorProto.INT64, [2]),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, None])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    (y,) = onnx_backend.run_model(model, [values(1, 3, 4), np.array([2, 6])])
    np.testing.assert_array_equal(y, values(1, 3, 4).reshape(2, 6))


def test_indices_stay_data():
    graph = helper.make_graph(
        [node("Gather", "table tokens", "y")],
        "embedding",
        [helper.make_tensor_value_info("tokens", TensorProto.INT64, ["N"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 2])],
        [numpy_helper.from_array(values(1, 5, 2), "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    assert not list(onnx_backend.constant_inputs(model))
    (y,) = onnx_backend.run_model(model, [np.array([4, 0, -1])])
    np.testing.assert_array_equal(y, values(1, 5, 2)[[4, 0, -1]])


def test_a_node_alone():
    (y,) = onnx_backend.run_node(node("Add", "a b", "y"), [values(1, 2, 3), values(2, 3)])
    np.testing.assert_array_equal(y, values(1, 2, 3) + values(2, 3))


def test_outputs_have_the_types_of_the_model():
    info = [(np.bool_, (2, 3))]
    (y,) = onnx_backend.run_node(node("Greater", "a b", "y"), [values(1, 2, 3), values(2, 2, 3)], outputs_info=info)
    assert y.dtype == np.bool_
    np.testing.assert_array_equal(y, values(1, 2, 3) > values(2, 2, 3))


def test_truth_values_are_data():
    condition = values(3, 2, 3) > 0
    (y,) = onnx_backend.run_node(node("Where", "c a b", "y"), [condition, values(1, 2, 3), values(2, 2, 3)])
    np.testing.assert_array_equal(y, np.where(condition, values(1, 2, 3), values(2, 2, 3)))


def test_what_does_not_fit_is_refused_by_name(linear):
    assert onnx_backend.supports_device("CPU") and not onnx_backend.supports_device("CUDA")
    with pytest.raises(ModelError, match="no device CUDA"):
        onnx_backend.prepare(linear, "CUDA")
    with pytest.raises(DataError, match="the model takes x"):
        onnx_backend.run_model(linear, [values(1, 1, 3)] * 2)
    with pytest.raises(ModelError, match="shapes do not fit"):
        onnx_backend.run_model(linear, [values(1, 1, 4)])
    with pytest.raises(UnsupportedOperator, match="Hardmax has no kernel"):
        onnx_backend.run_node(node("Hardmax", "x", "y"), [values(1, 3)])
    with pytest.raises(onnx.checker.ValidationError):
        onnx_backend.prepare(helper.make_model(helper.make_graph([node("Nothing", "x", "y")], "", [], [])))
