"""gradmote compile --ram: the table, the words on what was given up, JSON, and refusals."""

import json

import numpy as np
import onnx
import pytest
from typer.testing import CliRunner
from unit.budget.small import network

from gradmote.cli import app, main
from gradmote_runtime import Session


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    onnx.save(network(), str(tmp_path / "model.onnx"))
    return tmp_path / "model.onnx"


def run(*arguments):
    return CliRunner().invoke(app, ["compile", *map(str, arguments)])


def test_the_image_fits_and_the_table_says_what_was_tried(model):
    done = run(model, "--loss", "cross_entropy", "--ram", "16K", "--optimizer", "adamw")
    assert done.exit_code == 0
    assert Session.required(model.with_suffix(".mote").read_bytes())["arena_size"] <= 16 * 1024
    assert "a rule of thumb" in done.output and "->" in done.output and "B of RAM of 16,384" in done.output


def test_json(model):
    done = run(model, "--loss", "cross_entropy", "--ram", "12K", "--json")
    found = json.loads(done.output)
    assert found["arena_bytes"] <= 12 * 1024
    taken = [t for t in found["budget"]["tried"] if t["taken"]]
    assert len(taken) == 1 and taken[0]["arena_bytes"] == found["arena_bytes"] and taken[0]["excess"] == []
    assert found["scheme"] == taken[0]["scheme"]


def test_data_measures_what_layers_are_worth(model, tmp_path):
    random = np.random.default_rng(0)
    x, y = random.normal(size=(40, 1, 12, 12)).astype(np.float32), random.integers(0, 3, 40)
    np.savez(tmp_path / "data.npz", x=x, y=y)
    done = run(model, "--loss", "cross_entropy", "--ram", "16K", "--data", tmp_path / "data.npz", "--batch", 4)
    assert done.exit_code == 0 and "measured on 30 samples, tested on 10" in done.output


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--ram", "1K", "--loss", "cross_entropy"], "nothing fits: training head still takes"),
        (["--ram", "much", "--loss", "cross_entropy"], "'much' is not a size"),
        (["--ram", "16K"], "a budget without a loss"),
    ],
)
def test_refusals(model, capsys, arguments, words):
    assert main(["compile", str(model), *arguments]) == 1
    assert words in capsys.readouterr().err
    assert not model.with_suffix(".mote").exists()
