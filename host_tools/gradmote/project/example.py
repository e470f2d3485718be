"""The example model of a project: ten readings of three axes, three gestures, fresh weights."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser

AXES, SAMPLES, HIDDEN, CLASSES = 3, 10, 16, 3


def classifier() -> onnx.ModelProto:
    """Return the model, an MLP 30-16-3."""
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


def example_image() -> bytes:
    """Return the image of the classifier, with SGD and one sample per step."""
    from ..compiler.compile import compile_model
    from ..losses import cross_entropy
    from ..optimizers import sgd

    return compile_model(classifier(), cross_entropy(), sgd(0.02, momentum=0.9)).image
