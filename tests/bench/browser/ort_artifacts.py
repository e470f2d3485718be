"""Makes what ONNX Runtime Training Web trains, under a Python that has onnxruntime-training of the same version:

    python ort_artifacts.py model.onnx FOLDER RATE

Every weight is trained by AdamW but the statistics of batch norms. Beside the files of generate_artifacts there is a
second model of the optimizer with the learning rate RATE, which a page cannot set. Of the project this
imports one file, which imports nothing further.
"""

from __future__ import annotations

import sys
from pathlib import Path

import onnx

sys.path.insert(0, str(Path(__file__).parents[2]))
from support.onnxruntime_without_torch import without_torch

without_torch()
from onnxruntime.training import artifacts  # noqa: E402

#: The newest that this version reads. The models have nothing of a later one.
IR_VERSION = 9


def generate(path: Path, folder: Path) -> None:
    """Write the training, evaluation and optimizer model, and the checkpoint."""
    model = of_known_version(path)
    names = [tensor.name for tensor in model.graph.initializer]
    frozen = [name for name in names if "running_" in name]
    artifacts.generate_artifacts(
        model, requires_grad=[name for name in names if name not in frozen], frozen_params=frozen,
        loss=artifacts.LossType.CrossEntropyLoss, optimizer=artifacts.OptimType.AdamW, artifact_directory=str(folder),
    )  # fmt: skip
    for made in folder.glob("*_model.onnx"):
        onnx.save(of_known_version(made), str(made))


def of_known_version(path: Path) -> onnx.ModelProto:
    """Return a model whose version says what this onnxruntime reads."""
    model = onnx.load(path)
    model.ir_version = min(model.ir_version, IR_VERSION)
    return model


def write_timed_optimizer(folder: Path, rate: float) -> None:
    """Write the optimizer's model with a learning rate of its own in the place of that which it is given."""
    model = onnx.load(folder / "optimizer_model.onnx")
    model.graph.initializer.append(onnx.helper.make_tensor("timed_rate", onnx.TensorProto.FLOAT, [], [rate]))
    (update,) = model.graph.node
    update.input[list(update.input).index("learning_rate")] = "timed_rate"
    onnx.save(model, str(folder / "timed_optimizer_model.onnx"))


if __name__ == "__main__":
    generate(Path(sys.argv[1]), Path(sys.argv[2]))
    write_timed_optimizer(Path(sys.argv[2]), float(sys.argv[3]))
