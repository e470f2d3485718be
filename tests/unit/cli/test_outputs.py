"""Every command that writes a file: it reports a target that cannot be written in one line, before the work, and leaves
no file half-written. A new option that names a file to write must be added to the table here."""

from __future__ import annotations

import ast
import re
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import numpy as np
import onnx
import pytest

from gradmote import cli
from gradmote.cli.compiler import parameters_of
from gradmote.formats import files
from gradmote.formats.checkpoint import pack
from gradmote.project.example import AXES, CLASSES, SAMPLES, classifier, example_image

SOURCES = Path(cli.__file__).parents[1]

#: (command, its option that names what is written) -> arguments; OUT stands for that file.
OUTPUTS = {
    ("artifacts", "directory"): "artifacts model.onnx --out OUT",
    ("compile", "out"): "compile model.onnx --loss cross_entropy -o OUT",
    ("analyze", "html"): "analyze model.mote --html OUT",
    ("plan", "png"): "plan model.mote --png OUT",
    ("header", "out"): "header model.mote -o OUT",
    ("keygen", "key"): "keygen OUT",
    ("sign", "out"): "sign model.mote --key key.pem -o OUT",
    ("new", "folder"): "new OUT --board mps2-an386 --model model.mote",
    ("sources", "folder"): "sources OUT",
    ("export", "out"): "export model.onnx learned.gmck -o OUT",
    ("wasm", "out"): "wasm model.mote -o OUT",
    ("train", "checkpoint"): "train model.mote --data data.npz --checkpoint OUT",
    ("train", "log"): "train model.mote --data data.npz --log OUT",
    ("train", "tensorboard"): "train model.mote --data data.npz --tensorboard OUT",
    ("evaluate", "png"): "evaluate model.mote --data data.npz --png OUT",
    ("simulate", "checkpoint"): "federate simulate model.mote --data data.npz --devices 2 --checkpoint OUT",
}
#: Paths that are only read, though their options take a path that is not there; and a plot, whose suffix matters.
READ = {
    "model", "checkpoint", "diff", "against", "artifacts", "key", "image", "images", "resume", "store_data", "pyodide",
    "calibrate", "plot", "timings",
}  # fmt: skip
#: What makes the folders above it.
FOLDERS = {
    ("artifacts", "directory"),
    ("new", "folder"),
    ("sources", "folder"),
    ("wasm", "out"),
    ("train", "tensorboard"),
}
#: What writes into a folder that is there.
FILLS = FOLDERS - {("new", "folder"), ("sources", "folder")}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    model = classifier()
    onnx.save(model, folder / "model.onnx")
    (folder / "model.mote").write_bytes(example_image())
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20, AXES * SAMPLES)).astype(np.float32)
    np.savez(folder / "data.npz", x=x, y=rng.integers(0, CLASSES, 20))
    weights = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    (folder / "learned.gmck").write_bytes(pack(weights, {}))
    assert cli.main(["keygen", str(folder / "key.pem")]) == 0
    return folder


def arguments(option: tuple[str, str], out: str, folder: Path) -> list[str]:
    words = [out if word == "OUT" else word for word in OUTPUTS[option].split()]
    return [str(folder / word) if word != out and (folder / word).is_file() else word for word in words]


def path_options() -> set[tuple[str, str]]:
    """Return (command, option) of every option that may name a path that is not there yet."""
    found = set()
    for name, function, *_ in [*cli.COMMANDS, *cli.FEDERATE]:
        for parameter in parameters_of(function):
            kind, option, *_ = (*get_args(parameter.annotation), None, None)
            if option is not None and Path in (kind, *get_args(kind)) and not option.exists:
                found.add((name, parameter.name))
    return found


def test_the_table_has_every_option() -> None:
    unknown = {(command, option) for command, option in path_options() - set(OUTPUTS) if option not in READ}
    assert not unknown and set(OUTPUTS) <= path_options()


def unwritable(kind: str, folder: Path) -> str:
    (folder / "file").write_bytes(b"")
    (folder / "there").mkdir()
    (folder / "there" / "something").write_bytes(b"")
    return {"no folder": "nodir/x", "a folder": "there", "below a file": "file/x", "no name": "x" * 300}[kind]


