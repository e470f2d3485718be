"""`--batch-norm batch` on a model whose exporter had folded BatchNormalization away did nothing, and said nothing."""

from __future__ import annotations

import logging

import onnx
import pytest

from gradmote import cli, losses
from gradmote.artifacts import build_artifacts
from support.oracle import make_model, node, values

NONE = "this model has no BatchNormalization"
CHANNELS = {"s": values(1, 3), "b": values(2, 3), "m": values(3, 3), "v": abs(values(4, 3)) + 0.1}


@pytest.fixture
def paths(tmp_path):
    """Files of the same model without and with BatchNormalization."""
    conv, weight = node("Conv", "x w", "h"), {"w": values(5, 3, 2, 1)}
    models = {
        "folded": make_model([conv, node("Relu", "h", "y")], weight, {"x": ("N", 2, 4)}),
        "kept": make_model([conv, node("BatchNormalization", "h s b m v", "y")], weight | CHANNELS, {"x": ("N", 2, 4)}),
    }
    for name, model in models.items():
        onnx.save(model, tmp_path / f"{name}.onnx")
    return {name: tmp_path / f"{name}.onnx" for name in models}


@pytest.mark.parametrize("mode", ["frozen", "fold", "batch"])
@pytest.mark.parametrize("command", ["compile", "artifacts"])
def test_it_is_said_where_a_mode_was_asked_for(paths, tmp_path, capsys, command, mode):
    def said(name, *options):
        out = ["--out", str(tmp_path / "out")]
        assert cli.main([command, str(paths[name]), "--loss", "mse", *out, *options]) == 0
        return capsys.readouterr().err

    assert f"warning: {NONE}, so batch norm '{mode}' changes nothing" in said("folded", "--batch-norm", mode)
    assert NONE not in said("folded")
    assert NONE not in said("kept", "--batch-norm", mode)


def test_in_python(paths, caplog):
    with caplog.at_level(logging.WARNING, "gradmote"):
        build_artifacts(paths["folded"], loss=losses.mse(), batch_norm="batch")
        assert NONE in caplog.text
        caplog.clear()
        build_artifacts(paths["folded"], loss=losses.mse())
        assert caplog.text == ""
