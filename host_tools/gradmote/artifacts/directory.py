"""A folder of artifacts, of Gradmote or of onnxruntime-training, with the state to resume from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import CheckpointError, ModelError
from ..formats.any_checkpoint import load_any
from ..formats.checkpoint import Checkpoint
from ..ir.metadata import LEARNING_RATE, LOSS, OPTIMIZER
from .artifacts import Artifacts
from .files import joined, read_artifact, with_weights
from .onnxruntime import is_ort_optimizer_model, is_ort_training_model, read_optimizer, read_ort, take_over
from .optimizer_model import optimizer_model
from .resume import going_on, with_corrections

TRAINING, EVALUATION, OPTIMIZER_MODEL = "training_model.onnx", "eval_model.onnx", "optimizer_model.onnx"


def read_directory(folder: Path, checkpoint: Path | None = None) -> Artifacts:
    """Return the artifacts in a folder, with the state of their checkpoint or of another one.

    Raises ModelError if files are missing or of different kinds, CheckpointError for a checkpoint that
    is damaged, nominal, or of another model.
    """
    prefix = prefix_of(folder)
    state = load_any(checkpoint or folder / f"{prefix}checkpoint")
    if state.nominal:
        raise CheckpointError(
            "the checkpoint is nominal: it has names, but no data", "name one with data: --resume FILE"
        )
    read = read_ort_directory if is_ort_training_model(read_ort(folder / f"{prefix}{TRAINING}", TRAINING)) else read_own
    return read(folder, prefix, state)


def prefix_of(folder: Path) -> str:
    """Return the prefix of the file names, as in generate_artifacts(prefix=...).

    Raises ModelError unless the folder has one training model.
    """
    found = sorted(path.name for path in folder.glob(f"*{TRAINING}")) if folder.is_dir() else []
    if len(found) != 1:
        raise ModelError(
            f"{folder} has {', '.join(found) or f'no {TRAINING}'}", "name the folder that generate_artifacts wrote to"
        )
    return found[0].removesuffix(TRAINING)


def read_ort_directory(folder: Path, prefix: str, state: Checkpoint) -> Artifacts:
    """Return the artifacts that onnxruntime-training wrote."""
    training, evaluation = (read_ort(folder / f"{prefix}{name}", name) for name in (TRAINING, EVALUATION))
    path = folder / f"{prefix}{OPTIMIZER_MODEL}"
    if not path.exists():
        return going_on(take_over(training, evaluation, state), state)
    model = read_ort(path, OPTIMIZER_MODEL)
    if not is_ort_optimizer_model(model):
        raise ModelError(f"onnxruntime did not write {path.name}, but {prefix}{TRAINING}", "use files of one call")
    optimizer, corrects_bias = read_optimizer(model)
    state = with_corrections(state, optimizer, corrects_bias)
    return going_on(take_over(training, evaluation, state, optimizer), state)


def read_own(folder: Path, prefix: str, state: Checkpoint) -> Artifacts:
    """Return the artifacts that Gradmote wrote."""
    evaluation, optimizer = folder / f"{prefix}{EVALUATION}", folder / f"{prefix}{OPTIMIZER_MODEL}"
    made = joined(
        read_artifact(folder / f"{prefix}{TRAINING}", LOSS),
        {name: state.tensors[name] for name in state.parameters},
        read_artifact(evaluation, LOSS) if evaluation.exists() else None,
    )
    if optimizer.exists():
        made, state = with_optimizer(made, state, optimizer)
    changed = {name: array for name, array in state.frozen.items() if differs(made, name, array)}
    return going_on(with_weights(made, changed) if changed else made, state)


def with_optimizer(made: Artifacts, state: Checkpoint, path: Path) -> tuple[Artifacts, Checkpoint]:
    """Return the artifacts with the optimizer of a file, which onnxblock.optim may have built, and the state for it."""
    proto = read_ort(path, OPTIMIZER_MODEL)
    if is_ort_optimizer_model(proto):
        optimizer, corrects_bias = read_optimizer(proto)
        state = with_corrections(state, optimizer, corrects_bias)
        model = optimizer_model(optimizer, made.parameters, made.models.inference)
    else:
        model = read_artifact(path, OPTIMIZER)
    models = replace(made.models, optimizer=model)
    return replace(made, models=models, learning_rate=LEARNING_RATE.read(model, 1e-3)), state


def differs(made: Artifacts, name: str, array: np.ndarray) -> bool:
    """Return whether a frozen weight has other data in the checkpoint than in the models.

    Raises CheckpointError if the models have no such weight.
    """
    own = made.frozen.get(name)
    if own is None or own.shape != array.shape:
        raise CheckpointError(
            f"the checkpoint has a frozen weight '{name}' of shape {list(array.shape)}, which the models lack",
            "use files of one generate_artifacts call",
        )
    return not np.array_equal(own, array)


def with_rate(made: Artifacts, rate: float) -> Artifacts:
    """Return the artifacts with another learning rate, and without a schedule."""
    start = made.start
    if start is not None:
        control = {**start.control, "learning_rate": rate, "base_learning_rate": rate, "schedule": 0}
        start = replace(start, control=control)
    return replace(made, learning_rate=rate, start=start)
