"""Runs one training script under onnxruntime-training 1.19.2 and under Gradmote and compares the losses of 100 steps.

Not part of the normal test run. onnxruntime-training needs an environment of its own:

    python3.11 -m venv ort
    ort/bin/pip install -r .ci/requirements-onnxruntime-training.txt
    python tests/numeric/training/compare_with_ort.py ort/bin/python

The second interpreter runs this same file with `--onnxruntime`; only the imports differ.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

STEPS = 100
TOLERANCE = 1e-4
BATCHES = (16, 8)  # alternating


def mlp() -> onnx.ModelProto:
    """64-32-10 with a dynamic batch; IR and opset that onnxruntime 1.19 reads."""
    rng = np.random.default_rng(0)
    shapes = {"w1": (64, 32), "b1": (32,), "w2": (32, 10), "b2": (10,)}
    weights = [numpy_helper.from_array(rng.normal(0, 0.2, s).astype(np.float32), n) for n, s in shapes.items()]
    nodes = [
        helper.make_node("Gemm", ["x", "w1", "b1"], ["h"]),
        helper.make_node("Relu", ["h"], ["r"]),
        helper.make_node("Gemm", ["r", "w2", "b2"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "mlp",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 64])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 10])],
        weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)


def train(artifacts, api, optimizer: str, micro_batches: int, directory: Path) -> list[float]:
    """The losses of a script that is the same for both packages."""
    artifacts.generate_artifacts(
        mlp(),
        requires_grad=["w1", "b1", "w2", "b2"],
        loss=artifacts.LossType.CrossEntropyLoss,
        optimizer=artifacts.OptimType[optimizer],
        artifact_directory=str(directory),
    )
    state = api.CheckpointState.load_checkpoint(str(directory / "checkpoint"))
    module = api.Module(str(directory / "training_model.onnx"), state, str(directory / "eval_model.onnx"))
    step = api.Optimizer(str(directory / "optimizer_model.onnx"), module)
    step.set_learning_rate(0.05 if optimizer == "SGD" else 0.003)
    rng = np.random.default_rng(1)
    true = rng.normal(size=(64, 10)).astype(np.float32)
    losses = []
    for index in range(STEPS):
        x = rng.normal(size=(BATCHES[index % 2], 64)).astype(np.float32)
        losses.append(float(module(x, (x @ true).argmax(1).astype(np.int64))))
        if (index + 1) % micro_batches == 0:
            step.step()
            module.lazy_reset_grad()
    module.eval()
    return [*losses, float(module(x, (x @ true).argmax(1).astype(np.int64)))]


def all_runs(artifacts, api) -> dict[str, list[float]]:
    runs = {}
    for optimizer in ("AdamW", "SGD"):
        for micro_batches in (1, 2):
            with tempfile.TemporaryDirectory() as directory:
                runs[f"{optimizer}, {micro_batches} micro-batches"] = train(
                    artifacts, api, optimizer, micro_batches, Path(directory)
                )
    return runs


def main() -> int:
    if sys.argv[1] == "--onnxruntime":
        from onnxruntime.training import api, artifacts

        print(json.dumps(all_runs(artifacts, api)))
        return 0
    from gradmote import artifacts
    from gradmote import training as api

    reference = subprocess.run([sys.argv[1], __file__, "--onnxruntime"], check=True, capture_output=True, text=True)
    theirs, ours = json.loads(reference.stdout.splitlines()[-1]), all_runs(artifacts, api)
    worst = 0.0
    for name, losses in ours.items():
        difference = max(abs(a - b) / abs(b) for a, b in zip(losses, theirs[name], strict=True))
        print(f"{name}: first {losses[0]:.6f}, last {losses[-2]:.6f}, largest relative difference {difference:.1e}")
        worst = max(worst, difference)
    return int(worst > TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
