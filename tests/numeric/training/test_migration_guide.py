"""The script of docs/MIGRATING.md runs as it is."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

from gradmote.training import CheckpointState
from support.oracle import make_model, node, values

GUIDE = Path(__file__).parents[3] / "docs" / "MIGRATING.md"


def test_the_script_trains(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    weights = {"fc1.weight": values(1, 6, 5), "fc1.bias": values(2, 5)}
    weights |= {"fc2.weight": values(3, 5, 3), "fc2.bias": values(4, 3)}
    nodes = [
        node("Gemm", "x fc1.weight fc1.bias", "h"), node("Relu", "h", "r"),
        node("Gemm", "r fc2.weight fc2.bias", "scores"),
    ]  # fmt: skip
    onnx.save(make_model(nodes, weights, {"x": ("N", 6)}, ["scores"]), "model.onnx")
    x = values(5, 12, 6)
    batches = [(x, x[:, :3].argmax(1).astype(np.int64))] * 20
    script = re.search(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert script is not None
    found = {"batches": batches}
    before = onnxruntime.InferenceSession("model.onnx").run(None, {"x": x})[0]
    exec(compile(script[1], str(GUIDE), "exec"), found)
    after = onnxruntime.InferenceSession("better.onnx").run(None, {"x": x})[0]
    labels = batches[0][1]
    assert cross_entropy(after, labels) < cross_entropy(before, labels) - 0.1
    assert cross_entropy(after, labels) < float(found["loss"])
    assert CheckpointState.load_checkpoint("trained.gmck").parameters["fc2.bias"].data.shape == (3,)


def cross_entropy(scores: np.ndarray, labels: np.ndarray) -> float:
    exact = scores.astype(np.float64)
    return float(np.mean(np.log(np.exp(exact).sum(1)) - exact[np.arange(len(labels)), labels]))
