"""A scheme's text, the layers that it counts, and what the image and the commands say of it."""

import json

import numpy as np
import onnx
import pytest
from typer.testing import CliRunner

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.schemes import Layer, Scheme, choose, layers, parts_of
from gradmote.cli import app
from gradmote.compiler import Options, compile_model
from gradmote.errors import ModelError, UnsupportedOperator
from gradmote.formats.image import read_image
from gradmote.frontend import load_model
from support.oracle import make_model, node, values

TEXTS = ["full", "last:3", "bias", "bias:last:5", "sparse:0.25", "sparse:0.25:last:4", "named:a.*,b", "freeze:w",
         "head", "head+bias:last:5", "named:a+b,c+last:2", "head+sparse:0.5:last:3",
         "sparse:0.5:named:a.*,b", "bias+sparse:0.25:named:a+b+sparse:0.125:named:c"]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_text_and_scheme_are_one(text):
    assert str(Scheme.parse(text)) == text
    assert Scheme.parse(str(Scheme.parse(text))) == Scheme.parse(text)


def test_the_head_is_the_last_layer():
    assert Scheme.parse("head") == Scheme(last=1) == Scheme.parse("last:1")


@pytest.mark.parametrize(
    "text",
    ["", "all", "last:0", "last:-1", "last:x", "last", ":last:2", "sparse", "sparse:0", "sparse:1.5", "sparse:nan",
     "sparse:x", "full:last:2", "bias:", "bias:3", "biaslast:3", "head:last:2", "named:", "named", "freeze:",
     "+head", "head+", "sparse:0.5:named", "sparse:0.5:named:", "sparse:2:named:w", "sparse::named:w",
     "sparse:0.5:last:2:named:w", "bias:named:w"],
)  # fmt: skip
def test_what_is_no_scheme_is_refused(text):
    with pytest.raises(ModelError):
        Scheme.parse(text)


def network():
    """Two layers with what belongs to them, then one that has no bias."""
    nodes = [
        node("Conv", "x w1 b1", "c"),
        node("BatchNormalization", "c scale shift mean var", "n"),
        node("PRelu", "n slope", "r"),
        node("Flatten", "r", "f"),
        node("MatMul", "f w2", "m"),
        node("Add", "m b2", "a"),
        node("Gemm", "a w3", "y", transB=1),
    ]
    weights = {"w1": values(1, 4, 1, 2, 2), "b1": values(2, 4), "scale": values(3, 4), "shift": values(4, 4),
               "mean": values(5, 4), "var": np.abs(values(6, 4)) + 1, "slope": values(7, 4, 1, 1),
               "w2": values(8, 16, 6), "b2": values(9, 6), "w3": values(10, 3, 6)}  # fmt: skip
    return make_model(nodes, weights, {"x": ("N", 1, 3, 3)})


def trained(text, **settings):
    return list(build_artifacts(network(), None, losses.cross_entropy(), scheme=text, **settings).parameters)


def test_what_works_on_a_layers_result_belongs_to_it():
    first, second, third = layers(load_model(network()).graph)
    assert (first.weights, first.biases, first.others) == (["w1"], ["b1", "shift"], ["scale", "slope"])
    assert (second.all(), third.all()) == (["w2", "b2"], ["w3"])


@pytest.mark.parametrize(
    "text, names",
    [
        ("full", ["w1", "b1", "scale", "shift", "slope", "w2", "b2", "w3"]),
        ("head", ["w3"]),
        ("last:2", ["w2", "b2", "w3"]),
        ("bias", ["b1", "shift", "b2"]),
        ("bias:last:2", ["b2"]),
        ("sparse:0.5", ["w1[0:2]", "b1[0:2]", "w2[:,0:3]", "b2[0:3]", "w3[0:2]"]),
        ("sparse:0.5:last:1", ["w3[0:2]"]),
        ("sparse:1", ["w1", "b1", "w2", "b2", "w3"]),
        ("named:w*", ["w1", "w2", "w3"]),
        ("freeze:w1,b*,s*", ["w2", "w3"]),
        ("head+bias", ["b1", "shift", "b2", "w3"]),
        ("head+sparse:0.5:last:2", ["w2[:,0:3]", "b2[0:3]", "w3"]),
        ("sparse:0.5:named:w1+sparse:0.3:named:w[23]", ["w1[0:2]", "b1[0:2]", "w2[:,0:2]", "b2[0:2]", "w3[0:1]"]),
        ("sparse:0.5:last:2+sparse:0.3", ["w1[0:2]", "b1[0:2]", "w2[:,0:3]", "b2[0:3]", "w3[0:2]"]),
        (
            "bias+sparse:0.25:named:w*",
            ["w1[0:1]", "b1[0:1]", "b1[1:4]", "shift", "w2[:,0:2]", "b2[0:2]", "b2[2:6]", "w3[0:1]"],
        ),
        ("named:b2+sparse:0.25:named:w1,w2", ["w1[0:1]", "b1[0:1]", "w2[:,0:2]", "b2[0:2]", "b2[2:6]"]),
        ("bias:last:2+sparse:1:named:w2", ["w2", "b2"]),
        ("named:w2+sparse:0.5:last:2", ["w2", "w3[0:2]"]),
    ],
)
def test_what_a_scheme_trains(text, names):
    assert trained(text) == names


