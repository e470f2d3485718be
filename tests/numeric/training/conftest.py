"""Artifacts of a small classifier, written once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from gradmote import artifacts

SHAPES = {"w1": (6, 5), "b1": (5,), "w2": (5, 3), "b2": (3,)}


def mlp(frozen_seed: int = 0, inputs: int = 6) -> onnx.ModelProto:
    """x (N, inputs) through w1, b1, Relu, w2, b2 to y (N, 3)."""
    rng = np.random.default_rng(frozen_seed)
    shapes = {**SHAPES, "w1": (inputs, 5)}
    weights = [numpy_helper.from_array(rng.normal(0, 0.5, s).astype(np.float32), n) for n, s in shapes.items()]
    nodes = [
        helper.make_node("Gemm", ["x", "w1", "b1"], ["h"]),
        helper.make_node("Relu", ["h"], ["r"]),
        helper.make_node("Gemm", ["r", "w2", "b2"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "mlp",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", inputs])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 3])],
        weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def write(directory: Path, model: onnx.ModelProto | None = None, **options) -> Path:
    """Run generate_artifacts, by default for all parameters and AdamW."""
    options = {
        "requires_grad": list(SHAPES),
        "loss": artifacts.LossType.CrossEntropyLoss,
        "optimizer": artifacts.OptimType.AdamW,
        "nominal_checkpoint": True,
        **options,
    }
    artifacts.generate_artifacts(model or mlp(), artifact_directory=directory, **options)
    return directory


@pytest.fixture(scope="session")
def files(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("adamw"), additional_output_names=["y"])


@pytest.fixture(scope="session")
def sgd_files(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("sgd"), optimizer=artifacts.OptimType.SGD)
