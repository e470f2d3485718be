"""Both demos in their short forms, on the twin. On a board: tests/device/test_demo_on_board.py."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from typer.testing import CliRunner

from demo import digits, watch
from demo.__main__ import app
from demo.stage import Outcome
from demo.watch_data import leave_out
from demo.watch_model import compile_for, network, pretrained, training


@pytest.fixture(autouse=True)
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept from earlier runs."""
    monkeypatch.setenv("GRADMOTE_BUILD", str(tmp_path / "build"))


def check(outcome: Outcome, out: Path) -> None:
    """It learned, onnxruntime agrees, and all files are there."""
    trained = outcome.trained
    assert trained.after.accuracy > trained.before.accuracy + 0.02
    assert np.mean(outcome.exported.given == trained.after.given) > 0.99
    name = outcome.lesson.name
    assert {p.name for p in out.iterdir()} == {
        f"{name}.onnx",
        f"{name}.mote",
        "learned.gmck",
        "better.onnx",
        "demo.png",
    }


def test_digits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check(digits.run("twin", tmp_path / "out", epochs=1), tmp_path / "out")
    assert "Digits, learned on the device" in capsys.readouterr().out


def test_watch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    outcome = watch.run("twin", out, epochs=2, subject=4, train="all", pretraining_epochs=1)
    check(outcome, out)
    printed = capsys.readouterr().out
    assert "trapezius" in printed and "Exercises of person 4" in printed
    tests = [outcome.trained.after.right == label for label in range(7)]
    shares = [outcome.trained.after.of_class(label) for label in range(7)]
    assert np.average(shares, weights=[mine.sum() for mine in tests]) == pytest.approx(outcome.trained.after.accuracy)


def test_pretraining_is_kept_for_what_it_came_from(tmp_path: Path) -> None:
    others = leave_out(1).others
    few = type(others)(others.x[:64], others.y[:64], scale=others.scale, zero=others.zero)
    first, kept = pretrained(few, 1), tmp_path / "build" / "pretrained"
    assert len(list(kept.iterdir())) == 1
    assert pretrained(few, 1) == first and len(list(kept.iterdir())) == 1
    pretrained(few, 2)
    assert len(list(kept.iterdir())) == 2


def test_only_the_head_learns_where_only_the_head_is_trained() -> None:
    model = network()
    assert sum(onnx.numpy_helper.to_array(t).size for t in model.graph.initializer) == 9751
    head, whole = (compile_for(model, training(name)).compiled.parameters for name in ("head", "all"))
    assert [p.name for p in head] == ["head_weight", "head_bias"] and len(whole) == 8


def test_errors_take_one_line() -> None:
    result = CliRunner().invoke(app, ["watch", "--train", "tail"])
    assert result.exit_code == 1 and "no training 'tail' - choose one of head, all" in result.output


def test_help_explains_both() -> None:
    printed = CliRunner().invoke(app, ["--help"]).output
    assert "digit classifier" in printed and "watch" in printed and "--epochs" in printed
