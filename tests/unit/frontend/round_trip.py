"""The whole way of a model: import, compile, train on the twin, export; compared with onnxruntime before and after.

The runtime writes the same file as the host.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.reference

from gradmote import optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.export import export_inference
from gradmote.artifacts.export_table import export_table
from gradmote.compiler import Options, compile_image
from gradmote_runtime import Session

STEPS = 30
NEWEST_OF_ONNXRUNTIME = 26  # what its release supports
TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}


def served(model: onnx.ModelProto | Path, x: np.ndarray, output: int = 0) -> np.ndarray:
    """Return what onnxruntime computes from x, or onnx's reference if the opset is newer than onnxruntime."""
    proto = onnx.load(model) if isinstance(model, Path) else model
    feeds = {proto.graph.input[0].name: x}
    if max(o.version for o in proto.opset_import if not o.domain) > NEWEST_OF_ONNXRUNTIME:
        return onnx.reference.ReferenceEvaluator(proto).run(None, feeds)[output]
    import onnxruntime

    onnxruntime.set_default_logger_severity(3)
    return onnxruntime.InferenceSession(proto.SerializeToString()).run(None, feeds)[output]


def check(model, loss, x: np.ndarray, labels: np.ndarray, directory: Path, rate: float = 0.1, **build) -> Session:
    """Asserts that infer equals onnxruntime, that the loss falls in STEPS steps, and that the exported model equals
    infer
    again. Returns the trained session."""
    made = build_artifacts(model, loss=loss, optimizer=optimizers.sgd(rate, momentum=0.9), **build)
    image = compile_image(made, Options(batch=len(x))).image
    session = Session(image)
    which = [o.name for o in model.graph.output].index(session.outputs()[0]["name"])
    np.testing.assert_allclose(np.array(session.infer(x)[0]), served(model, x, which), **TOLERANCE)
    first = session.eval_step(x, labels)
    session.poison()
    for _ in range(STEPS):
        session.step(x, labels)
    assert session.eval_step(x, labels) < 0.9 * first
    export_inference(model, session.save(), directory / "trained.onnx")
    table = export_table(model, image, tie=build.get("tie", ()))
    assert session.export_model(table) == (directory / "trained.onnx").read_bytes()
    np.testing.assert_allclose(np.array(session.infer(x)[0]), served(directory / "trained.onnx", x, which), **TOLERANCE)
    return session


def classes(x: np.ndarray, count: int, seed: int = 0) -> np.ndarray:
    """Labels that a linear model can learn."""
    flat = x.reshape(len(x), -1)
    return (flat @ np.random.default_rng(seed).normal(size=(flat.shape[1], count))).argmax(1)


def noise(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)
