"""Runs under an interpreter that has onnxruntime-training, and nothing of this project.

onnxruntime_child.py generate MODEL FOLDER LOSS NAME...    artifacts that train the named weights
onnxruntime_child.py train FOLDER X.npy Y.npy              prints the bytes of RAM that training takes
"""

from __future__ import annotations

import sys
from pathlib import Path

STEPS = 5


def generate(model: str, folder: str, loss: str, *names: str) -> None:
    import onnx
    from onnxruntime.training import artifacts

    proto = onnx.load(model)
    frozen = [t.name for t in proto.graph.initializer if t.name not in names]
    artifacts.generate_artifacts(
        proto, requires_grad=list(names), frozen_params=frozen, loss=artifacts.LossType[loss],
        optimizer=artifacts.OptimType.SGD, artifact_directory=folder,
    )  # fmt: skip


def train(folder: str, x_file: str, y_file: str) -> None:
    """The highest resident set from here on, less the resident set once everything is imported."""
    import numpy as np
    from onnxruntime.training import api

    x, y = np.load(x_file), np.load(y_file)
    Path("/proc/self/clear_refs").write_text("5")  # the highest resident set is from now on
    before = resident("VmRSS")
    state = api.CheckpointState.load_checkpoint(f"{folder}/checkpoint")
    module = api.Module(f"{folder}/training_model.onnx", state)
    optimizer = api.Optimizer(f"{folder}/optimizer_model.onnx", module)
    for _ in range(STEPS):
        module(x, y)
        optimizer.step()
        module.lazy_reset_grad()
    print(resident("VmHWM") - before)


def resident(name: str) -> int:
    """Bytes, of a line such as `VmHWM:   1234 kB`."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(name))


if __name__ == "__main__":
    {"generate": generate, "train": train}[sys.argv[1]](*sys.argv[2:])
