"""The report names weights that several nodes use: tied on purpose, or merged by an exporter."""

import json

import onnx
import pytest

from gradmote import cli, losses
from gradmote.artifacts import build_artifacts
from support.oracle import make_model, node, values

TIED = [node("Gemm", "x w", "h", transB=1), node("Relu", "h", "r"), node("Gemm", "r w", "y")]
ONCE = [node("Gemm", "x w", "h", transB=1), node("Relu", "h", "r"), node("Gemm", "r v", "y")]


@pytest.fixture
def model(tmp_path):
    """A function that writes a model and returns its path."""

    def write(nodes):
        weights = {"w": values(1, 4, 3), "v": values(2, 4, 3)}
        used = {name: array for name, array in weights.items() if any(name in n.input for n in nodes)}
        path = tmp_path / "model.onnx"
        onnx.save(make_model(nodes, used, {"x": ("N", 3)}), path)
        return path

    return write


def test_the_nodes_are_counted(model):
    assert build_artifacts(model(TIED), loss=losses.mse()).shared_weights() == {"w": 2}
    assert build_artifacts(model(ONCE), loss=losses.mse()).shared_weights() == {}


def test_compile_says_so(model, capsys):
    assert cli.main(["compile", str(model(TIED)), "--loss", "mse"]) == 0
    assert "shared weights, trained as one: w (2 nodes)" in capsys.readouterr().out
    assert cli.main(["compile", str(model(TIED)), "--loss", "mse", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["shared_weights"] == {"w": 2}
    assert cli.main(["compile", str(model(ONCE)), "--loss", "mse"]) == 0
    assert "shared" not in capsys.readouterr().out


def test_frozen_ones_are_nobodys_concern(model):
    path = model([*TIED[:2], node("Gemm", "r w", "m"), node("Gemm", "m v", "y", transB=1)])
    assert build_artifacts(path, ["v"], losses.mse()).shared_weights() == {}
    assert build_artifacts(path, ["w"], losses.mse()).shared_weights() == {"w": 2}
