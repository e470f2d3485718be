"""The npm package in node: the twin's bits and answers, its names, its types, and what it refuses."""

from __future__ import annotations

import hashlib
import json
import re
from array import array
from functools import cache
from pathlib import Path

import pytest
from bench.memory.cases import artifacts
from dist.same_state import PIXELS, drawn

from bindings.conversation import Call, camel, twin_answers, write_calls
from gradmote import Session, compile_model, losses, optimizers
from gradmote.artifacts.export_table import export_table
from gradmote.compiler import Options, compile_image
from gradmote.compiler.sample_store import StoreOptions
from support import digits, npm_package
from wasm_module import EXPORTS, FORMS, exports, file_name

ROOT = npm_package.ROOT
SOURCES = ROOT / "bindings" / "js" / "src"
#: Bytes that files of the package may have under brotli.
CLASSES = ["nul", "één", "twee", "drie", "vier", "vijf", "zes", "zeven", "acht", "negen"]
LIMITS = {"gradmote-simd.wasm": 50_000, "gradmote.wasm": 31_000, "gradmote.min.js": 8_700, "training.min.js": 10_200}
SCRIPTS = sorted(npm_package.SCRIPTS.glob("*.test.mjs"))
#: What only JavaScript's Session has: its views have no shape, an image's losses and scheme can be asked for, and the
#: optimizer can be left out of a checkpoint, which Python's CheckpointState does.
#: openMemory() is for the package's other entries.
JAVASCRIPT_ONLY = {"losses", "openMemory", "parameterShape", "saveWithoutOptimizer", "scheme", "toString", "train"}
#: The members of FederatedSession of gradmote/federated, so that pages without rounds do not fetch it.
OF_ROUNDS = {"round", "beginRound", "roundDelta", "checkDelta", "endRound"}
#: The function of gradmote/export.
OF_EXPORT = {"exportModel"}


@cache
def images() -> dict[str, bytes]:
    """Return images of one network that differ in what they offer."""
    made = digits.artifacts(optimizers.adamw(0.003))
    return {
        "step": compile_image(made, Options(batch=4, store=StoreOptions(20), classes=CLASSES)).image,
        "accumulate": digits.image(optimizers.adamw(0.003), batch=2, accumulate=True, dropout=0.25),
        "overwrite": compile_image(made, Options(batch=4, overwrite_inputs=True)).image,
        "nameless": compile_image(made, Options(batch=4, accumulate=True, strip_names=True)).image,
        "infer": compile_model(digits.model(), None).image,
        "head": compile_model(
            digits.model(), losses.cross_entropy(), optimizers.sgd(0.1), Options(accumulate=True), scheme="head"
        ).image,
    }


