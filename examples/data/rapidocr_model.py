"""PaddleOCR's classifier of text direction, a MobileNetV3 of 134,000 parameters: a real pre-trained ONNX file.

PaddlePaddle authors, https://github.com/PaddlePaddle/PaddleOCR, Apache-2.0; inside the wheel of rapidocr. Only this
file is read, so that its dependencies are not needed.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import onnx
from onnx.tools.update_model_dims import update_inputs_outputs_dims

from .missing import MissingData
from .text_lines import HEIGHT, WIDTH

FILE = "models/ch_ppocr_mobile_v2.0_cls_mobile.onnx"


def load() -> onnx.ModelProto:
    """Return the model from pictures (batch, 3, HEIGHT, WIDTH) to probabilities (batch, 2).

    In the file all these dimensions are open.
    """
    package = find_spec("rapidocr")
    if package is None or package.origin is None:
        raise MissingData("rapidocr", "pip install --no-deps rapidocr==3.10.0")
    model = onnx.load(Path(package.origin).parent / FILE)
    pictures, scores = model.graph.input[0].name, model.graph.output[0].name
    return update_inputs_outputs_dims(model, {pictures: ["batch", 3, HEIGHT, WIDTH]}, {scores: ["batch", 2]})
