"""The models of a Module and of an Optimizer, from files of Gradmote or of onnxruntime."""

from __future__ import annotations

import os
from pathlib import Path

import onnx_ir as ir

from ..artifacts.files import read_artifact
from ..artifacts.onnxruntime import (
    is_ort_optimizer_model,
    is_ort_training_model,
    read_optimizer,
    read_ort,
    shapes_of,
    take_over,
)
from ..artifacts.optimizer_model import optimizer_model
from ..errors import ModelError
from ..ir.metadata import LOSS, OPTIMIZER
from .twin import Twin


def read_models(
    training_uri: str | os.PathLike[str], evaluation_uri: str | os.PathLike[str] | None, twin: Twin
) -> tuple[ir.Model, ir.Model | None]:
    """Return the training model and the eval model.

    onnxruntime's models are made again from its eval model, for the twin's parameters. Raises ModelError
    or CheckpointError.
    """
    training = read_ort(training_uri, "training_model.onnx")
    if not is_ort_training_model(training):
        evaluation = read_artifact(evaluation_uri, LOSS) if evaluation_uri is not None else None
        return read_artifact(training_uri, LOSS), evaluation
    path = Path(evaluation_uri) if evaluation_uri is not None else beside(Path(training_uri))
    made = take_over(training, read_ort(path, "eval_model.onnx"), twin.taken_over(shapes_of(training)))
    twin.move_statistics(made.statistics)
    assert made.models.training is not None  # a training model has parameters and a loss
    return made.models.training, made.models.evaluation


def beside(training: Path) -> Path:
    """Return the path of the eval model that generate_artifacts wrote next to a training model.

    Raises ModelError if it is missing.
    """
    path = training.with_name(training.name.replace("training_model", "eval_model"))
    if path == training or not path.exists():
        raise ModelError(
            f"{training} is from onnxruntime, whose eval model is needed too", "pass eval_model.onnx as well"
        )
    return path


def read_optimizer_model(uri: str | os.PathLike[str], twin: Twin) -> ir.Model:
    """Return the optimizer model for the twin's parameters. Raises ModelError."""
    model = read_ort(uri, "optimizer_model.onnx")
    if not is_ort_optimizer_model(model):
        return read_artifact(uri, OPTIMIZER)
    artifacts = twin.artifacts
    assert artifacts is not None  # a Module attaches its models
    optimizer, corrects_bias = read_optimizer(model)
    twin.complete(optimizer, corrects_bias)
    return optimizer_model(optimizer, artifacts.parameters, artifacts.models.inference)
