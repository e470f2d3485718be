"""An If becomes the branch that its condition chooses, wherever that is known: from constants, from shapes, or from an
input that the caller fixes. What stays, and what loops, is refused by name."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.export import trained_model
from gradmote.compiler import Options, compile_image, compile_model
from gradmote.errors import ModelError, UnsupportedOperator
from gradmote.frontend import Inputs
from gradmote_runtime import Session
from support.oracle import node, projection, run_ort, values

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
X = values(1, 2, 3)
FAST, SLOW = values(2, 3, 4), values(3, 3, 4)


def info(name, shape, type_=FLOAT):
    return helper.make_tensor_value_info(name, type_, shape)


def branch(weights: np.ndarray, as_constant: bool, inner: onnx.NodeProto | None = None) -> onnx.GraphProto:
    """r = x w, in both branches under the same names."""
    tensor = numpy_helper.from_array(weights, "w")
    constants = [helper.make_node("Constant", [], ["w"], value=tensor)] if as_constant else []
    nodes = [*constants, node("MatMul", "x w", "h"), inner or node("Relu", "h", "r")]
    return helper.make_graph(nodes, "branch", [], [info("r", None)], [] if as_constant else [tensor])


def model(conditions: list[onnx.NodeProto], inputs=(), as_constant=False, tail=(), inner=None) -> onnx.ModelProto:
    """y = relu(x w), w by the condition `c`."""
    chosen = helper.make_node("If", ["c"], ["y"], "choose", then_branch=branch(FAST, as_constant, inner),
                              else_branch=branch(SLOW, as_constant))  # fmt: skip
    graph = helper.make_graph([*conditions, chosen, *tail], "g", [info("x", ["N", 3]), *inputs], [info("y", ["N", 4])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def constant(name: str, value) -> onnx.NodeProto:
    return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(np.asarray(value)))


def on_rate(as_constant: bool = False) -> onnx.ModelProto:
    """Return a branch of speech models: c = (rate == 16000)."""
    return model([constant("k", 16000), node("Equal", "rate k", "c")], [info("rate", [], INT64)], as_constant)


def infer(proto: onnx.ModelProto, inputs: Inputs | None = None, x: np.ndarray = X) -> np.ndarray:
    with Session(compile_model(proto, None, None, Options(batch=2), inputs=inputs).image) as session:
        return np.array(session.infer(x)[0])


@pytest.mark.parametrize("as_constant", [False, True])
@pytest.mark.parametrize("condition", [True, False])
def test_a_constant_condition(condition, as_constant):
    proto = model([constant("c", condition)], as_constant=as_constant)
    np.testing.assert_allclose(infer(proto), run_ort(proto, {"x": X})["y"], rtol=1e-5)


@pytest.mark.parametrize("width, weights", [(3, FAST), (5, SLOW)])
def test_a_condition_on_a_shape(width, weights):
    steps = [node("Shape", "x", "s"), constant("i", 1), node("Gather", "s i", "d"), constant("k", width)]
    proto = model([*steps, node("Equal", "d k", "c")])
    np.testing.assert_allclose(infer(proto), np.maximum(X @ weights, 0), rtol=1e-5)


def test_a_branch_in_a_branch():
    inner = helper.make_node(
        "If", ["c"], ["r"],
        then_branch=helper.make_graph([node("Neg", "h", "n")], "b", [], [info("n", None)]),
        else_branch=helper.make_graph([node("Abs", "h", "n")], "b", [], [info("n", None)]),
    )  # fmt: skip
    proto = model([constant("c", True)], inner=inner)
    np.testing.assert_allclose(infer(proto), run_ort(proto, {"x": X})["y"], rtol=1e-5)


@pytest.mark.parametrize("rate, weights", [(16000, FAST), (8000, SLOW)])
@pytest.mark.parametrize("as_constant", [False, True])
def test_an_input_that_never_changes(rate, weights, as_constant):
    y = infer(on_rate(as_constant), Inputs(constants={"rate": rate}))
    np.testing.assert_allclose(y, np.maximum(X @ weights, 0), rtol=1e-5)


@pytest.mark.parametrize("as_constant", [False, True])
@pytest.mark.parametrize("rate", [16000, 8000])
def test_its_weights_train_and_go_back_into_their_branch(rate, as_constant):
    proto, inputs = on_rate(as_constant), Inputs(constants={"rate": rate})
    made = build_artifacts(proto, None, losses.mse(), optimizers.sgd(0.1), inputs=inputs)
    assert len(made.parameters) == 1
    with Session(compile_image(made, Options(batch=2)).image) as session:
        session.step(X, values(5, 2, 4))
        better, y = trained_model(proto, session.save()), np.array(session.infer(X)[0])
    np.testing.assert_allclose(run_ort(better, {"x": X, "rate": np.array(rate)})["y"], y, rtol=1e-5)
    other = {"x": X, "rate": np.array(1)}
    if rate == 16000:
        np.testing.assert_array_equal(run_ort(better, other)["y"], run_ort(proto, other)["y"])


def test_what_depends_on_data_is_named():
    steps = [node("ReduceMax", "x", "m", keepdims=0), constant("k", np.float32(0)), node("Greater", "m k", "c")]
    with pytest.raises(UnsupportedOperator, match="node 'choose': an If whose condition is computed from data"):
        infer(model(steps))
    with pytest.raises(UnsupportedOperator, match="node 'choose': an If .* --constant"):
        infer(on_rate())


@pytest.mark.parametrize(
    "inputs, words",
    [
        (Inputs(constants={"speed": 1}), "no input called 'speed'.*x, rate"),
        (Inputs(constants={"rate": 0.5}), "'rate' of type int64 cannot be 0.5"),
        (Inputs({"x": (1, 4)}), r"'x' cannot have shape \[1, 4\]: the model says \['N', 3\]"),
        (Inputs({"x": (1, 3, 3)}), r"'x' cannot have shape \[1, 3, 3\]"),
        (Inputs({"x": (0, 3)}, {"rate": 1}), "'x' has a fixed batch of 0"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(inputs, words):
    with pytest.raises(ModelError, match=words):
        infer(on_rate(), inputs)


def test_shapes_choose_open_dimensions():
    graph = helper.make_graph([node("GlobalAveragePool", "x", "y")], "g", [info("x", ["N", 3, "?", "?"])],
                              [info("y", None)])  # fmt: skip
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    proto = onnx.shape_inference.infer_shapes(proto)
    with Session(compile_model(proto, None, None, Options(batch=2), inputs=Inputs({"x": ("N", 3, 4, 5)})).image) as s:
        x = values(1, 2, 3, 4, 5)
        np.testing.assert_allclose(s.infer(x)[0], x.mean((2, 3), keepdims=True), rtol=1e-5)


def test_gradients_go_through_the_branch():
    made = build_artifacts(model([constant("c", True)]), None, projection(values(6, 2, 4)), optimizers.sgd(0.1))
    with Session(compile_image(made, Options(batch=2, accumulate=True)).image) as session:
        label = [values(6, 2, 4)] if session.labels() else []
        session.train_step(X, *label)
        expected = X.T @ (values(6, 2, 4) * (X @ FAST > 0))
        np.testing.assert_allclose(np.array(session.gradient(session.parameter_names()[0])), expected, rtol=1e-5)
