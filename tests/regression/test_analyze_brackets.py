"""A layer called block[main] was printed as block: brackets were taken for a style."""

from __future__ import annotations

import onnx

from gradmote.cli import main
from support.oracle import make_model, node, values


def test_brackets_in_a_name_are_printed(tmp_path, capsys) -> None:
    model = make_model([node("Gemm", "x w", "y", name="block[main]")], {"w": values(1, 6, 3)}, {"x": ("N", 6)})
    onnx.save(model, tmp_path / "model[bold].onnx")
    assert main(["analyze", str(tmp_path / "model[bold].onnx"), "--loss", "cross_entropy"]) == 0
    reported = capsys.readouterr().out
    assert "block[main]" in reported and "model[bold].onnx" in reported
    assert main(["plan", str(tmp_path / "model[bold].onnx"), "--loss", "cross_entropy"]) == 0
