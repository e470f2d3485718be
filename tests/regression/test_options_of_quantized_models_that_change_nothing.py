"""`--gradients int16` of a float model, `--moments bf16` without training and `--activations` without --quantize were
taken, and changed nothing."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from gradmote import cli
from support.oracle import make_model, node, values

CASES = {
    "gradients of int16, but the model is not quantized": ["--loss", "cross_entropy", "--gradients", "int16"],
    "gradients of int16, but nothing trains": ["--gradients", "int16"],
    "moments of bf16, but nothing trains": ["--moments", "bf16"],
    "--activations without --quantize": ["--loss", "cross_entropy", "--activations", "int8"],
}


@pytest.mark.parametrize("message", CASES)
def test_they_are_refused(message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, image = tmp_path / "model.onnx", tmp_path / "model.mote"
    onnx.save(make_model([node("Gemm", "x w", "y", transB=1)], {"w": values(1, 3, 4)}, {"x": ("N", 4)}), model)
    image.write_bytes(b"before")
    assert cli.main(["compile", str(model), "-o", str(image), *CASES[message]]) == 1
    error = capsys.readouterr().err
    assert message in error and "leave" in error
    assert image.read_bytes() == b"before" and sorted(tmp_path.iterdir()) == [image, model]
