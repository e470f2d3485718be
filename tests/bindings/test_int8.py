"""Quantized models in node and Chromium: the package chooses a module that has int8, and reaches the twin's bits."""

from __future__ import annotations

import hashlib
import json
import shutil
from array import array
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dist.same_state import drawn

from bindings import narrow
from bindings.conversation import Call, twin_answers, write_calls
from bindings.test_node import images
from gradmote import Session, compile_model, losses, optimizers
from gradmote.cli import main
from gradmote.compiler.options import Options
from gradmote.compiler.sample_store import StoreOptions
from support import npm_package
from support.quantized import small_cnn
from wasm_module import FORMS, file_name

#: Bytes under brotli.
LIMITS = {
    "gradmote-int8-simd.wasm": 70_000,
    "gradmote-int8.wasm": 42_050,
    "gradmote-infer-int8-simd.wasm": 35_000,
    "gradmote-infer-int8.wasm": 20_000,
}
STEPS = 20
MODELS = {"cnn-int8": 10, "cnn-int16": 10, "narrow-int8": narrow.CLASSES, "narrow-uint8": narrow.CLASSES}


@cache
def image(name: str) -> bytes:
    """Return an image: a network with float inputs, or a dense layer of integers with a sample store."""
    kind, _, dtype = name.partition("-")
    if kind == "narrow":
        return narrow.image(dtype, {"int8": "int8", "uint8": "int16"}[dtype], store=StoreOptions(10))
    options = Options(batch=2, weights=dtype, gradients="int16")
    return compile_model(small_cnn.model(), losses.cross_entropy(), optimizers.sgd(0.05), options).image


@pytest.fixture(scope="module")
def project() -> Path:
    """Return the project that has the package, with the models."""
    folder = npm_package.require()
    for name in MODELS:
        npm_package.give(f"{name}.mote", image(name))
    npm_package.give("accumulate.mote", images()["accumulate"])
    return folder


def drawn_for(info: dict[str, Any], seed: int) -> np.ndarray:
    """Return the numbers that data.mjs draws for a tensor."""
    numbers = np.frombuffer(drawn(int(np.prod(info["shape"])), seed), np.float32).reshape(info["shape"])
    if info["dtype"] == "float32":
        return numbers
    return (np.floor(256 * numbers) - (128 if info["dtype"] == "int8" else 0)).astype(info["dtype"])


def twin(name: str, steps: int = STEPS) -> Session:
    """Return a session that was trained as data.mjs does."""
    session = Session(image(name), "strict")
    batch = session.labels()[0]["size"] // 4
    for step in range(steps):
        labels = [(step * 7 + i * 3) % MODELS[name] for i in range(batch)]
        session.step(drawn_for(session.inputs()[0], step + 1), array("i", labels))
    return session


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", MODELS)
def test_states_equal_the_twins(project: Path, name: str, form: str) -> None:
    found = npm_package.node("same_state.mjs", project / "data" / f"{name}.mote", STEPS, form, MODELS[name]).split()[-1]
    with twin(name) as session:
        assert found == hashlib.sha256(session.save()).hexdigest()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", MODELS)
def test_inference_alone_equals_the_twins(project: Path, name: str, form: str) -> None:
    found = json.loads(npm_package.node("infer/node.mjs", project / "data" / f"{name}.mote", form))
    with Session(image(name), "strict") as session:
        outputs = session.infer(*(drawn_for(info, i + 1) for i, info in enumerate(session.inputs())))
        assert found == [np.asarray(output).ravel().tolist() for output in outputs]


def calls(key: str) -> list[Call]:
    """Return calls of a session on the dense layer of integers. key: the type of its input, as calls have it."""
    samples = [{key: list(range(start, start + narrow.FEATURES))} for start in range(0, 60, 20)]
    return [
        ("requirements",), ("inputs",), ("outputs",), ("parameterNames",), ("parameter", "w"), ("parameters",),
        ("infer", samples[0]), ("classify",), ("step", samples[0], {"i32": [1]}), ("step", samples[1], {"i32": [4]}),
        ("parameter", "w"), ("parameters",), ("delta",), ("state",), ("stateSha256",), ("save",), ("save", True),
        ("reset",), ("delta",), ("applyDelta", {"result": 12}), ("parameters",), ("stateSha256",),
        ("reset",), ("setParameters", {"result": 11}), ("parameters",), ("setParameters", {"f32": [1.0, 2.0]}),
        ("load", {"result": 15}), ("stateSha256",), ("load", {"result": 16}), ("stateSha256",),
        ("carryOver", {"result": 15}), ("stateSha256",),
        ("store",), ("learn", 3, samples[2]), ("learn", 2, samples[1]), ("storeClass", 3), ("score", 3), ("replay",),
        ("inputView", 0), ("stateSha256",), ("step", {"f32": [1.0] * narrow.FEATURES}, {"i32": [1]}),
        ("step", {key: [1, 2]}, {"i32": [1]}), ("stateSha256",), ("gradient", "w"),
    ]  # fmt: skip


@pytest.mark.parametrize("name, key", [("narrow-int8", "i8"), ("narrow-uint8", "u8")])
def test_calls_answer_as_the_twins(project: Path, tmp_path: Path, name: str, key: str) -> None:
    reported = npm_package.node(
        "conversation.mjs", project / "data" / f"{name}.mote", write_calls(tmp_path, calls(key))
    )
    for call, found, wanted in zip(
        calls(key), json.loads(reported), twin_answers(image(name), calls(key)), strict=True
    ):
        assert found == wanted, call


def test_in_javascript(project: Path) -> None:
    npm_package.node("int8.mjs", options=("--test",))


def test_pages_train_to_the_twins_bits(project: Path) -> None:
    if not shutil.which("chromium"):
        pytest.skip("there is no chromium")
    pages = [f"scripts/pages/int8-{kind}.html" for kind in ("script", "modules")]
    found = npm_package.browse(*pages)
    with twin("narrow-int8") as session:
        state = session.state_sha256()
    for page in pages:
        assert found[page] == {"digest": state, "remote": state, "weight": "Int8Array", "problems": []}, page


def test_a_models_own_modules_reach_its_bits(project: Path, tmp_path: Path) -> None:
    model = project / "data" / "cnn-int8.mote"
    assert main(["wasm", str(model), "-o", str(tmp_path)]) == 0
    for form in FORMS:
        found = npm_package.node("same_state.mjs", model, 5, form, 10, tmp_path).split()[-1]
        with twin("cnn-int8", 5) as session:
            assert found == hashlib.sha256(session.save()).hexdigest()
        whole = npm_package.ROOT / "build" / "wasm" / file_name(form, "gradmote-int8")
        assert (tmp_path / file_name(form)).stat().st_size < 0.7 * whole.stat().st_size


def test_files_stay_small(project: Path) -> None:
    sizes = json.loads(npm_package.node("sizes.mjs", *LIMITS))
    assert {name: size for name, size in sizes.items() if size > LIMITS[name]} == {}, sizes
