"""The compiler as the studio page runs it: with a few packages, without threads, processes and the compiled runtime."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import onnx.parser
import pytest
from studio.compile_options import OPTIONS

from gradmote import Session, compile_model
from gradmote.cli import main
from gradmote.errors import BudgetError, CheckpointError, GradmoteError, ImageError, ModelError
from gradmote.losses import cross_entropy
from gradmote.optimizers import adamw
from gradmote.project.example import classifier
from gradmote.studio import page_compiler

#: Runs the compiler in an interpreter as bare as the page's. It is given the folder of a model, an image, a checkpoint.
BARE = """
import importlib.metadata, re, subprocess, sys, threading
from importlib.abc import MetaPathFinder

needs = importlib.metadata.requires("onnx_ir") or []
OF_ONNX_IR = [re.split(r"[^A-Za-z0-9_]", need)[0] for need in needs if "extra ==" not in need]
PAGE = {"gradmote", "numpy", "onnx", "onnx_ir", "ml_dtypes", "google", "typing_extensions", *OF_ONNX_IR, "mpmath"}
WITHOUT = {"fcntl", "_posixshmem", "_multiprocessing", "curses", "readline", "termios", "gradmote_runtime"}

class Blocked(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        top = name.partition(".")[0]
        if top in WITHOUT or not (top in PAGE or top in sys.stdlib_module_names or top.startswith("__editable__")):
            raise ModuleNotFoundError(f"there is no {name} in the page", name=name)
        return None

def refuse(*_, **__):
    raise OSError("not in the page")

for name in [name for name in sys.modules if name.partition(".")[0] in WITHOUT]:
    del sys.modules[name]
sys.meta_path.insert(0, Blocked())
subprocess.Popen.__init__ = threading.Thread.start = refuse

from pathlib import Path
from gradmote.studio import page_compiler

folder, lines = Path(sys.argv[1]), []
model = (folder / "model.onnx").read_bytes()
image, report = page_compiler.compile_onnx("model", model, sys.argv[2], lines.append)
(folder / "page.mote").write_bytes(image)
(folder / "page.json").write_text(report)
(folder / "image.json").write_text(page_compiler.analyze_mote("model", image))
if sys.argv[3] == "export":
    learned = page_compiler.export_onnx(image, model, (folder / "learned.gmck").read_bytes())
    (folder / "page.onnx").write_bytes(learned)
print(*lines, sep="\\n")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a model, and with what a session of its image has learned."""
    model = classifier().SerializeToString()
    (tmp_path / "model.onnx").write_bytes(model)
    result = compile_model(model, cross_entropy(through_softmax=True), adamw(0.01), page_compiler.Options(batch=4))
    with Session(result.image) as session:
        (tmp_path / "learned.gmck").write_bytes(session.save())
    return tmp_path


def in_the_page(folder: Path, then: str = "", **others: object) -> list[str]:
    """Compile and analyze in an interpreter as bare as the page's, `then` export; return the lines of progress."""
    command = [sys.executable, "-c", BARE, folder, json.dumps({**OPTIONS, **others}), then]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def on_the_computer(folder: Path, *options: str) -> bytes:
    """Return the image of `gradmote compile`."""
    common = ["--loss", "cross_entropy", "--optimizer", "adamw", "--lr", "0.01", "--batch", "4"]
    given = ["compile", folder / "model.onnx", *common, *options, "-o", folder / "computer.mote"]
    assert not main(list(map(str, given)))
    return (folder / "computer.mote").read_bytes()


def test_the_page_compiles_to_the_bytes_of_the_computer(folder: Path) -> None:
    lines = in_the_page(folder)
    assert (folder / "page.mote").read_bytes() == on_the_computer(folder)
    assert lines[0] == "Reading the model" and lines[-1] == "Analyzing the image"
    assert any(line.startswith("Planned: an arena of ") for line in lines)


def test_a_scheme_is_compiled_to_the_bytes_of_the_computer(folder: Path) -> None:
    in_the_page(folder, scheme="head")
    assert (folder / "page.mote").read_bytes() == on_the_computer(folder, "--scheme", "head")


def test_a_budget_is_searched_as_on_the_computer(folder: Path) -> None:
    full = len(on_the_computer(folder)) and json.loads(page_report(folder))["arena_bytes"]
    budget = str(full - 1)
    lines = in_the_page(folder, budget=budget)
    assert (folder / "page.mote").read_bytes() == on_the_computer(folder, "--ram", budget)
    assert any(line.startswith("Trying choice 2: ") for line in lines)
    report = json.loads((folder / "page.json").read_text())
    assert report["arena_bytes"] < full and report["budget"]["given_up"]


def page_report(folder: Path, **others: object) -> str:
    """Return the report on the model, made in this interpreter."""
    given = json.dumps({**OPTIONS, **others})
    return page_compiler.compile_onnx("model", (folder / "model.onnx").read_bytes(), given)[1]


def test_the_reports_have_what_the_page_draws(folder: Path) -> None:
    in_the_page(folder)
    compiled, opened = (json.loads((folder / name).read_text()) for name in ("page.json", "image.json"))
    assert compiled["arena_bytes"] == opened["arena_bytes"]
    for report in (compiled, opened):
        assert {board["name"] for board in report["boards"]} >= {"mps2-an386", "microbit"}
        assert all(board["fits"] is not bool(board["lacks"]) for board in report["boards"])
        assert report["programs"][0]["spans"]
    assert [b["name"] for b in json.loads(page_report(folder, boards=["microbit"]))["boards"]] == ["microbit"]


def test_the_export_has_what_was_learned(folder: Path) -> None:
    in_the_page(folder, "export")
    given = ("export", folder / "model.onnx", folder / "learned.gmck", "-o", folder / "computer.onnx")
    assert not main(list(map(str, given)))
    assert (folder / "page.onnx").read_bytes() == (folder / "computer.onnx").read_bytes()


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"loss": "hinge"}, ModelError, "there is no loss 'hinge' - use one of cross_entropy, mse"),
        ({"optimizer": "lion"}, ModelError, "there is no optimizer 'lion' - use one of sgd"),
        ({"scheme": "all of it"}, ModelError, "scheme"),
        ({"batch": 0}, ModelError, "batch"),
        ({"budget": "lots"}, ModelError, "'lots' is not a size"),
        ({"budget": "16"}, BudgetError, "nothing fits|does not fit|no training|fits"),
        ({"budget": "9K", "loss": ""}, ModelError, "a budget without a loss - choose a loss"),
        ({"boards": ["toaster"]}, GradmoteError, "toaster"),
    ],
)
def test_what_cannot_be_had_is_refused(folder: Path, changed: dict[str, object], error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        page_report(folder, **changed)


def test_bytes_that_are_no_files_are_refused(folder: Path) -> None:
    model = (folder / "model.onnx").read_bytes()
    image, _ = page_compiler.compile_onnx("model", model, json.dumps(OPTIONS))
    other, _ = page_compiler.compile_onnx("model", model, json.dumps({**OPTIONS, "scheme": "head"}))
    with pytest.raises(ModelError):
        page_compiler.compile_onnx("model", b"no model", json.dumps(OPTIONS))
    with pytest.raises(ImageError):
        page_compiler.analyze_mote("image", b"no image")
    with pytest.raises(CheckpointError):
        page_compiler.export_onnx(image, model, b"no checkpoint")
    with pytest.raises(CheckpointError, match="belongs to another image"):
        page_compiler.export_onnx(other, model, (folder / "learned.gmck").read_bytes())


def test_without_a_loss_an_image_only_infers(folder: Path) -> None:
    report = json.loads(page_report(folder, loss=""))
    assert [program["kind"] for program in report["programs"]] == ["infer"]


def test_the_report_notes_what_the_compiler_warns_of() -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]> shared (float[N, 4] x) => (float[N, 4] y)
        <float[4, 4] w = {1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1}> { h = MatMul(x, w) y = MatMul(h, w) }"""
    model = onnx.parser.parse_model(text).SerializeToString()
    _, report = page_compiler.compile_onnx("shared", model, json.dumps({**OPTIONS, "loss": "mse"}))
    assert any(note.startswith("'w' is used by ") for note in json.loads(report)["notes"])