def refused_before_work(command: str) -> list[str]:
    """Functions that begin the work of a command, as modules know them."""
    return {
        "artifacts": ["gradmote.artifacts.build_artifacts"],
        "compile": ["gradmote.compiler.compile.compile_model"],
        "train": ["gradmote.device.target_factory.open_target"],
        "evaluate": ["gradmote.device.target_factory.open_target"],
        "export": ["gradmote.artifacts.export.trained_model"],
        "wasm": ["gradmote.project.wasm.built"],
        "simulate": ["gradmote.federated.simulate.Simulation"],
    }.get(command, [])


@pytest.mark.parametrize("kind", ["no folder", "a folder", "below a file", "no name"])
@pytest.mark.parametrize("option", OUTPUTS, ids="-".join)
def test_what_cannot_be_written_is_told_in_one_line(
    option: tuple[str, str],
    kind: str,
    inputs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = option[0]
    if option in FOLDERS and (kind == "no folder" or (kind == "a folder" and option in FILLS)):
        pytest.skip("that makes folders")
    monkeypatch.chdir(tmp_path)
    for name in refused_before_work(command):
        monkeypatch.setattr(name, lambda *a, **k: pytest.fail("the work began"))
    out = unwritable(kind, tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert cli.main(arguments(option, out, inputs)) != 0
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2 and said[0].startswith("error: ") and out.split("/")[0] in said[0], said
    assert said[1].startswith(" hint: ")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.fixture
def full_disk() -> Iterator[None]:
    """A limit on the size of files simulates it; the limit counts in the temporary folder too."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("option", OUTPUTS, ids="-".join)
def test_a_full_disk_leaves_the_file_before(
    option: tuple[str, str],
    inputs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    full_disk: None,
) -> None:
    if option == ("train", "tensorboard"):
        pytest.skip("its files grow")
    monkeypatch.chdir(tmp_path)
    command = option[0]
    if option not in FOLDERS and command != "keygen":
        Path("out").write_bytes(b"before")
    assert cli.main(arguments(option, "out", inputs)) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2 and re.fullmatch("error: cannot write .*out.*: File too large", said[0]), said
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert all(path == tmp_path / "out" and path.read_bytes() == b"before" for path in left)


def test_ctrl_c_leaves_no_half_project(inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gradmote.project import create

    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(create, "write_part", interrupt)
    with pytest.raises(KeyboardInterrupt):
        create.create(tmp_path / "lamp", "mps2-an386", inputs / "model.mote")
    assert not list(tmp_path.iterdir())


# ---- One module writes ----------------------------------------------------------------------------------------------

#: Calls that write files, by the last part of the name.
WRITING = {
    "write_text", "write_bytes", "tofile", "savez", "savez_compressed", "savetxt", "savefig", "mkdir", "makedirs",
    "copyfile", "copytree", "copy2", "mkstemp", "mkdtemp", "NamedTemporaryFile",
}  # fmt: skip
#: Writes that are not results: a picture into memory, the log that an emulator writes itself, a board's answer to
#: another thing.
NO_RESULTS = {
    ("data/array_files.py", "savez"),  # into memory
    ("report/pictures.py", "savefig"),
    ("device/flash/emulated.py", "open"),
    ("device/flash/processes.py", "open"),
}


def writes(call: ast.Call) -> str:
    """Return the name of the called function if that writes a file, else ""."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    words = [a.value for a in [*call.args, *(k.value for k in call.keywords)] if isinstance(a, ast.Constant)]
    writes_to_it = any(isinstance(word, str) and re.fullmatch("[rbt]*[wax+][bt+]*", word) for word in words)
    return name if name in WRITING or (name in ("open", "fdopen") and writes_to_it) else ""


def test_one_module_writes_files() -> None:
    found = set()
    for path in SOURCES.rglob("*.py"):
        if path != Path(files.__file__) and "sources/" not in str(path):
            calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
            found |= {(str(path.relative_to(SOURCES)), writes(call)) for call in calls if writes(call)}
    assert found == NO_RESULTS
