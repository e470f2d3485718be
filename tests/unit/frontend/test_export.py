"""export_inference: only the trained weights change, and what does not belong together is refused."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.inliner
import pytest
from onnx import TensorProto, helper, numpy_helper

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.export import export_inference
from gradmote.compiler import Options, compile_image
from gradmote.errors import CheckpointError
from gradmote.formats.checkpoint import Checkpoint, pack
from gradmote_runtime import Session

W = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)


def model(weight_in: str = "initializer", name: str = "w") -> onnx.ModelProto:
    """y = x w + 1, with w as an initializer, a Constant node, or inside a function."""
    tensor, one = numpy_helper.from_array(W, name), numpy_helper.from_array(np.ones(3, np.float32), "")
    nodes, functions = [helper.make_node("MatMul", ["x", name], ["a"])], []
    nodes += [helper.make_node("Constant", [], ["one"], value=one), helper.make_node("Add", ["a", "one"], ["y"])]
    opsets = [helper.make_opsetid("", 17)]
    if weight_in != "initializer":
        nodes.insert(0, helper.make_node("Constant", [], [name], value=tensor))
    if weight_in == "function":
        functions = [helper.make_function("local", "Layer", ["x"], ["a"], nodes[:2], opsets)]
        nodes[:2] = [helper.make_node("Layer", ["x"], ["a"], domain="local")]
        opsets = [*opsets, helper.make_opsetid("local", 1)]
    sizes = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["N", d]) for n, d in (("x", 4), ("y", 3))]
    graph = helper.make_graph(nodes, "g", sizes[:1], sizes[1:], [tensor] if weight_in == "initializer" else [])
    proto = helper.make_model(graph, opset_imports=opsets, functions=functions, ir_version=9)
    proto.metadata_props.add(key="author", value="someone")
    return proto


def trained(source: onnx.ModelProto, train=None) -> Session:
    made = build_artifacts(source, train, loss=losses.mse(), optimizer=optimizers.sgd(0.1))
    session = Session(compile_image(made, Options(batch=2)).image)
    session.step(np.ones((2, 4), np.float32), np.zeros((2, 3), np.float32))
    return session


def test_only_the_weights_change(tmp_path):
    session = trained(model())
    export_inference(model(), session.save(), tmp_path / "out.onnx")
    written, expected = onnx.load(tmp_path / "out.onnx"), model()
    expected.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.array(session.parameter("w")), "w"))
    assert written == expected
    assert not np.array_equal(np.array(session.parameter("w")), W)


def test_constants_of_the_graph_are_no_weights():
    assert trained(model()).parameter_names() == ["w"]


def test_weight_in_a_constant_node_is_trained_when_named(tmp_path):
    """A model without initializers has its weights there; else a constant is one if it is named."""
    assert trained(model("constant")).parameter_names() == ["w", "one"]
    session = trained(model("constant"), ["w"])
    export_inference(model("constant"), session.save(), tmp_path / "out.onnx")
    constant = onnx.load(tmp_path / "out.onnx").graph.node[0].attribute[0].t
    assert np.array_equal(numpy_helper.to_array(constant), np.array(session.parameter("w")))


def test_names_that_look_like_patterns(tmp_path):
    session = trained(model(name="layers[0].w*"), ["layers[0].w*"])
    export_inference(model(name="layers[0].w*"), session.save(), tmp_path / "out.onnx")
    assert onnx.load(tmp_path / "out.onnx").graph.initializer[0].name == "layers[0].w*"


def test_weight_inside_a_function_is_refused_with_the_way_out(tmp_path):
    inlined = onnx.inliner.inline_local_functions(model("function"))
    name = next(n.output[0] for n in inlined.graph.node if n.op_type == "Constant" and n.attribute[0].t.dims == [4, 3])
    session = trained(inlined, [name])
    export_inference(inlined, session.save(), tmp_path / "out.onnx")
    with pytest.raises(CheckpointError, match=f"no weight called '{name}'.*inline"):
        export_inference(model("function"), session.save(), tmp_path / "other.onnx")
    assert not (tmp_path / "other.onnx").exists()


@pytest.mark.parametrize(
    ("checkpoint", "reason"),
    [
        (Checkpoint({"v": W}, ["v"]), "no weight called 'v'"),
        (Checkpoint({"w": W.T}, ["w"]), r"'w' is FLOAT \[4, 3\] in the model, float32 \[3, 4\] in the checkpoint"),
        (pack({"w": W}, nominal=True), "nominal"),
        (pack({"w": W})[:-1], "bytes"),
        (b"", "too few"),
    ],
)
def test_checkpoints_that_do_not_belong(tmp_path, checkpoint, reason):
    with pytest.raises(CheckpointError, match=reason):
        export_inference(model(), checkpoint, tmp_path / "out.onnx")
    assert not list(tmp_path.iterdir())


def test_stripped_names_are_refused(tmp_path):
    made = build_artifacts(model(), loss=losses.mse(), optimizer=optimizers.sgd(0.1))
    session = Session(compile_image(made, Options(strip_names=True)).image)
    with pytest.raises(CheckpointError, match="a checkpoint with names"):
        export_inference(model(), session.save(), tmp_path / "out.onnx")
