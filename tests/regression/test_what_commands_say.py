"""`train` said nothing in a pipe, nan if nothing was trained, and not which label is wrong; it ended with 0 after
Ctrl-C, and trained bytes without a scale at a loss of 341. `update` was silent, `analyze --board` ended with 0 if the
model does not fit, and the `train` line of `compile --ram` was left to guess."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import onnx
import pytest

from gradmote import cli, losses, optimizers
from gradmote.cli import update
from gradmote.compiler import Options, compile_model
from gradmote.device import TwinTarget, fit
from gradmote.device.dataset import Dataset
from gradmote.device.types import Update
from gradmote.errors import DataError
from gradmote.formats.carry_over import StateEntry
from gradmote.project.example import AXES, CLASSES, SAMPLES, classifier

MAIN = "import sys; from gradmote.cli import main; sys.exit(main())"
Said = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    onnx.save(classifier(), tmp_path / "model.onnx")
    compiled = compile_model(classifier(), losses.cross_entropy(), optimizers.sgd(0.01), Options(batch=4))
    (tmp_path / "model.mote").write_bytes(compiled.image)
    write_data(tmp_path / "data.npz")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_data(path: Path, **changed: object) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(22, AXES * SAMPLES)).astype(np.float32)
    y = rng.integers(0, CLASSES, 22)
    arrays = {"x": x, "y": y, "x_test": x[:6], "y_test": y[:6], **changed}
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})


def train(*more: str) -> int:
    return cli.main(["train", "model.mote", "--data", "data.npz", *more])


def test_a_line_an_epoch_without_a_terminal(folder: Path, capsys: Said) -> None:
    assert train("--epochs", "3") == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(" loss ")[0] for line in lines] == [f"epoch {n} of 3" for n in (1, 2, 3)]
    assert all("test loss" in line and "accuracy" in line for line in lines)
    for quiet in (["--json"], ["--quiet"]):
        assert train(*quiet) == 0
        assert not capsys.readouterr().err


def test_no_epoch_is_not_told_as_nan(folder: Path, capsys: Said) -> None:
    assert train("--epochs", "0") == 0
    said = capsys.readouterr()
    assert "nan" not in said.out + said.err and "%" in said.out
    write_data(folder / "data.npz", x_test=None, y_test=None)
    assert train("--epochs", "0") == 0
    said = capsys.readouterr()
    assert "nan" not in said.out + said.err and "nothing was trained (--epochs 0), or tested" in said.out
    assert train("--epochs", "1") == 0
    said = capsys.readouterr()
    assert "nan" not in said.out + said.err


@pytest.mark.parametrize(
    ("scale", "largest", "warned"), [(None, 200, True), (1.0, 200, False), (1 / 255, 200, False), (None, 1, False)]
)
def test_bytes_without_a_scale_are_told(
    folder: Path, scale: float | None, largest: int, warned: bool, capsys: Said
) -> None:
    x = np.full((22, AXES * SAMPLES), largest, np.uint8)
    write_data(folder / "data.npz", x=x, x_test=None, y_test=None, scale=scale)
    assert train() == 0
    said = capsys.readouterr().err
    assert ("bytes up to 200 without a scale" in said and "store scale=1/255" in said) == warned


@pytest.mark.parametrize("where", ["y", "y_test"])
@pytest.mark.parametrize("label", [CLASSES, -3, 300])
def test_a_wrong_label_is_named_with_its_sample(folder: Path, where: str, label: int, capsys: Said) -> None:
    with np.load("data.npz") as file:
        wrong = file[where].copy()
    wrong[2] = label
    write_data(folder / "data.npz", **{where: wrong})
    assert train("--epochs", "6") == 1
    said = capsys.readouterr().err
    assert f"error: {where}[2] is {label}: labels must be in 0 .. {CLASSES - 1}\n" in said


@pytest.mark.parametrize("batch", [1, 4])
@pytest.mark.parametrize("micro_batches", [1, 2])
def test_each_wrong_label_is_found_wherever_it_stands(batch: int, micro_batches: int) -> None:
    options = Options(batch=batch, accumulate=True)
    image = compile_model(classifier(), losses.cross_entropy(), optimizers.sgd(0.01), options).image
    for place in (0, 3, 7):
        y = np.zeros(8, np.int64)
        y[place] = 77
        with TwinTarget() as twin:
            twin.load_image(image)
            data = Dataset(np.zeros((8, AXES * SAMPLES), np.float32), y)
            with pytest.raises(DataError, match=rf"^y\[{place}\] is 77: labels must be in 0 \.\. {CLASSES - 1} - "):
                fit(twin, data, 1, micro_batches=micro_batches)


@pytest.mark.parametrize(
    ("number", "name", "checkpoint"),
    [
        (signal.SIGINT, "Ctrl-C", True),
        (signal.SIGINT, "Ctrl-C", False),
        (signal.SIGTERM, "SIGTERM", True),
        (signal.SIGHUP, "SIGHUP", True),
    ],
)
def test_a_signal_says_what_was_kept_and_ends_with_its_status(
    folder: Path, number: int, name: str, checkpoint: bool
) -> None:
    command = [sys.executable, "-c", MAIN, "train", "model.mote", "--data", "data.npz", "--epochs", "1000000"]
    command += ["--checkpoint", "x.gmck"] if checkpoint else []
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    heed = partial(signal.signal, number, signal.SIG_DFL)  # if the tests run under nohup, SIGHUP would be ignored
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed
    )
    assert process.stderr is not None
    assert process.stderr.readline().startswith("epoch 1 of 1000000 loss ")
    for _ in range(2 if number == signal.SIGTERM else 1):  # `timeout` sends two of these
        process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    kept = "what was learned until then is in x.gmck" if checkpoint else "no --checkpoint keeps what was learned"
    assert process.returncode == 128 + number
    assert f"stopped by {name} after update " in out and f"; {kept}\n" in out
    assert (folder / "x.gmck").exists() == checkpoint and not list(folder.glob(".*"))


@pytest.mark.parametrize(("number", "name"), [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")])
def test_a_signal_before_the_training_ends_at_once(folder: Path, number: int, name: str) -> None:
    """While a board is asked that does not answer."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = f"socket://127.0.0.1:{silent.getsockname()[1]}"
        command = [sys.executable, "-c", MAIN, "train", "model.mote", "--data", "data.npz", "--on", where]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
        line, _ = silent.accept()
        with line:
            assert line.recv(1)
            for _ in range(2 if number == signal.SIGTERM else 1):
                process.send_signal(number)
            _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + number and said.endswith(f"stopped by {name} before the training\n")


