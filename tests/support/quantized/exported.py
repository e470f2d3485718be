"""Quantized networks written by other tools: data/make_quantized_torch.py and make_quantized_tflite.py made the
files."""

from __future__ import annotations

from pathlib import Path

import onnx

FOLDER = Path(__file__).resolve().parents[1] / "data"
#: From torchao and PyTorch's exporter; from TFLite through tf2onnx.
TORCH = [path.stem for path in sorted(FOLDER.glob("quantized_torch_*.onnx"))]
TFLITE = [path.stem for path in sorted(FOLDER.glob("quantized_tflite_*.onnx"))]
NAMES = TORCH + TFLITE


def network(name: str) -> onnx.ModelProto:
    return onnx.load(FOLDER / f"{name}.onnx")
