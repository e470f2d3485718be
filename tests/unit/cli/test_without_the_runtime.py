"""Every command of an installation without the compiled runtime, as the pure wheel is: those that need the twin end in
one clear line, and all others work. A new command must be added to a table here."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest

from gradmote import Session, cli, compile_model
from gradmote.device.emulator import missing
from gradmote.device.flash import build
from gradmote.errors import GradmoteError
from gradmote.formats.checkpoint import pack
from gradmote.losses import cross_entropy
from gradmote.optimizers import sgd
from gradmote.project.example import AXES, CLASSES, SAMPLES, classifier, example_image
from gradmote.sources.parts import build_module
from gradmote.studio import own_site, server
from gradmote_runtime import library

BOARD = "mps2-an386"
#: Calls of the commands that work, in an order in which each has what it reads.
WORK = (
    "--version",
    "artifacts model.onnx --out artifacts",
    "compile model.onnx --loss cross_entropy --batch 4 -o made.mote",
    "compile model.onnx --loss cross_entropy --ram 8K -o small.mote",
    "data data.npz",
    "analyze made.mote",
    "analyze model.onnx --loss cross_entropy --board mps2-an386",
    "plan made.mote",
    "boards",
    "inspect made.mote",
    "inspect learned.gmck",
    "header made.mote -o made.h",
    "kernels made.mote --flags",
    "keygen key.pem",
    "sign made.mote --key key.pem -o signed.mote",
    "new project --board mps2-an386",
    "sources lib --for made.mote",
    "ops",
    "export model.onnx learned.gmck -o better.onnx",
    "ports",
)
#: One that compiles C.
COMPILES = "wasm model.mote -o modules"
#: One that serves until it is asked to end.
SERVES = "studio --json --port 0"
#: Those that run the twin.
NEED_THE_TWIN = (
    "bench model.mote",
    "train model.mote --data data.npz",
    "train model.mote --data data.npz --on twin:strict",
    "evaluate model.mote --data data.npz",
    "federate simulate model.mote --data data.npz --devices 2",
    "compile model.onnx --loss cross_entropy --data data.npz --ram 8K -o measured.mote",
    "compile fixed.onnx --loss cross_entropy --batch 4 -o free.mote",
)
#: Those that talk to a board; PORT is that of an emulated one.
ON_A_BOARD = (
    f"flash model.mote --board {BOARD}",
    "train model.mote --data data.npz --on PORT --checkpoint board.gmck",
    "evaluate model.mote --data data.npz --on PORT",
    "update model.mote --on PORT",
    "console PORT",
    f"bench model.mote --board {BOARD}",
    f"flash --stop {BOARD}",
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with what the calls read; the runtime's modules are hidden."""
    network = classifier()
    onnx.save(network, tmp_path / "model.onnx")
    network.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1
    network.graph.output[0].type.tensor_type.shape.dim[0].dim_value = 1
    onnx.save(network, tmp_path / "fixed.onnx")
    (tmp_path / "model.mote").write_bytes(example_image())
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20, AXES * SAMPLES)).astype(np.float32)
    np.savez(tmp_path / "data.npz", x=x, y=rng.integers(0, CLASSES, 20))
    weights = {t.name: onnx.numpy_helper.to_array(t) for t in classifier().graph.initializer}
    (tmp_path / "learned.gmck").write_bytes(pack(weights, {}))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRADMOTE_BUILD", str(tmp_path / "built"))
    for name in library.PROFILES:
        monkeypatch.setitem(sys.modules, f"gradmote_runtime._{name}", None)
    library._load.cache_clear()
    yield tmp_path
    library._load.cache_clear()


def test_every_command_is_in_a_table() -> None:
    called = {line.split()[0] for line in (*WORK, COMPILES, SERVES, *NEED_THE_TWIN, *ON_A_BOARD)}
    assert called - {"--version", "federate"} == {entry.name for entry in cli.COMMANDS}


def test_commands_without_the_twin_work(capsys: pytest.CaptureFixture[str]) -> None:
    for line in WORK:
        assert cli.main(line.split()) == 0, (line, capsys.readouterr().err)
    said = capsys.readouterr().out
    assert "runtime: this gradmote was installed without the compiled runtime" in said


def test_modules_for_pages_are_built() -> None:
    if build_module("wasm_module").find_compiler() is None:
        pytest.skip("there is no compiler for WebAssembly")
    assert cli.main(COMPILES.split()) == 0


def test_the_studio_is_served(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def end(_: server.Server) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(own_site, "find_page", lambda: folder)
    monkeypatch.setattr(server.Server, "serve_forever", end)
    assert cli.main(SERVES.split()) == 0
    assert '"address": "http://127.0.0.1:' in capsys.readouterr().out


@pytest.mark.parametrize("line", NEED_THE_TWIN)
def test_commands_of_the_twin_end_in_one_line(line: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(folder.iterdir())
    assert cli.main(line.split()) == 1
    said = capsys.readouterr().err.splitlines()
    assert sum(part.startswith("error: ") for part in said) == 1
    assert "installed without the compiled runtime" in " ".join(said) and "--on PORT" in " ".join(said)
    assert sorted(folder.iterdir()) == before


def test_a_missing_compiler_for_browsers_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "ziglang", None)
    assert cli.main(COMPILES.split()) == 1
    said = capsys.readouterr().err
    assert "Traceback" not in said and "pip install ziglang" in said


@pytest.mark.device
def test_boards_learn_without_the_twin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(build, "is_checkout", lambda: False)
    monkeypatch.setattr("gradmote.device.emulated_firmware.is_checkout", lambda: False)
    if missing(BOARD):
        pytest.skip(missing(BOARD))
    port = "PORT"
    for line in ON_A_BOARD:
        command = [sys.executable, "-c", "import sys; from gradmote.cli import main; sys.exit(main())"]
        if line.startswith("console"):  # it reads the standard input
            done = subprocess.run(
                [*command, "console", port], input="mem\n", capture_output=True, text=True, check=True
            )
            assert "bytes of flash" in done.stdout
            continue
        assert cli.main(line.replace("PORT", port).split()) == 0, (line, capsys.readouterr().err)
        said = capsys.readouterr().out
        if line.startswith("flash model"):
            port = next(word for word in said.split() if word.startswith("socket://"))
    assert Path("board.gmck").stat().st_size > 0


def test_the_package_says_so_too() -> None:
    image = compile_model(classifier(), cross_entropy(), sgd(0.1)).image
    with pytest.raises(GradmoteError, match="without the compiled runtime"):
        Session(image)


LIGHT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"serial", "typer", "cffi", "elftools", "intelhex"}:
            raise ImportError(name + " is not to be imported")
sys.meta_path.insert(0, Missing())
import gradmote.report.analyze, gradmote.device, gradmote.training, gradmote.testing, gradmote.project.create
from gradmote.formats.c_header import c_header
from gradmote.project.example import example_image
open(sys.argv[1], "wb").write(example_image())
print(len(c_header(sys.argv[1], "model")))
"""


def test_the_library_needs_no_serial_port_and_no_command_line(folder: Path) -> None:
    command = [sys.executable, "-c", LIGHT, str(folder / "made.mote")]
    assert int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) > 1000
