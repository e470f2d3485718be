"""This project's classes of onnxruntime.training.api, with artifacts of their own."""

from __future__ import annotations

from pathlib import Path

import onnx
from serve import Run, data, serve, trained

from gradmote.artifacts import LossType, OptimType, generate_artifacts
from gradmote.training import CheckpointState, Module, Optimizer


def open_case(folder: str, loss: str, program: str, rate: float, statistics: str) -> Run:
    """program: "train", or "parameters", which trains too, and gives all parameters after each step. statistics: those
    that batch norms take."""
    own = Path(folder, f"gradmote-{statistics}")
    if not own.exists():
        generate(folder, own, loss, statistics)
    state = CheckpointState.load_checkpoint(own / "checkpoint")
    module = Module(own / "training_model.onnx", state, own / "eval_model.onnx")
    optimizer = Optimizer(own / "optimizer_model.onnx", module)
    optimizer.set_learning_rate(rate)
    x, y = data(folder)

    def run() -> object:
        value = module(x, y)
        optimizer.step()
        module.lazy_reset_grad()
        return value

    return run if program == "train" else lambda: run() is not None and trained(state)


def generate(folder: str, own: Path, loss: str, statistics: str) -> None:
    """Artifacts that train every weight but the batch norms' statistics, with AdamW."""
    model = onnx.load(f"{folder}/model.onnx")
    trained = [tensor.name for tensor in model.graph.initializer if "running_" not in tensor.name]
    own.mkdir()
    generate_artifacts(
        model, trained, loss=LossType[loss], optimizer=OptimType.AdamW, artifact_directory=own, batch_norm=statistics
    )


if __name__ == "__main__":
    serve("gradmote.training", open_case)
