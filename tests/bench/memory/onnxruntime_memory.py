"""The RAM that onnxruntime-training takes for the same network, weights and batch: resident set after a few steps, less
that after import. It has an environment of its own, build/onnxruntime-training, which is made on first use.

onnxruntime trains no channels, and its gradient of AveragePool crashes: if that takes the whole picture, as in
ResNet-8, it is given the GlobalAveragePool that it equals.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import onnx
from bench.memory.cases import Case, artifacts, classes, model, sample_shape

ROOT = Path(__file__).resolve().parents[3]
PINS = ROOT / ".ci" / "requirements-onnxruntime-training.txt"
ENVIRONMENT = ROOT / "build" / "onnxruntime-training"
CHILD = Path(__file__).with_name("onnxruntime_child.py")


@cache
def interpreter() -> Path | None:
    """Return Python 3.11 with onnxruntime-training, which has no wheels for later ones; None if it is not available."""
    return interpreter_with(PINS, ENVIRONMENT)


def interpreter_with(pins: Path, environment: Path) -> Path | None:
    """Return Python 3.11 of an environment that has these packages, and make it on first use; None if that fails."""
    python, done = environment / "bin" / "python", environment / "complete"
    if done.exists() and done.read_bytes() == pins.read_bytes():
        return python
    base = sys.executable if sys.version_info[:2] == (3, 11) else shutil.which("python3.11")
    if base is None or not succeeds(base, "-m", "venv", "--clear", environment):
        return None
    if not succeeds(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", pins):
        return None
    shutil.copy(pins, done)
    return python


def succeeds(*command: str | Path) -> bool:
    return subprocess.run(command).returncode == 0


def resident_bytes(case: Case) -> int | str:
    """Return the bytes or, in a word, why there is no number."""
    python = interpreter()
    if case.scheme.startswith("sparse"):
        return "no channels"
    if python is None:
        return "not installed"
    with tempfile.TemporaryDirectory() as folder:
        write_inputs(case, Path(folder))
        names = artifacts(case.network, case.scheme).parameters
        loss = "CrossEntropyLoss" if classes(case.network) else "MSELoss"
        if run(python, "generate", f"{folder}/model.onnx", folder, loss, *names) is None:
            return "refused"
        output = run(python, "train", folder, f"{folder}/x.npy", f"{folder}/y.npy")
    return "crashes" if output is None else int(output)


def run(python: Path, *arguments: str) -> str | None:
    """Run the child and return what it prints; None if it fails."""
    done = subprocess.run([python, CHILD, *arguments], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def write_inputs(case: Case, folder: Path) -> None:
    """The model and one batch."""
    proto = onnx.ModelProto()
    proto.CopyFrom(model(case.network))
    for node in proto.graph.node:
        if node.op_type == "AveragePool":
            node.op_type = "GlobalAveragePool"
            del node.attribute[:]
    onnx.save(proto, str(folder / "model.onnx"))
    rng = np.random.default_rng(0)
    x = rng.random((case.batch, *sample_shape(case.network)), np.float32)
    count = classes(case.network)
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", x if count is None else rng.integers(0, count, case.batch))
