"""`gradmote compile --shape` and `--constant` give on the command line what a file leaves open."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pytest
from regression.test_branches_that_are_known import FAST, SLOW, on_rate
from typer.testing import CliRunner

from gradmote.cli import app
from gradmote.errors import ModelError
from gradmote_runtime import Session

X = np.ones((2, 3), np.float32)


def compile_it(tmp_path, *options: str):
    onnx.save(on_rate(), tmp_path / "m.onnx")
    arguments = ["compile", str(tmp_path / "m.onnx"), "-o", str(tmp_path / "m.mote"), "--json", *options]
    return CliRunner().invoke(app, arguments, catch_exceptions=True)


@pytest.mark.parametrize("rate, weights", [("16000", FAST), ("8000", SLOW)])
@pytest.mark.parametrize("shape", [["--shape", "x=2,3"], ["--shape", "x=n,3", "--batch", "2"], ["--batch", "2"]])
def test_they_fix_inputs(tmp_path, rate, weights, shape):
    result = compile_it(tmp_path, "--constant", f"rate={rate}", *shape)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["batch"] == 2
    with Session((tmp_path / "m.mote").read_bytes()) as session:
        np.testing.assert_allclose(session.infer(X)[0], np.maximum(X @ weights, 0), rtol=1e-5)


@pytest.mark.parametrize(
    "options, words",
    [
        (["--shape", "x"], "write --shape NAME="),
        (["--shape", "x=1,,3"], "write --shape NAME="),
        (["--shape", "x=1,4"], "cannot have shape"),
        (["--shape", "z=1,4"], "no input called 'z'"),
        (["--constant", "rate=fast"], "write --constant NAME="),
        (["--constant", "rate"], "write --constant NAME="),
        (["--constant", "rate=1.5"], "cannot be 1.5"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, options, words):
    result = compile_it(tmp_path, *options)
    assert result.exit_code != 0 and not (tmp_path / "m.mote").exists()
    assert words in result.output + str(result.exception)
    assert isinstance(result.exception, (ModelError, SystemExit))
