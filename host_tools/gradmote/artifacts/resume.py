"""The state that a training resumes from: that of a checkpoint, completed for its optimizer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import CheckpointError
from ..formats.checkpoint import Checkpoint
from ..ir.metadata import OPTIMIZER
from ..optimizers import Optimizer
from .artifacts import Artifacts

#: The name of the bias corrections in the optimizer model, and so in the state.
_CORRECTIONS = "bias_correction"


def with_corrections(state: Checkpoint, optimizer: Optimizer, corrects_bias: bool = True) -> Checkpoint:
    """Return the state with the bias corrections of its number of updates, 1 - beta^n.

    corrects_bias: False for ones, with which moments are used as they are; an update keeps them at 1. A
    state that already has them, and a rule that needs none, stay as they are.
    """
    if not optimizer.bias_correction or _CORRECTIONS in state.tensors:
        return state
    steps = int(state.control.get("optimizer_steps", 0))
    betas = [optimizer.hyper[name] if corrects_bias else 0.0 for name in ("beta1", "beta2")]
    found = [1.0 - beta ** (steps if corrects_bias else 1) for beta in betas]
    return replace(state, tensors={**state.tensors, _CORRECTIONS: np.array(found, np.float32)})


def going_on(made: Artifacts, state: Checkpoint) -> Artifacts:
    """Return the artifacts with the state to resume from: moments, counters, rate and properties.

    Raises CheckpointError for moments of another shape than the optimizer model's.
    """
    rate = state.control.get("learning_rate", made.learning_rate)
    check_moments(made, state)
    statistics = {name: state.tensors.get(name, array) for name, array in made.statistics.items()}
    return replace(made, learning_rate=float(rate), statistics=statistics, start=state)


def check_moments(made: Artifacts, state: Checkpoint) -> None:
    """Raise CheckpointError if a moment of the state does not fit the optimizer model."""
    model = made.models.optimizer
    for value in model.graph.inputs if model is not None else ():
        given = state.tensors.get(str(value.name))
        if given is not None and list(given.shape) != list(value.shape or ()):
            rule = OPTIMIZER.read(model, "") if model is not None else ""
            raise CheckpointError(
                f"'{value.name}' has shape {list(given.shape)}, and {rule} keeps {list(value.shape or ())}",
                "use the checkpoint of these artifacts",
            )


def fixed_batch(made: Artifacts) -> int | None:
    """Return the batch that the models fix; None if it is open, or if they have none in common."""
    inputs = made.models.inference.graph.inputs
    firsts = {value.shape[0] for value in inputs if value.shape and len(value.shape) and not value.is_initializer()}
    first = firsts.pop() if len(firsts) == 1 else None
    return first if isinstance(first, int) else None
