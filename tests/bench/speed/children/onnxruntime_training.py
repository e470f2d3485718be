"""onnxruntime-training, one thread. Training takes artifacts of its own; inference is its InferenceSession."""

from __future__ import annotations

from pathlib import Path

import onnx
import onnxruntime
from onnxruntime.training import api, artifacts
from serve import Run, data, serve, trained


def open_case(folder: str, loss: str, program: str, rate: float) -> Run:
    """program: "train" or "infer", or "parameters", which trains too, and gives all parameters after each step."""
    x, y = data(folder)
    if program == "infer":
        session = onnxruntime.InferenceSession(f"{folder}/model.onnx", one_thread(), ["CPUExecutionProvider"])
        feeds = {session.get_inputs()[0].name: x}
        return lambda: session.run(None, feeds)[0]
    run, state = trainer(folder, loss, rate, x, y)
    return run if program == "train" else lambda: run() is not None and trained(state)


def trainer(folder: str, loss: str, rate: float, x: object, y: object) -> tuple[Run, api.CheckpointState]:
    if not Path(folder, "checkpoint").exists():
        generate(folder, loss)
    state = api.CheckpointState.load_checkpoint(f"{folder}/checkpoint")
    module = api.Module(f"{folder}/training_model.onnx", state, session_options=one_thread())
    optimizer = api.Optimizer(f"{folder}/optimizer_model.onnx", module)
    optimizer.set_learning_rate(rate)

    def run() -> object:
        value = module(x, y)
        optimizer.step()
        module.lazy_reset_grad()
        return value

    return run, state


def generate(folder: str, loss: str) -> None:
    """Artifacts that train every weight but the batch norms' statistics, with AdamW."""
    model = onnx.load(f"{folder}/model.onnx")
    names = [tensor.name for tensor in model.graph.initializer]
    frozen = [name for name in names if "running_" in name]
    artifacts.generate_artifacts(
        model, requires_grad=[name for name in names if name not in frozen], frozen_params=frozen,
        loss=artifacts.LossType[loss], optimizer=artifacts.OptimType.AdamW, artifact_directory=folder,
    )  # fmt: skip


def one_thread() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return options


if __name__ == "__main__":
    onnxruntime.set_default_logger_severity(3)
    serve(f"onnxruntime-training {onnxruntime.__version__}", open_case)
