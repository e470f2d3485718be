"""The compiler in the page: Gradmote in Pyodide in Chromium makes the bytes of the command line."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser
from bench.cost_models import bag

from gradmote import Session, compile_model
from gradmote.artifacts.export import trained_model
from gradmote.budget import Limits, Task, search
from gradmote.compiler import Options
from gradmote.ir.write import proto_bytes
from gradmote.losses import named_loss
from gradmote.optimizers import OPTIMIZERS
from gradmote.project.example import classifier
from studio import page, pyodide_release
from studio.compile_options import OPTIONS

#: Options beside those, by the name of the case.
CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "head by sgd": {"scheme": "head", "optimizer": "sgd", "batch": 1},
    "only inference": {"loss": ""},
    "budget": {"budget": "7000"},
    "fixed": {},
    "many operators": {"loss": "mse", "optimizer": "adam"},
    "built in": {},
    "no model": {},
    "no such loss": {"loss": "hinge"},
}


def test_a_page_makes_the_bytes_of_the_command_line(tmp_path: Path) -> None:
    models = write_models(tmp_path)
    small, learned = learned_by(classifier().SerializeToString())
    (tmp_path / "small.mote").write_bytes(small)
    (tmp_path / "learned.gmck").write_bytes(learned)
    found = in_the_page(tmp_path, models)
    made = dict(zip(CASES, found["compiled"], strict=True))
    for case in ("plain", "head by sgd", "only inference", "budget", "fixed", "many operators"):
        assert made[case].get("failure") is None, case
        assert base64.b64decode(made[case]["image"]) == expected(models[case].read_bytes(), CASES[case]), case
    refusals(made)
    assert made["plain"]["analysis"]["boards"] and made["budget"]["analysis"]["budget"]["given_up"]
    assert found["analyzed"]["arena_bytes"] == made["plain"]["analysis"]["arena_bytes"]
    assert base64.b64decode(found["exported"]) == proto_bytes(trained_model(models["plain"].read_bytes(), learned))
    assert found["refused"]["failure"]["text"] == "this is not a checkpoint"
    assert found["progress"][:4] == [
        "Loading Python",
        "Loading the compiler",
        "Starting the compiler",
        "Reading the model",
    ]
    assert any(line.startswith("Trying choice 2: ") for line in found["progress"])
    assert found["problems"] == []


def refusals(made: dict[str, Any]) -> None:
    """Check what the page says of models that cannot be compiled."""
    built_in, broken, loss = (made[case]["failure"] for case in ("built in", "no model", "no such loss"))
    assert "has a fixed batch of 1, asked for 4, and the model has the 1 built in" in built_in["text"]
    assert "use --batch 1" in built_in["hint"]
    assert broken["hint"] and not broken["fatal"]
    assert (loss["text"], loss["fatal"]) == ("there is no loss 'hinge'", False)
    assert loss["hint"].startswith("use one of cross_entropy")


def write_models(folder: Path) -> dict[str, Path]:
    """Write the model of each case, and return their paths."""
    plain = classifier()
    contents = {case: plain.SerializeToString() for case in CASES}
    contents["fixed"] = fixed_batch(onnx.load_model_from_string(contents["plain"])).SerializeToString()
    contents["many operators"] = bag(10).SerializeToString()
    contents["built in"] = built_in_batch().SerializeToString()
    contents["no model"] = b"no model"
    paths = {case: folder / f"{case}.onnx" for case in CASES}
    for case, path in paths.items():
        path.write_bytes(contents[case])
    return paths


def fixed_batch(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with a batch of 1, as an exporter fixes it."""
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.shape.dim[0].dim_value = 1
    return model


def built_in_batch() -> onnx.ModelProto:
    """Return a model of a batch of 1 that sums over it: together samples give other results than one by one."""
    ones = ", ".join(["1"] * 12)
    return onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["" : 13]> sums (float[1, 4] x) => (float[1, 3] y)
        <int64[1] axes = {{0}}, float[4, 3] w = {{{ones}}}>
        {{ s = ReduceSum<keepdims = 1>(x, axes) h = Add(s, x) y = MatMul(h, w) }}"""
    )


def learned_by(model: bytes) -> tuple[bytes, bytes]:
    """Return the image of a model, and the checkpoint of a session that has run one step."""
    image = expected(model, {})
    with Session(image) as session:
        samples = [np.ones(t["shape"], t["dtype"]) for t in session.inputs()]
        labels = [np.zeros(t["shape"], t["dtype"]) for t in session.labels()]
        session.step(*samples, *labels)
        return image, session.save()


def expected(model: bytes, changed: dict[str, Any]) -> bytes:
    """Return the image that the command line makes."""
    wanted = {**OPTIONS, **changed}
    loss = named_loss(wanted["loss"]) if wanted["loss"] else None
    optimizer = OPTIMIZERS[wanted["optimizer"]](wanted["learningRate"]) if loss else None
    options = Options(batch=wanted["batch"])
    if wanted["budget"]:
        assert loss is not None and optimizer is not None
        return search(Task(model, loss, optimizer, options), Limits(ram=int(wanted["budget"]))).result.image
    return compile_model(model, loss, optimizer, options, scheme=wanted["scheme"]).image


def in_the_page(folder: Path, models: dict[str, Path]) -> dict[str, Any]:
    """Return what the compiler in the page makes of all cases."""
    cases = {
        "compile": [[case, str(path), {**OPTIONS, **CASES[case]}] for case, path in models.items()],
        "image": str(folder / "small.mote"),
        "export": [str(folder / "small.mote"), str(models["plain"]), str(folder / "learned.gmck")],
        "refused": [str(folder / "small.mote"), str(models["plain"]), str(models["plain"])],
    }
    (folder / "cases.json").write_text(json.dumps(cases))
    page.require()
    return page.click("compiler.mjs", pyodide_release.require(), folder / "cases.json")


def test_a_compiler_that_cannot_be_loaded_is_told_and_tried_again() -> None:
    model = page.require() / "examples" / "digits-cnn.onnx"
    found = page.click("compiler_page.mjs", pyodide_release.CORE, model)
    assert found["stopped"] == {"alert": "the compiler was stopped compile again to start it", "state": "absent"}
    for case, words in (("unreachable", "Failed to fetch"), ("lacking", "it lacks numpy, ml-dtypes, protobuf")):
        assert "Python cannot be loaded from http" in found[case]["alert"], case
        assert words in found[case]["alert"], case
        assert ".mote files need no compiler" in found[case]["alert"], case
        assert found[case]["state"] == "failed", case
    assert found["works"] == "digits-mlp.mote"
    assert found["problems"] == []
