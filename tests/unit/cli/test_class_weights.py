"""`--loss-set weight=balanced` against scikit-learn's class weights, and against an image with the numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from sklearn.utils.class_weight import compute_class_weight

from gradmote import cli
from support.oracle import make_model, node, values

LABELS = np.repeat(np.arange(3), [30, 6, 12]).astype(np.int32)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, outputs in (("three", 3), ("one", 1)):
        weights = {"w": values(1, 4, outputs), "b": values(2, outputs)}
        onnx.save(make_model([node("Gemm", "x w b", "y")], weights, {"x": ("N", 4)}), tmp_path / f"{name}.onnx")
    x = values(3, len(LABELS), 4)
    np.savez(tmp_path / "three.npz", x=x, y=LABELS)
    np.savez(tmp_path / "one.npz", x=x, y=(LABELS == 1).astype(np.float32)[:, None])
    np.savez(tmp_path / "lacks.npz", x=x, y=2 * (LABELS == 1))
    np.savez(tmp_path / "numbers.npz", x=x, y=values(4, len(LABELS), 1))
    return tmp_path


def compiled(files: Path, model: str, loss: str, *options: str, status: int = 0) -> bytes:
    arguments = ["compile", files / f"{model}.onnx", "--loss", loss, "--batch", "8", "-o", files / "out.mote", *options]
    assert cli.main([str(word) for word in arguments]) == status
    return (files / "out.mote").read_bytes() if status == 0 else b""


def test_weights_are_scikit_learns(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = compiled(
        files, "three", "cross_entropy", "--loss-set", "weight=balanced", "--data", str(files / "three.npz")
    )
    expected = compute_class_weight("balanced", classes=np.arange(3), y=LABELS)
    text = "weight=" + ",".join(f"{weight:.6g}" for weight in expected)
    assert f"{text}: from 48 labels" in capsys.readouterr().err
    assert made == compiled(files, "three", "cross_entropy", "--loss-set", text)


def test_a_detector_weights_its_positives(files: Path) -> None:
    made = compiled(
        files, "one", "bce_with_logits", "--loss-set", "pos_weight=balanced", "--data", str(files / "one.npz")
    )
    assert made == compiled(files, "one", "bce_with_logits", "--loss-set", "pos_weight=7")


def test_other_commands_have_no_samples(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, loss = str(files / "three.onnx"), ("--loss", "cross_entropy", "--loss-set", "weight=balanced")
    for command in (["analyze", model, *loss], ["artifacts", model, *loss, "--out", str(files / "made")]):
        assert cli.main(command) == 1
        assert "weight=balanced: a loss has numbers" in capsys.readouterr().err


@pytest.mark.parametrize(
    "data, said",
    [
        (None, "counts the labels of --data"),
        ("lacks", "class 1 has no sample"),
        ("numbers", "the labels of --data are numbers"),
    ],
)
def test_what_cannot_be_balanced(data: str | None, said: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = [] if data is None else ["--data", str(files / f"{data}.npz")]
    loss = "bce_with_logits" if data == "numbers" else "cross_entropy"
    name, model = ("pos_weight", "one") if data == "numbers" else ("weight", "three")
    compiled(files, model, loss, "--loss-set", f"{name}=balanced", *given, status=1)
    assert said in capsys.readouterr().err
