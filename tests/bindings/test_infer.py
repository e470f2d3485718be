"""`gradmote/infer`: inference alone, in node and in Chromium, with the twin's bits; and what its modules lack."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numeric.onnx_backend.page import read_facts
from numeric.onnx_backend.training_kernels import training_kernels

from bindings.test_node import drawn, images, network
from gradmote import Session
from gradmote.formats.image import read_image
from gradmote.formats.kernel_selection import needs_of
from support import npm_package
from wasm_module import TRAINING_KERNELS

#: Bytes under brotli.
LIMITS = {"gradmote-infer-simd.wasm": 30_000, "gradmote-infer.wasm": 17_000, "infer.min.js": 6_500}
NETWORKS = {"lenet": 2, "ds_cnn": 2, "resnet_8": 1}
BUNDLERS = ("vite", "webpack")


def models() -> dict[str, bytes]:
    """Return images that train, and one that infers."""
    return {**images(), **{name: network(name, batch) for name, batch in NETWORKS.items()}}


@pytest.fixture(scope="module")
def project() -> Path:
    """Return the project, with the models."""
    folder = npm_package.require()
    for name, image in models().items():
        npm_package.give(f"{name}.mote", image)
    return folder


def expected(image: bytes) -> list[list[float]]:
    """Return the twin's answers to drawn inputs."""
    with Session(image, "strict") as session:
        inputs = [drawn(info["size"] // 4, i + 1).tobytes() for i, info in enumerate(session.inputs())]
        for i, data in enumerate(inputs):
            session.set_input(i, data)
        return [np.asarray(output).ravel().tolist() for output in session.infer()]


# ---- Answers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["simd", "plain"])
@pytest.mark.parametrize("name", ["step", "accumulate", "overwrite", "nameless", "infer", "head", *NETWORKS])
def test_answers_equal_the_twins(project: Path, name: str, form: str) -> None:
    found = json.loads(npm_package.node("infer/node.mjs", project / "data" / f"{name}.mote", form))
    assert found == expected(models()[name])


def test_by_commonjs(project: Path) -> None:
    found = json.loads(npm_package.node("infer/require.cjs", project / "data" / "accumulate.mote"))
    assert found == expected(images()["accumulate"])


def test_pages_infer_in_each_import_form(project: Path) -> None:
    if not shutil.which("chromium"):
        pytest.skip("there is no chromium")
    for bundler in BUNDLERS:
        npm_package.node("bundle.mjs", bundler, npm_package.TOOLS, "infer/bundled.mjs", f"infer-{bundler}")
    bundled = [f"scripts/infer-{bundler}/index.html" for bundler in BUNDLERS]
    pages = ["scripts/infer/script.html", "scripts/infer/modules.html", *bundled]
    found = npm_package.browse(*pages)
    for page in pages:
        assert_inferred(found[page])


def assert_inferred(reported: dict[str, Any]) -> None:
    """Both classes give the twin's answers, and a damaged image is refused."""
    answers = expected(network("lenet", 2))
    assert reported["problems"] == [] and "error" not in reported, reported
    assert (reported["answers"], reported["named"], reported["dims"]) == (answers, answers[0], [2, 10])
    assert reported["refused"] == "BAD_CRC"


# ---- What the modules have ------------------------------------------------------------------------------------------


def test_modules_lack_the_kernels_of_training_alone() -> None:
    """`./run scons accept ONLY=operators` writes the list."""
    assert TRAINING_KERNELS.read_text().split() == training_kernels(read_facts())


def test_no_inference_of_the_set_needs_a_kernel_of_training() -> None:
    lacking = set(TRAINING_KERNELS.read_text().split())
    for name, image in models().items():
        (program,) = [program for program in read_image(image).programs if program["kind"] == "infer"]
        used = {instruction["opcode"] for instruction in program["instructions"]}
        assert not used & lacking, name
    assert needs_of(models()["lenet"]).kernels.keys() & lacking, "the image trains"


def test_modules_export_no_more_than_inference(project: Path) -> None:
    for name in ("gradmote-infer.wasm", "gradmote-infer-simd.wasm"):
        reported = json.loads(npm_package.node("exports.mjs", npm_package.ROOT / "build" / "wasm" / name))
        own = {"gm_wasm_session_size", "gm_wasm_keep_inference", "memory", "__heap_base"}
        assert set(reported["exports"]) == {"gm_classify", "gm_close", "gm_infer", "gm_open", "gm_required"} | own
        assert reported["imports"] == []


def test_files_stay_small(project: Path) -> None:
    sizes = json.loads(npm_package.node("sizes.mjs", *LIMITS))
    assert {name: size for name, size in sizes.items() if size > LIMITS[name]} == {}, sizes
