"""`gradmote data` shows samples, and whether a model takes them; `gradmote train` looks before it works."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from gradmote import cli, losses, optimizers
from gradmote.compiler import Options, compile_model
from support.oracle import make_model, node, values
from support.sample_files import npz, table, write

X = values(1, 12, 4).round(3)
WORDS = ["cat", "dog", "emu"] * 4
MODEL = make_model([node("MatMul", "x w", "y")], {"w": values(2, 4, 3)}, {"x": ("N", 4)})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    onnx.save(MODEL, tmp_path / "m.onnx")
    image = compile_model(MODEL, losses.cross_entropy(), optimizers.sgd(0.1), Options(batch=4)).image
    monkeypatch.chdir(write(tmp_path, {"m.mote": image, "t.csv": table(X, WORDS, [*"abcd", "kind"])}))
    return tmp_path


def test_the_tables(folder, capsys):
    assert cli.main(["data", "t.csv", "--model", "m.mote"]) == 0
    said = capsys.readouterr()
    assert "classes are 0 = 'cat', 1 = 'dog', 2 = 'emu'" in said.err
    lines = [line.split() for line in said.out.splitlines()]
    assert ["x", "12", "4", "float32", f"{X.min():.6g}", f"{X.max():.6g}", f"{X.mean():.6g}", "0"] in lines
    assert ["1", "dog", "4", "█" * 24] in lines
    assert ["labels", "label", "int32", "one", "number", "3", "y", "one", "number"] in lines
    assert said.out.endswith("The data fits m.mote: 3 updates in an epoch.\n")


def test_json(folder, capsys):
    assert cli.main(["data", "t.csv", "--model", "m.onnx", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(a["name"], a["samples"], a["shape"], a["dtype"]) for a in found["arrays"]] == [
        ("x", 12, [4], "float32"), ("y", 12, [], "int32"),
    ]  # fmt: skip
    assert [c["name"] for c in found["classes"]] == ["cat", "dog", "emu"] and found["model"]["fits"]
    write(folder, {"bad.npz": npz(x=X[:, :3], y=np.arange(12))})
    assert cli.main(["data", "bad.npz", "--model", "m.onnx", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert not found["model"]["fits"] and len(found["model"]["problems"]) == 2
    assert "a sample of x has 3 values, 'x' takes 4" in found["model"]["problems"][0]
    assert "y[11] is 11, and the model gives 3 scores" in found["model"]["problems"][1]


@pytest.mark.parametrize("given, wanted", [((3, 5), (5, 3)), ((8, 8, 3), (3, 8, 8))])
def test_axes_in_another_order_are_refused(folder, capsys, given, wanted):
    """The right count of numbers is not enough: pictures with channels last would be learned as noise."""
    count = int(np.prod(wanted))
    nodes = [node("Flatten", "x", "f"), node("MatMul", "f w", "y")]
    onnx.save(make_model(nodes, {"w": values(2, count, 3)}, {"x": ("N", *wanted)}), folder / "n.onnx")
    write(folder, {"d.npz": npz(x=np.zeros((4, *given), np.float32), y=np.arange(4) % 3)})
    assert cli.main(["data", "d.npz", "--model", "n.onnx"]) == 1
    assert "there are as many numbers, but in another order" in capsys.readouterr().err
    write(folder, {"d.npz": npz(x=np.zeros((4, count), np.float32), y=np.arange(4) % 3)})
    assert cli.main(["data", "d.npz", "--model", "n.onnx"]) == 0


def test_a_budget_and_a_store_take_every_form(folder, capsys):
    compile_ = ["compile", "m.onnx", "--loss", "cross_entropy", "--batch", "4"]
    assert cli.main([*compile_, "-o", "s.mote", "--store", "6", "--store-data", "t.csv"]) == 0
    assert cli.main([*compile_, "-o", "b.mote", "--ram", "64K", "--data", "t.csv"]) == 0
    assert "measured on" in capsys.readouterr().out
    write(folder, {"bad.csv": "1,2,0\n3,4,1\n"})
    for more in (["--store", "6", "--store-data", "bad.csv"], ["--ram", "64K", "--data", "bad.csv"]):
        assert cli.main([*compile_, "-o", "bad.mote", *more]) == 1
        assert "error: bad.csv: a sample of x has 2 values, 'x' takes 4" in capsys.readouterr().err


def test_help_teaches(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main(["data", "--help"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    for words in ("gradmote data digits.npz", "--label species", "faces/NAME/", "--model", "--json"):
        assert words in " ".join(text.split())


@pytest.mark.parametrize("scale", ["x", "1/0", "1/2/3", "nan"])
def test_a_scale_that_is_no_number(folder, capsys, scale):
    assert cli.main(["data", "t.csv", "--scale", scale]) == 2
    assert "write a number, or a quotient such as 1/255" in " ".join(capsys.readouterr().err.split())