def test_a_model_that_does_not_fit_ends_with_1(folder: Path, capsys: Said) -> None:
    fits, huge = (["analyze", "model.onnx", "--loss", "cross_entropy", "--batch", n] for n in ("1", "100000"))
    assert cli.main([*fits, "--board", "mps2-an386"]) == 0
    assert cli.main([*huge, "--board", "mps2-an386"]) == 1
    assert "mps2-an386 lacks" in capsys.readouterr().out
    assert cli.main([*huge, "--board", "mps2-an386", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["board"]["fits"] is False
    assert cli.main(huge) == 0


def test_the_train_line_of_a_budget_can_be_run(folder: Path, capsys: Said) -> None:
    """The line includes the micro-batches that the search chose."""
    words = ["compile", "model.onnx", "--loss", "cross_entropy", "--batch", "20", "--ram", "6K", "-o", "small.mote"]
    assert cli.main(words) == 0
    (line,) = [part for part in capsys.readouterr().out.splitlines() if "train it: " in part]
    command = shlex.split(line.partition("train it: ")[2])
    assert command[:3] == ["gradmote", "train", "small.mote"] and "--micro-batches" in command
    assert cli.main(command[1:]) == 0
    assert (folder / "small.gmck").exists()


def test_update_says_what_became_of_what_was_learned() -> None:
    entries = tuple(StateEntry(name, "parameter", (1,), name == "w") for name in ("w", "b"))
    assert update.outcome(Update(entries, True), True) == "1 of 2 parameters were carried over, and are saved"
    assert update.outcome(Update((), False), True) == "it is the same model, and all that it learned stays"
    assert update.outcome(Update((), False), False) == "what the old model learned was discarded (--fresh)"


def test_update_is_not_silent(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Said) -> None:
    twin = TwinTarget()
    twin.load_image((folder / "model.mote").read_bytes())
    monkeypatch.setattr("gradmote.device.target_factory.open_target", lambda where: twin)
    assert cli.main(["update", "model.mote", "--on", "/dev/ttyACM0"]) == 0
    assert (
        capsys.readouterr().out
        == "twin (fused) runs model.mote now: it is the same model, and all that it learned stays\n"
    )