@pytest.fixture(scope="session")
def project() -> Path:
    """Return the project that has the package, the images, and a checkpoint of the twin."""
    folder = npm_package.require()
    for name, image in images().items():
        npm_package.give(f"{name}.mote", image)
    with Session(images()["accumulate"], "strict") as session:
        session.set_parameters(array("f", [0.5] * (session.requirements()["parameters_size"] // 4)))
        npm_package.give("accumulate.gmck", session.save())
    with twin(images()["step"], 3, len(CLASSES)) as session:
        table = export_table(digits.model(), images()["step"])
        for ending, content in (("gmck", session.save()), ("gmex", table), ("onnx", session.export_model(table))):
            npm_package.give(f"exported.{ending}", content)
    return folder


# ---- The twin's bits ------------------------------------------------------------------------------------------------


def twin(image: bytes, steps: int, classes: int) -> Session:
    """Return a session that was trained as data.mjs does."""
    session = Session(image, "strict")
    count, batch = (session.input_view(0).nbytes // 4, session.label_view(0).nbytes // 4)
    for step in range(steps):
        session.set_input(0, drawn(count, step + 1).tobytes())
        session.set_label(0, array("i", [(step * 7 + i * 3) % classes for i in range(batch)]))
        if "step" in session.requirements()["programs"]:
            session.step()
        else:
            session.train_step()
            session.optimizer_step()
            session.lazy_reset_grad()
    return session


def twin_digest(image: bytes, steps: int, classes: int) -> str:
    """Train the twin, and return the digest of its checkpoint."""
    with twin(image, steps, classes) as session:
        return hashlib.sha256(session.save()).hexdigest()


@pytest.mark.parametrize("form", ["simd", "plain"])
@pytest.mark.parametrize(
    "name, batch, steps",
    [("lenet", 3, 8), ("ds_cnn", 2, 4), ("resnet_8", 1, 3), ("step", 4, 50), ("accumulate", 2, 50)],
)
@pytest.mark.usefixtures("project")
def test_states_equal_the_twins(tmp_path: Path, name: str, batch: int, steps: int, form: str) -> None:
    image = images()[name] if name in images() else network(name, batch)
    classes = 12 if name == "ds_cnn" else 10
    model = tmp_path / f"{name}.mote"
    model.write_bytes(image)
    found = npm_package.node("same_state.mjs", model, steps, form, classes).split()[-1]
    assert found == twin_digest(image, steps, classes)


@cache
def network(name: str, batch: int) -> bytes:
    return compile_image(artifacts(name, "full"), Options(batch=batch)).image


# ---- The twin's answers ---------------------------------------------------------------------------------------------

PICTURES = {"f32": list(drawn(4 * PIXELS, 1))}
PICTURE = {"f32": list(drawn(PIXELS, 2))}
CALLS: dict[str, list[Call]] = {
    "step": [
        ("requirements",), ("inputs",), ("labels",), ("outputs",), ("outputs", "eval"), ("control",),
        ("parameterNames",), ("classNames",),
        ("step", PICTURES, {"i32": [1, 2, 3, 4]}), ("skippedSteps",), ("learningRate",), ("instructions",),
        ("infer", PICTURES), ("classify",), ("classify", 3), ("classify", 4), ("evalStep",), ("output", 0, "eval"),
        ("setProperty", "rounds", 3), ("setProperty", "äöü", 0.25), ("getProperty", "rounds"), ("properties",),
        ("removeProperty", "rounds"), ("getProperty", "rounds"),
        ("learningRate", 0.125), ("setLinearSchedule", 0.5, 2, 10), ("control",), ("step",), ("learningRate",),
        ("save",), ("stateSha256",), ("reset",), ("control",), ("load", {"result": 28}), ("control",), ("stateSha256",),
        ("save", True), ("load", {"result": 35}), ("stateSha256",), ("carryOver", {"result": 28}), ("parameters",),
        ("delta",), ("applyDelta", {"result": 40}), ("parameters",), ("parameter", "0.bias"), ("parameter", 3),
        ("parameter", "nothing"), ("parameter", 4), ("gradient", "0.bias"), ("setParameters", {"f32": [1.0, 2.0]}),
        ("store",), ("learn", 3, PICTURE), ("learn", 4), ("storeClass", 3), ("score", 3), ("replay",), ("forget", 3),
        ("storeClass", 3), ("storeClass", 10), ("beginReplay", "step"), ("infer", PICTURES), ("run", 2), ("abort",),
        ("setSeed", 7), ("begin", "eval"), ("step", PICTURES, {"i32": [1, 2, 3, 4]}), ("run", 1), ("run", 1000),
        ("loss", "eval"), ("runProgram", "eval"), ("runProgram", "infer"), ("runProgram", "optimizer"),
        ("loss", "train"),
        ("step", PICTURES, {"i32": [1, 2, 3, 10]}), ("step", PICTURES, {"i32": [1, 2, 3]}), ("step", PICTURES),
        ("step", {"f32": [1.0]}, {"i32": [1, 2, 3, 4]}), ("setInput", 1, PICTURES),
        ("setLabel", 0, {"f32": [1, 2, 3, 4]}),
        ("trainStep",), ("optimizerStep",), ("learningRate", -1.0), ("run", 5), ("outputs", "nothing"), ("state",),
        ("setInput", 0, PICTURES), ("inputView", 0), ("labelView", 0), ("poison",), ("inputView", 0), ("profile",),
    ],
    "accumulate": [
        ("lazyResetGrad",), ("optimizerStep",), ("trainStep", {"f32": list(drawn(2 * PIXELS, 1))}, {"i32": [1, 2]}),
        ("trainStep",), ("gradient", "0.bias"), ("gradient", "nothing"), ("control",), ("optimizerStep",),
        ("stateSha256",), ("store",), ("learn", 1), ("replay",), ("setSeed", 9), ("trainStep",), ("abort",),
        ("stateSha256",), ("step",),
    ],
    "overwrite": [
        ("inputs",), ("step",), ("step", PICTURES, {"i32": [1, 2, 3, 4]}), ("step",), ("inputView", 0), ("poison",),
        ("begin", "infer"), ("begin", "infer"), ("run", 1000), ("infer",),
    ],
    "nameless": [("parameterNames",), ("inputs",), ("parameter", 0), ("trainStep", PICTURES)],
    "infer": [("infer", PICTURE), ("step",), ("control",), ("labels",), ("save",), ("parameters",), ("delta",)],
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_calls_answer_as_the_twins(project: Path, tmp_path: Path, name: str) -> None:
    reported = npm_package.node(
        "conversation.mjs", project / "data" / f"{name}.mote", write_calls(tmp_path, CALLS[name])
    )
    for call, found, wanted in zip(CALLS[name], json.loads(reported), twin_answers(images()[name], CALLS[name])):
        assert found == wanted, call


# ---- Names, types, sizes --------------------------------------------------------------------------------------------


def test_session_has_the_names_of_pythons(project: Path) -> None:
    names = {name for name in dir(Session) if not name.startswith("_")} | {"profile"}
    found = set(json.loads(npm_package.node("names.mjs")))
    assert found - JAVASCRIPT_ONLY == {camel(name) for name in names} - OF_ROUNDS - OF_EXPORT


def test_scripts_have_the_members_of_modules(project: Path) -> None:
    """Scripts give short names only to what pages cannot see."""
    lacking = json.loads(npm_package.node("script_members.mjs"))
    assert len(lacking) > 1 and {name for names in lacking.values() for name in names} == {"Session.openMemory"}


def test_modules_export_what_javascript_calls(project: Path) -> None:
    """Compare only names; those of rounds belong to other modules."""
    text = "".join(path.read_text() for path in SOURCES.glob("*.ts") if path.name != "worker.ts")
    called = set(re.findall(r"""(?:\.|"|\{ )(gm_\w+)""", text))
    written = (ROOT / "bindings" / "wasm" / "gm_wasm.c").read_text()
    assert called == {*exports(), *re.findall(r"EXPORT\((gm_\w+)\)", written)}, f"see {EXPORTS}"
    for form in FORMS:
        reported = json.loads(npm_package.node("exports.mjs", ROOT / "build" / "wasm" / file_name(form)))
        assert set(reported["exports"]) == called | {"memory", "__heap_base"}
        assert sorted(reported["imports"]) == ["gradmote.read", "gradmote.write"]


def test_files_stay_small(project: Path) -> None:
    """Bytes under brotli, as a server sends them."""
    sizes = json.loads(npm_package.node("sizes.mjs"))
    assert {name: size for name, size in sizes.items() if size > LIMITS[name]} == {}, sizes


def test_pages_of_onnxruntime_web_type_check(project: Path, tmp_path: Path) -> None:
    """A page passes tsc with the types of onnxruntime 1.17.3, and with ours instead."""
    page = (npm_package.SCRIPTS / "page.ts").read_text()
    ours = "gradmote/training"
    for name, module in (("page.ts", "onnxruntime-common"), ("page.mts", ours), ("page.cts", ours)):
        (tmp_path / name).write_text(page.replace("MODULE", module))
        type_check(project, tmp_path / name)
    (tmp_path / "page.ts").write_text((npm_package.SCRIPTS / "types.ts").read_text())
    type_check(project, tmp_path / "page.ts")


def type_check(project: Path, source: Path) -> None:
    modules = source.parent / "node_modules"
    if not modules.exists():
        modules.mkdir()
        (modules / "gradmote").symlink_to(project / "node_modules" / "gradmote")
        (modules / "onnxruntime-common").symlink_to(npm_package.TOOLS / "onnxruntime-common")
    tsc = str(npm_package.TOOLS / "typescript" / "bin" / "tsc")
    options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--types", ""]
    npm_package.run("node", tsc, *options, str(source), folder=source.parent)


# ---- In JavaScript --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name.removesuffix(".test.mjs"))
def test_scripts(project: Path, script: Path) -> None:
    npm_package.node(script.name, options=("--test", "--expose-gc"))


@pytest.mark.parametrize("form", ["import.mjs", "require.cjs"])
def test_both_kinds_of_module(project: Path, form: str) -> None:
    assert npm_package.node(form, project / "data" / "accumulate.mote").split() == ["4", "true"]
