"""ONNX by clicks: dropped, compiled by the options that the page offers, trained, and exported."""

from __future__ import annotations

from pathlib import Path

from gradmote import compile_model, losses, optimizers
from gradmote.artifacts.export import trained_model
from gradmote.compiler import Options
from gradmote.ir.write import proto_bytes
from studio import page, pyodide_release


def test_a_dropped_model_compiles_trains_and_is_exported(tmp_path: Path) -> None:
    release = pyodide_release.require()
    model = (page.built() / "examples" / "digits-mlp.onnx").read_bytes()
    (tmp_path / "own.onnx").write_bytes(model)
    found = page.click("compile.mjs", release, tmp_path / "own.onnx", tmp_path, seconds=300)
    assert found["problems"] == []
    loss = losses.cross_entropy()
    plain = compile_model(model, loss, optimizers.adamw(0.01), Options(batch=8)).image
    head = compile_model(model, loss, optimizers.sgd(0.01), Options(batch=4), scheme="head").image
    assert (tmp_path / "first.mote").read_bytes() == plain
    assert (tmp_path / "second.mote").read_bytes() == head
    assert "nonsense" in found["refused"]
    learned = trained_model(model, (tmp_path / "learned.gmck").read_bytes())
    assert (tmp_path / "learned.onnx").read_bytes() == proto_bytes(learned)
    assert found["blocks"] > 5 and found["analyzed"] > 5
