"""BatchNormalization folded into its neighbour: the same function, other weights, and a model that comes back."""

import numpy as np
import onnx
import pytest
from unit.frontend.round_trip import check, classes, noise, served

from gradmote import losses
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.export import export_inference
from gradmote.errors import CheckpointError, UnsupportedOperator
from gradmote.formats.checkpoint import Checkpoint
from support.oracle import make_model, node, values

X = noise(6, 4, 5, 5)
HEAD = [node("GlobalAveragePool", "n", "p"), node("Flatten", "p", "y")]


def statistics(channels):
    positive = np.abs(values(9, channels)) + 0.2
    return {"scale": values(6, channels), "bias": values(7, channels), "mean": values(8, channels), "var": positive}


def model(nodes, weights, shape, channels):
    norm = node("BatchNormalization", "c scale bias mean var", "n", epsilon=1e-3)
    return make_model([*nodes, norm, *HEAD], weights | statistics(channels), {"x": ("N", *shape)})


def conv(with_bias, **attributes):
    weights = {"w": values(1, 6, 4 // attributes.get("group", 1), 3, 3)} | ({"b": values(2, 6)} if with_bias else {})
    return model([node("Conv", "x w b" if with_bias else "x w", "c", **attributes)], weights, (4, 5, 5), 6)


def conv_transpose(group):
    weights = {"w": values(1, 4, 6 // group, 2, 2)}
    return model([node("ConvTranspose", "x w", "c", group=group)], weights, (4, 5, 5), 6)


def gemm(**attributes):
    shape = (8, 3) if attributes.get("transB") else (3, 8)
    nodes = [node("Gemm", "x w b", "c", **attributes), node("BatchNormalization", "c scale bias mean var", "y")]
    return make_model(nodes, {"w": values(1, *shape), "b": values(2, 8)} | statistics(8), {"x": ("N", 3)})


def keras_dense():
    norm = node("BatchNormalization", "c scale bias mean var", "y")
    weights = {"w": values(1, 3, 8), "b": values(2, 8)} | statistics(8)
    return make_model([node("MatMul", "x w", "m"), node("Add", "m b", "c"), norm], weights, {"x": ("N", 3)})


FOLDED = {
    "conv": (conv(False, pads=[1, 1, 1, 1]), X),
    "conv with bias": (conv(True, strides=[2, 2]), X),
    "grouped conv": (conv(True, group=2), X),
    "transposed conv": (conv_transpose(1), X),
    "grouped transposed conv": (conv_transpose(2), X),
    "gemm": (gemm(), noise(6, 3)),
    "gemm with transB": (gemm(transB=1), noise(6, 3)),
    "scaled gemm": (gemm(transB=1, alpha=0.5, beta=2.0), noise(6, 3)),
    "matmul and add": (keras_dense(), noise(6, 3)),
}


@pytest.mark.parametrize("name", FOLDED)
def test_trains_and_comes_back(name, tmp_path):
    proto, x = FOLDED[name]
    session = check(proto, losses.cross_entropy(), x, classes(x, 6), tmp_path, rate=0.02, batch_norm="fold")
    names = set(session.parameter_names())
    scaled = {"scale.batch_norm_folded", "bias.batch_norm_folded"} if name == "scaled gemm" else set()
    bias = {"b.batch_norm_folded"} if "b" in {t.name for t in proto.graph.initializer} else {"bias.batch_norm_folded"}
    assert names == ({"w", "b"} | scaled if scaled else {"w.batch_norm_folded"} | bias)
    trained = onnx.load(tmp_path / "trained.onnx")
    assert all(n.op_type != "BatchNormalization" for n in trained.graph.node)


def test_no_neighbour(tmp_path):
    """After a ReLU there is nothing to fold into: one scale and one shift stay."""
    nodes = [node("Conv", "x w", "r"), node("Relu", "r", "c")]
    proto = model(nodes, {"w": values(1, 6, 4, 3, 3)}, (4, 5, 5), 6)
    session = check(proto, losses.cross_entropy(), X, classes(X, 6), tmp_path, batch_norm="fold")
    assert session.parameter_names() == ["w", "scale.batch_norm_folded", "bias.batch_norm_folded"]


def test_an_output_that_others_read_too(tmp_path):
    """The convolution's own output is used: its weights have to stay."""
    nodes = [
        node("Conv", "x w", "c"),
        node("BatchNormalization", "c scale bias mean var", "b"),
        node("Add", "b c", "n"),
        *HEAD,
    ]
    proto = make_model(nodes, {"w": values(1, 6, 4, 3, 3)} | statistics(6), {"x": ("N", 4, 5, 5)})
    session = check(proto, losses.cross_entropy(), X, classes(X, 6), tmp_path, batch_norm="fold")
    assert "w" in session.parameter_names()


def test_an_untrained_model_is_the_same_function(tmp_path):
    proto, x = FOLDED["conv with bias"]
    made = build_artifacts(proto, loss=losses.cross_entropy(), batch_norm="fold")
    np.testing.assert_allclose(served(made.inference, x), served(proto, x), rtol=1e-4, atol=1e-5)
    assert made.batch_norm() == ("fold", 1)


def test_training_mode_is_refused():
    proto, _ = FOLDED["gemm"]
    proto = onnx.ModelProto.FromString(proto.SerializeToString())
    proto.graph.node[1].output.extend(["m2", "v2"])
    proto.graph.node[1].attribute.append(onnx.helper.make_attribute("training_mode", 1))
    with pytest.raises(UnsupportedOperator, match="statistics of the batch.*eval mode"):
        build_artifacts(proto, batch_norm="fold")


def test_another_model_is_refused(tmp_path):
    """A checkpoint with folded weights, and a model that has nothing to fold."""
    plain = make_model([node("MatMul", "x w", "y")], {"w": values(1, 3, 8)}, {"x": ("N", 3)})
    name = "w.batch_norm_folded"
    with pytest.raises(CheckpointError, match=f"no weight called '{name}'"):
        export_inference(plain, Checkpoint({name: values(1, 3, 8)}, [name]), tmp_path / "out.onnx")
    assert not (tmp_path / "out.onnx").exists()