@pytest.mark.parametrize("batch_norm", ["frozen", "batch"])
def test_the_bias_of_a_batch_norm_is_one(batch_norm):
    assert trained("bias", batch_norm=batch_norm) == ["b1", "shift", "b2"]


def test_more_layers_than_there_are():
    with pytest.raises(ModelError, match="3 layers"):
        trained("last:4")


def test_a_layer_without_biases():
    with pytest.raises(ModelError, match="nothing to train"):
        trained("bias:last:1")


@pytest.mark.parametrize("text", ["sparse:0.5:named:v", "sparse:0.5:named:b1", "head+sparse:0.5:named:w1,x*"])
def test_names_that_are_no_weights_of_layers(text):
    with pytest.raises(ModelError, match="no weight matches|nothing to train"):
        trained(text)


def test_the_share_of_each_parameter():
    known = layers(load_model(network()).graph)
    assert parts_of(known, Scheme.parse("head+sparse:0.5")) == {"w1": 0.5, "w2": 0.5, "w3": 1.0}
    assert parts_of(known, Scheme.parse("freeze:w*,s*")) == {"b1": 1.0, "b2": 1.0}


def test_a_name_may_look_like_a_pattern():
    known = [Layer(weights=["m[0].w"]), Layer(weights=["m[1].w"], biases=["m[1].b"])]
    assert parts_of(known, Scheme("named", names=("m[1].w",))) == {"m[1].w": 1.0}
    assert parts_of(known, Scheme("freeze", names=("m[1].w",))) == {"m[0].w": 1.0, "m[1].b": 1.0}
    assert set(parts_of(known, Scheme("named", names=("m*", "a constant")))) == {"m[0].w", "m[1].w", "m[1].b"}


def test_scheme_and_names_are_refused_together():
    with pytest.raises(ModelError, match="give one"):
        build_artifacts(network(), ["w1"], losses.cross_entropy(), scheme="head")


def test_a_recurrent_layer_has_no_channels_to_split():
    weights = {"w": values(1, 1, 12, 2), "r": values(2, 1, 12, 3), "v": values(3, 3, 2)}
    nodes = [node("LSTM", "x w r", "- h", hidden_size=3), node("Squeeze", "h zero", "s"), node("MatMul", "s v", "y")]
    model = make_model(nodes, weights | {"zero": np.array([0])}, {"x": (4, 1, 2)})
    graph = load_model(model).graph
    assert choose(graph, Scheme.parse("last:2")) == (["w", "r", "v"], {})
    with pytest.raises(UnsupportedOperator, match="LSTM cannot train some"):
        build_artifacts(model, None, losses.mse(), scheme="sparse:0.5")
    assert list(build_artifacts(model, None, losses.mse(), scheme="sparse:0.5:last:1").parameters) == ["v[:,0:1]"]


def test_shared_tensors():
    """A shared weight is cut once, a shared bias does not train; two axes of one weight cannot be cut."""
    weights = {"w": values(1, 4, 4), "b": values(2, 4)}
    nodes = [node("Gemm", "x w b", "h", transB=1), node("Gemm", "h w b", "y", transB=1)]
    made = build_artifacts(make_model(nodes, weights, {"x": ("N", 4)}), None, losses.mse(), scheme="sparse:0.5")
    assert list(made.parameters) == ["w[0:2]"]
    with pytest.raises(ModelError, match="'b' cannot be trained whole: several layers add it"):
        build_artifacts(make_model(nodes, weights, {"x": ("N", 4)}), None, losses.mse(), scheme="bias+sparse:0.5")
    nodes[1] = node("Gemm", "h w", "y")
    with pytest.raises(UnsupportedOperator, match="share the weight 'w'"):
        build_artifacts(make_model(nodes, weights, {"x": ("N", 4)}), None, losses.mse(), scheme="sparse:0.5")


@pytest.mark.parametrize(
    "settings, text",
    [
        ({}, "full"),
        ({"train": ["w3"]}, "named:w3"),
        ({"train": ["w*", "b*", "s*"]}, "full"),
        ({"freeze": ["b*"]}, "freeze:b*"),
        ({"scheme": "sparse:0.5:last:2"}, "sparse:0.5:last:2"),
    ],
)
def test_the_image_says_what_it_trains(settings, text):
    made = compile_model(network(), losses.cross_entropy(), optimizers.sgd(), **settings)
    assert read_image(made.image).scheme == text
    assert compile_model(network(), None).compiled.scheme == ""


def test_stripped_names_take_the_scheme_along():
    made = compile_model(network(), losses.cross_entropy(), optimizers.sgd(), Options(strip_names=True), scheme="head")
    assert read_image(made.image).scheme == ""


def test_the_commands(tmp_path):
    model, image = tmp_path / "model.onnx", tmp_path / "model.mote"
    onnx.save(network(), str(model))
    arguments = ["compile", str(model), "-o", str(image), "--loss", "cross_entropy"]
    run = CliRunner().invoke(app, [*arguments, "--scheme", "last:2"])
    assert run.exit_code == 0 and "trains w2, b2, w3 (last:2)" in run.output
    shown = CliRunner().invoke(app, ["inspect", str(image), "--json"])
    assert json.loads(shown.output)["scheme"] == "last:2"
    assert "scheme last:2" in CliRunner().invoke(app, ["inspect", str(image), "--no-code"]).output
    both = CliRunner().invoke(app, [*arguments, "--scheme", "last:2", "--freeze", "w1"])
    assert both.exit_code != 0
