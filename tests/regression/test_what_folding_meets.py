"""Values without elements, and nodes that make no sense: folded as ONNX has it, or refused in words of Gradmote."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from gradmote import losses, onnx_backend, optimizers
from gradmote.artifacts import build_artifacts, generate_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import GradmoteError, ModelError
from support.oracle import Case, check_case, make_model, node, run_ort, values

EMPTY = {"starts": [2], "ends": [2], "axes": [1]}


def beside_nothing(op_type: str = "Concat") -> onnx.ModelProto:
    """y = x w, beside a Slice of it that has no columns."""
    nodes = [
        node("MatMul", "x w", "h"),
        node("Slice", "h starts ends axes", "none"),
        node(op_type, "none h", "y", axis=1),
    ]
    return make_model(nodes, {"w": values(1, 3, 4), **EMPTY}, {"x": ("N", 3)})


def test_a_part_without_elements_adds_nothing():
    check_case(Case(beside_nothing(), {"x": values(2, 1, 3)}, ["w"]))


@pytest.mark.parametrize("trains", [False, True])
def test_a_slice_that_leaves_nothing_is_refused_as_a_result(trains):
    model = make_model([node("Mul", "x w", "h"), node("Slice", "h starts ends axes", "y")],
                       {"w": values(1, 4), **EMPTY}, {"x": ("N", 4)})  # fmt: skip
    with pytest.raises(ModelError, match="'y' has shape|takes none"):
        made = build_artifacts(model, None, losses.mse() if trains else None, optimizers.sgd(0.1) if trains else None)
        compile_image(made)


def test_a_sum_over_nothing_is_zero():
    nodes = [*beside_nothing().graph.node[:2], node("ReduceSum", "none axes", "s", keepdims=1), node("Add", "h s", "y")]
    model = make_model(nodes, {"w": values(1, 3, 4), **EMPTY}, {"x": (2, 3)})
    x = values(2, 2, 3)
    np.testing.assert_allclose(onnx_backend.run_model(model, [x])[0], run_ort(model, {"x": x})["y"], rtol=1e-5)


@pytest.mark.parametrize(
    "made, constants",
    [
        (node("CumSum", "c axis", "y"), {"c": np.float32(2), "axis": np.array(0)}),
        (node("CumSum", "c axis", "y"), {"c": values(1, 3), "axis": np.array([0, 0])}),
        (node("CumSum", "c axis", "y"), {"c": values(1, 3), "axis": np.array(7)}),
        (node("ScatterElements", "c i u", "y"), {"c": np.float32(2), "i": np.array(0), "u": np.float32(3)}),
        (node("Gather", "c i", "y"), {"c": values(1, 3), "i": np.array([5])}),
        (node("Reshape", "c i", "y"), {"c": values(1, 3), "i": np.array([2, 2])}),
    ],
)
def test_constants_that_make_no_sense_are_refused(made, constants):
    model = make_model([node("Identity", "x", "unused")], {}, {"x": (3,)}, ["unused"])
    for name, array in constants.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(np.asarray(array), name))
    model.graph.node.append(made)
    model.graph.output.append(helper.make_tensor_value_info("y", TensorProto.FLOAT, np.shape(constants["c"])))
    with pytest.raises(GradmoteError):
        compile_image(build_artifacts(model), Options(batch=None))


def text_model(type_: int) -> onnx.ModelProto:
    model = make_model([node("MatMul", "x w", "y")], {"w": values(1, 3, 4)}, {"x": ("N", 3)})
    model.graph.input.append(helper.make_tensor_value_info("words", type_, ["N"]))
    return model


@pytest.mark.parametrize("type_", [TensorProto.STRING, TensorProto.COMPLEX64, TensorProto.DOUBLE])
def test_inputs_of_other_types_are_refused_at_once(type_, tmp_path):
    with pytest.raises(ModelError, match="input 'words' has type"):
        generate_artifacts(text_model(type_), ["w"], artifact_directory=tmp_path)
    assert not list(tmp_path.iterdir())
