"""The report says whether parameters are updated while their gradients are made, and if not, why."""

import json

import onnx
import pytest

from gradmote import losses, optimizers
from gradmote.cli import main
from gradmote.compiler import Options, compile_model
from gradmote.report.image_reports import updates_of
from support.oracle import make_model, node, values

NODES = [node("Gemm", "x w b", "h"), node("Relu", "h", "r"), node("Gemm", "r v", "y")]
WEIGHTS = {"w": values(1, 4, 6), "b": values(2, 6), "v": values(3, 6, 3)}
SIZES = {name: array.nbytes for name, array in WEIGHTS.items()}


def model():
    return make_model(NODES, WEIGHTS, {"x": ("N", 4)})


def updates(clip_norm=None, **options):
    optimizer = optimizers.sgd(0.1, clip_norm=clip_norm)
    return updates_of(compile_model(model(), losses.mse(), optimizer, Options(**options)).compiled)


def test_weights_are_updated_while_their_gradients_are_made():
    found = updates()
    assert sorted(found.fused) == ["v", "w"] and found.whole == {"b": SIZES["b"]} and not found.reason


@pytest.mark.parametrize(
    "accumulate, clip_norm, words",
    [(True, None, ["accumulate"]), (False, 1.0, ["clip_norm"]), (True, 1.0, ["accumulate", "clip_norm"])],
)  # fmt: skip
def test_what_needs_stored_gradients_is_the_reason(accumulate, clip_norm, words):
    found = updates(clip_norm, accumulate=accumulate)
    assert not found.fused and found.whole == SIZES
    assert [word for word in ("accumulate", "clip_norm") if word in found.reason] == words


def test_an_image_that_only_infers_has_none():
    found = updates_of(compile_model(model()).compiled)
    assert not found.fused and not found.whole and not found.reason


@pytest.mark.parametrize("options", [[], ["--accumulate"], ["--set", "clip_norm=1"]])
def test_compile_says_so(options, tmp_path, capsys):
    path = tmp_path / "model.onnx"
    onnx.save(model(), path)
    command = ["compile", str(path), "--loss", "mse", *options]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert ("2 of 3 parameters" if not options else f"all gradients are stored, {sum(SIZES.values())} B") in said
    assert main([*command, "--json"]) == 0
    assert bool(json.loads(capsys.readouterr().out)["updates"]["reason"]) == bool(options)


def test_an_image_that_only_infers_does_not_speak_of_updates(tmp_path, capsys):
    path = tmp_path / "model.onnx"
    onnx.save(model(), path)
    assert main(["compile", str(path)]) == 0
    assert "updates" not in capsys.readouterr().out
