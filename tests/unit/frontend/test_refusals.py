"""Models that cannot be compiled, hostile bytes included, are refused with a reason, a hint, and the node if any."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

from gradmote import losses
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import GradmoteError, ModelError, UnsupportedOperator
from support.sampling import at_most

KERAS = (Path(__file__).resolve().parents[2] / "support" / "data" / "keras_regressor.onnx").read_bytes()


def tensor(name: str, dims, kind: int = TensorProto.FLOAT) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, dims)


def model(nodes, x=("N", 4), y=("N", 3), opset: int = 17, domains=()) -> onnx.ModelProto:
    """A graph from x to y that may use a weight w (4, 3)."""
    weight = helper.make_tensor("w", TensorProto.FLOAT, [4, 3], np.ones(12, np.float32))
    graph = helper.make_graph(nodes, "g", [tensor("x", x)], [tensor("y", y)], [weight])
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(d, 1) for d in domains)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def node(op: str, inputs, output: str = "y", **attributes) -> onnx.NodeProto:
    return helper.make_node(op, inputs, [output], name=f"the_{op.lower()}", **attributes)


LINEAR = [node("MatMul", ["x", "w"])]


def compiled(source, batch: int = 2, **build):
    loss = build.pop("loss", losses.mse())
    return compile_image(build_artifacts(source, loss=loss, **build), Options(batch=batch, accumulate=True))


def test_the_plain_case_compiles():
    assert compiled(model(LINEAR)).image


@pytest.mark.parametrize(
    ("operator", "domain", "reason"),
    [
        ("Hardmax", "", "ONNX operator Hardmax has no kernel"),
        ("Gelu2", "com.microsoft", "com.microsoft operator Gelu2 has no kernel"),
    ],
)
def test_operator_without_gradient(operator, domain, reason):
    nodes = [node("MatMul", ["x", "w"], "a"), node(operator, ["a"], domain=domain)]
    with pytest.raises(UnsupportedOperator, match=f"{reason}.* - .*ops") as refusal:
        compiled(model(nodes, domains=[domain] if domain else []))
    assert refusal.value.node == f"the_{operator.lower()}"


def test_operator_without_kernel():
    nodes = [node("Hardmax", ["x"], "a"), node("MatMul", ["a", "w"])]
    with pytest.raises(UnsupportedOperator, match="Hardmax has no kernel.*`gradmote ops`") as refusal:
        compiled(model(nodes))
    assert refusal.value.node == "the_hardmax"


def test_other_float_types():
    there, back = node("Cast", ["x"], "d", to=TensorProto.DOUBLE), helper.make_node("Cast", ["d"], ["f"], to=1)
    nodes = [there, back, node("MatMul", ["f", "w"])]
    with pytest.raises(UnsupportedOperator, match="Cast from FLOAT to DOUBLE.*float32") as refusal:
        compiled(model(nodes))
    assert refusal.value.node == "the_cast"


def test_cycle():
    nodes = [node("Add", ["x", "b"], "a"), node("MatMul", ["a", "w"], "b"), node("Identity", ["b"])]
    with pytest.raises(ModelError, match="malformed.*topologically"):
        compiled(model(nodes))


def test_name_defined_twice():
    with pytest.raises(ModelError, match="malformed"):
        compiled(model([*LINEAR, node("Relu", ["y"])]))


def test_shapes_that_do_not_fit():
    with pytest.raises(ModelError, match="shapes do not fit.*the_matmul|shapes do not fit.*MatMul"):
        compiled(model(LINEAR, x=("N", 5)))


def test_old_opset():
    with pytest.raises(ModelError, match="opset 5.*opset 13 or newer"):
        compiled(model(LINEAR, opset=5))


def test_old_opset_that_cannot_be_converted():
    statistics_a_cell = node("BatchNormalization", ["x", "s", "s", "s", "s"], spatial=0)  # gone since opset 9
    proto = model([statistics_a_cell], y=("N", 4), opset=8)
    proto.graph.initializer.append(helper.make_tensor("s", TensorProto.FLOAT, [4], np.ones(4, np.float32)))
    with pytest.raises(ModelError, match="opset 8 cannot be converted to 13: .*spatial.* - export it with opset 13"):
        compiled(proto)


def test_opset_of_the_future():
    with pytest.raises(ModelError, match="opset 999.*install a newer onnx"):
        compiled(model(LINEAR, opset=999))


def test_fixed_batch_with_another():
    with pytest.raises(ModelError, match="'x' has a fixed batch of 5, asked for 2.*--batch 5"):
        compiled(model(LINEAR, x=(5, 4), y=(5, 3)))


def test_dynamic_inner_dimension():
    with pytest.raises(ModelError, match=r"dimension 1 of input 'x' \(M\) is not fixed.*--dim M=N"):
        compiled(model([node("Relu", ["x"])], x=("N", "M"), y=("N", "M")), train=[], loss=None)


def test_empty_dimension():
    with pytest.raises(ModelError, match=r"'y' has shape \[2,0\]"):
        compiled(model([node("Relu", ["x"])], x=("N", 0), y=("N", 0)), train=[], loss=None)


def test_more_than_32_bits_can_address():
    with pytest.raises(ModelError, match="needs 8,589,934,... bytes.*smaller batch"):
        compiled(model([node("Relu", ["x"])], x=("N", 2**29), y=("N", 2**29)), train=[], loss=None)


def test_shape_that_depends_on_data():
    nodes = [node("MatMul", ["x", "w"], "a"), node("NonZero", ["a"], "i"), node("Cast", ["i"], to=TensorProto.FLOAT)]
    with pytest.raises(ModelError, match="cannot be known before running|cannot be known"):
        compiled(model(nodes, y=(2, "K")), loss=None)


@pytest.mark.parametrize("choice", [{"train": ["v"]}, {"freeze": ["v*"]}])
def test_unknown_parameter(choice):
    with pytest.raises(ModelError, match="no weight matches 'v.*the model's weights are w"):
        compiled(model(LINEAR), **choice)


def test_nothing_left_to_train():
    with pytest.raises(ModelError, match="no parameter is left to train"):
        compiled(model(LINEAR), freeze=["w"])


def test_unknown_output():
    with pytest.raises(ModelError, match="no output z.*its outputs are y"):
        compiled(model(LINEAR), outputs=["z"])


def test_unknown_loss_input():
    with pytest.raises(ModelError, match="no value called z"):
        compiled(model(LINEAR), loss_inputs=["z"])


def test_missing_file(tmp_path):
    with pytest.raises(ModelError, match="there is no file"):
        compiled(tmp_path / "absent.onnx")


@given(cut=st.integers(0, len(KERAS) - 1))
@settings(max_examples=at_most(40))
def test_truncated(cut):
    with pytest.raises(ModelError):
        compiled(KERAS[:cut])


@given(data=st.binary(max_size=300))
@settings(max_examples=at_most(60))
def test_random_bytes(data):
    with pytest.raises(ModelError):
        compiled(data)


@given(st.lists(st.tuples(st.integers(0, len(KERAS) - 1), st.integers(0, 255)), min_size=1, max_size=5))
@settings(max_examples=at_most(60))
def test_flipped_bytes(changes):
    """It compiles or is refused, whatever bytes change."""
    damaged = bytearray(KERAS)
    for place, byte in changes:
        damaged[place] = byte
    try:
        assert compiled(bytes(damaged)).image
    except GradmoteError as refusal:
        assert refusal.message
