"""The changes that `gradmote analyze --diff` reports are those that were made."""

from __future__ import annotations

import json

import onnx
import pytest

from gradmote.cli import main
from gradmote.report.analyze import analyze_image
from gradmote.report.analyze.compare import changes, layer_changes
from support.oracle import make_model, node, values
from support.page import Page


def mlp(activation):
    nodes = [
        node("Gemm", "x w1", "h", name="first"),
        node(activation, "h", "a", name="activation"),
        node("Gemm", "a w2", "y", name="second"),
    ]
    return make_model(nodes, {"w1": values(1, 6, 8), "w2": values(2, 8, 3)}, {"x": ("N", 6)})


@pytest.fixture
def compiled(tmp_path, capsys):
    """compiled("Relu", "--batch", "4") -> path of an image."""

    def call(activation, *options):
        path = tmp_path / f"{activation}{len(list(tmp_path.iterdir()))}.onnx"
        onnx.save(mlp(activation), path)
        assert main(["compile", str(path), "--loss", "cross_entropy", *options]) == 0
        capsys.readouterr()
        return path.with_suffix(".mote")

    return call


def test_an_image_does_not_differ_from_itself(compiled, capsys):
    path = compiled("Relu")
    assert main(["analyze", str(path), "--diff", str(path), "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)["diff"]
    assert reported == {"other": path.name, "whole": {}, "layers": {}}
    assert main(["analyze", str(path), "--diff", str(path)]) == 0
    assert "no layer changed" in capsys.readouterr().out


def test_the_optimizer_costs_its_moments(compiled, capsys):
    old, new = compiled("Relu"), compiled("Relu", "--optimizer", "adam")
    assert main(["analyze", str(new), "--diff", str(old), "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    parameters = 4 * (6 * 8 + 8 * 3)
    assert reported["diff"]["whole"]["arena: moments"] == [0, 2 * parameters + 8]  # and the powers of both betas
    before, after = reported["diff"]["whole"]["arena"]
    assert (before, after) == (analyze_image(old, "").arena, reported["arena_bytes"])
    assert "MAC forward" not in reported["diff"]["whole"]


def test_one_more_instruction_does_not_rename_those_behind_it(compiled):
    reports = [analyze_image(compiled("Relu", *options), "") for options in ([], ["--optimizer", "adam"])]
    gone = [c for some in layer_changes(*reports).values() for c in some if c.name == "flash" and not c.after]
    assert not gone
    assert sum(c.difference for c in changes(*reports) if c.name.startswith("arena: ")) == (
        reports[1].arena - reports[0].arena
    )


def test_models_are_compared_layer_by_layer(compiled, capsys):
    old, new = (compiled(op).with_suffix(".onnx") for op in ("Relu", "Tanh"))
    options = ["--loss", "cross_entropy"]
    assert main(["analyze", str(new), "--diff", str(old), *options, "--json"]) == 0
    layers = json.loads(capsys.readouterr().out)["diff"]["layers"]
    assert "activation" in layers and layers["activation"]["machine"][1] > layers["activation"]["machine"][0]
    assert main(["analyze", str(new), "--diff", str(old), *options]) == 0
    text = capsys.readouterr().out
    assert "activation" in text and old.name in text


def test_a_model_against_an_image_is_told_from_its_image(compiled, capsys):
    path = compiled("Relu")
    command = ["analyze", str(path.with_suffix(".onnx")), "--loss", "cross_entropy", "--diff", str(path), "--json"]
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["diff"]["whole"] == {}


# ---- Schemes


def test_schemes_stand_side_by_side(compiled, capsys):
    path = compiled("Relu").with_suffix(".onnx")
    command = ["analyze", str(path), "--loss", "cross_entropy", "--batch", "4", "--board", "mps2-an386"]
    assert main([*command, "--schemes", "full,head,named:w1,w2", "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    full, head, both = reported["schemes"]
    assert [row["scheme"] for row in reported["schemes"]] == ["full", "head", "named:w1,w2"]
    assert reported["scheme"] == "full" and full["arena_bytes"] == reported["arena_bytes"] == both["arena_bytes"]
    assert (full["trained"], head["trained"]) == (6 * 8 + 8 * 3, 8 * 3)
    assert head["arena_bytes"] < full["arena_bytes"] and head["macs"] < full["macs"]
    assert main([*command, "--schemes", "full,head"]) == 0
    assert "Schemes" in capsys.readouterr().out


def test_each_scheme_is_what_compile_makes_of_it(compiled, capsys):
    path = compiled("Relu").with_suffix(".onnx")
    assert main(["analyze", str(path), "--loss", "cross_entropy", "--train", "w2", "--schemes", "head", "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)["schemes"][0]
    image = compiled("Relu", "--scheme", "head")
    assert (reported["arena_bytes"], reported["image_bytes"]) == (analyze_image(image, "").arena, image.stat().st_size)


def test_a_scheme_that_the_model_cannot_have_is_told(compiled, capsys):
    path = compiled("Relu").with_suffix(".onnx")
    assert main(["analyze", str(path), "--loss", "cross_entropy", "--schemes", "bias,full", "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert [row["scheme"] for row in reported["schemes"]] == ["full"]
    assert any(note.startswith("scheme bias: ") for note in reported["notes"])


def test_what_has_no_choice_of_schemes_is_refused(compiled, capsys):
    path = compiled("Relu")
    for command in ([str(path)], [str(path.with_suffix(".onnx"))]):
        assert main(["analyze", *command, "--schemes", "full"]) == 1
        assert "has no choice of schemes" in capsys.readouterr().err
    assert main(["analyze", str(path.with_suffix(".onnx")), "--loss", "cross_entropy", "--schemes", "most"]) == 1
    assert "'most' is not a scheme" in capsys.readouterr().err


def test_the_page_compares_schemes_by_itself(compiled, tmp_path, capsys):
    path, target = compiled("Relu").with_suffix(".onnx"), tmp_path / "page.html"
    assert main(["analyze", str(path), "--loss", "cross_entropy", "--html", str(target)]) == 0
    text = target.read_text()
    Page(text)
    assert "<td>head</td>" in text and "<td>sparse:0.25</td>" in text
