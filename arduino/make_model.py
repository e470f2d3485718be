"""Writes examples/LearnGesture/model.h: a small classifier of ten samples of three axes, with fresh weights.

    python arduino/make_model.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnx.parser

from gradmote import losses, optimizers
from gradmote.c_header import c_header
from gradmote.compile import compile_model

OUT = Path(__file__).parent / "examples" / "LearnGesture" / "model.h"
AXES, SAMPLES, HIDDEN, CLASSES = 3, 10, 16, 3


def classifier() -> onnx.ModelProto:
    model = onnx.parser.parse_model(f"""
        <ir_version: 8, opset_import: ["": 17]>
        gesture (float[N,{AXES * SAMPLES}] x) => (float[N,{CLASSES}] y) {{
          h = Gemm <transB = 1> (x, w1, b1)
          r = Relu (h)
          y = Gemm <transB = 1> (r, w2, b2)
        }}""")
    random = np.random.default_rng(0)
    for name, shape in {"w1": (HIDDEN, AXES * SAMPLES), "w2": (CLASSES, HIDDEN)}.items():
        array = random.normal(0, np.sqrt(2 / shape[1]), shape).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    for name, size in {"b1": HIDDEN, "b2": CLASSES}.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(np.zeros(size, np.float32), name))
    return model


def text() -> str:
    """Of the header."""
    result = compile_model(classifier(), losses.cross_entropy(), optimizers.sgd(0.02, momentum=0.9))
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "model.mote"
        image.write_bytes(result.image)
        return c_header(image, "model")


if __name__ == "__main__":
    OUT.write_text(text())
    print(f"wrote {OUT}")
