"""Makes digits_artifacts.zip, under a Python that has onnxruntime-training 1.17.3 and PyTorch's weights in a file:

    cd tests && ../.venv/bin/python -c 'from support import digits; import onnx; onnx.save(digits.model(), "mlp.onnx")'
    python3.11 -m venv ort && ort/bin/pip install -r ../.ci/requirements-onnxruntime-web.txt
    ort/bin/python bindings/data/make.py mlp.onnx

The zip has the four files of generate_artifacts, with scores and loss. This script imports only one file of
the project, which imports nothing further.
"""

from __future__ import annotations

import sys
import tempfile
import zipfile
from pathlib import Path

import onnx

sys.path.insert(0, str(Path(__file__).parents[2]))
from support.onnxruntime_without_torch import without_torch

#: The newest that this version reads. The model uses nothing of a later one.
IR_VERSION = 9
FILES = ("training_model.onnx", "eval_model.onnx", "optimizer_model.onnx", "checkpoint")


def generate(model: onnx.ModelProto, folder: Path) -> None:
    """Write the artifacts."""
    from onnxruntime.training import artifacts

    model.ir_version = IR_VERSION
    artifacts.generate_artifacts(
        model, requires_grad=[tensor.name for tensor in model.graph.initializer], artifact_directory=str(folder),
        loss=artifacts.LossType.CrossEntropyLoss, optimizer=artifacts.OptimType.AdamW, additional_output_names=["y"],
    )  # fmt: skip
    for made in folder.glob("*_model.onnx"):
        written = onnx.load(made)
        written.ir_version = IR_VERSION
        onnx.save(written, str(made))


def main(model: str) -> None:
    """Write the zip beside this file."""
    without_torch()
    with tempfile.TemporaryDirectory() as folder:
        generate(onnx.load(model), Path(folder))
        with zipfile.ZipFile(Path(__file__).with_name("digits_artifacts.zip"), "w", zipfile.ZIP_DEFLATED) as made:
            for name in FILES:
                made.write(Path(folder) / name, name)


if __name__ == "__main__":
    main(*sys.argv[1:])
