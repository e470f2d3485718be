"""Options that cannot do what they say are refused before the work: a file that would replace one that is read,
settings of a training without a loss, a run that is not there, and a board's name for its port."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from gradmote import cli
from gradmote.data import expected_of
from gradmote.device.target_factory import open_target
from gradmote.errors import DeviceError
from gradmote.formats.checkpoint import load, pack
from gradmote.project.example import AXES, CLASSES, SAMPLES, classifier, example_image


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    model, rng = classifier(), np.random.default_rng(0)
    onnx.save(model, tmp_path / "model.onnx")
    (tmp_path / "model.mote").write_bytes(example_image())
    x, y = rng.normal(size=(20, AXES * SAMPLES)).astype(np.float32), rng.integers(0, CLASSES, 20)
    np.savez(tmp_path / "data.npz", x=x, y=y)
    np.savez(tmp_path / "test.npz", x=x, y=y)
    weights = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    (tmp_path / "learned.gmck").write_bytes(pack(weights, {}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


#: What would replace a file that it reads.
REPLACING = (
    "compile model.onnx --loss cross_entropy -o model.onnx",
    "compile model.onnx --loss cross_entropy --data data.npz -o data.npz",
    "header model.mote -o model.mote",
    "train model.mote --data data.npz --checkpoint model.mote",
    "train model.mote --data data.npz --checkpoint ./data.npz",
    "train model.mote --data data.npz --test test.npz --log test.npz",
    "evaluate model.mote --data data.npz --png data.npz",
    "export model.onnx learned.gmck -o learned.gmck",
    "plan model.mote --png model.mote",
    "analyze model.mote --html model.mote",
    "federate simulate model.mote --data data.npz --devices 2 --checkpoint model.mote",
)


@pytest.mark.parametrize("words", REPLACING)
def test_what_is_read_is_not_replaced(words: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert cli.main(words.split()) == 1
    assert "is a file that this command reads" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_an_exported_model_may_replace_its_own(folder: Path) -> None:
    assert cli.main(["export", "model.onnx", "learned.gmck", "-o", "model.onnx"]) == 0
    onnx.checker.check_model(onnx.load(folder / "model.onnx"))


@pytest.mark.parametrize(
    ("words", "option"),
    [("--optimizer adam", "optimizer"), ("--lr 0.1", "lr"), ("--set momentum=0.9", "set"), ("--mask", "mask")],
)
def test_settings_of_a_training_need_a_loss(
    words: str, option: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["compile", "model.onnx", *words.split(), "-o", "new.mote"]) == 1
    assert f"--{option} without --loss: the image would only infer" in capsys.readouterr().err
    assert not (folder / "new.mote").exists()


def test_an_image_that_only_infers_needs_no_option(folder: Path) -> None:
    assert cli.main(["compile", "model.onnx", "--batch", "2", "-o", "new.mote"]) == 0
    assert "train" not in expected_of(folder / "new.mote").programs


def test_a_run_that_is_not_there_cannot_go_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["train", "model.mote", "--data", "data.npz", "--continue", "--checkpoint", "new.gmck"]) == 1
    said = capsys.readouterr().err
    assert "--continue goes on from new.gmck, and there is no such file" in said and "without --continue" in said


def test_the_name_of_a_board_is_no_port() -> None:
    with pytest.raises(DeviceError, match="mps2-an386 is a board, not a port - qemu:mps2-an386 is the emulated one"):
        open_target("mps2-an386")
    with pytest.raises(DeviceError, match="nano33ble is a board, not a port - gradmote ports lists"):
        open_target("nano33ble")


def test_what_is_no_checkpoint_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["export", "learned.gmck", "model.onnx", "-o", "new.onnx"]) == 1
    assert "model.onnx: this is not a checkpoint" in capsys.readouterr().err
    for words in ("evaluate model.mote --data data.npz --checkpoint", "train model.mote --data data.npz --resume"):
        assert cli.main([*words.split(), "model.mote"]) == 1
        assert "model.mote: this is not a checkpoint" in capsys.readouterr().err
    assert load(folder / "learned.gmck").parameters


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "train model.mote --data data.npz --batch 8",
            "No such option: --batch; gradmote compile has it (Possible options: ",
        ),
        ("train model.mote --data data.npz --optimizer adam", "No such option: --optimizer; gradmote compile has it"),
        ("compile model.onnx --epochs 3", "No such option: --epochs; gradmote train has it"),
        ("train model.mote --data data.npz --nothing", "No such option: --nothing"),
    ],
)
def test_an_option_of_another_command_is_named(
    words: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(words.split()) == 2
    error = capsys.readouterr().err
    assert said in error and ("has it" in error) == ("has it" in said)


@pytest.mark.parametrize("name, kind", [("model.mote", "a compiled image"), ("learned.gmck", "a checkpoint")])
def test_a_file_of_ours_is_no_model(name: str, kind: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["compile", name, "-o", "new.mote"]) == 1
    assert f"this is {kind}" in capsys.readouterr().err
