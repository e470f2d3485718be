"""The state of a checkpoint of onnxruntime-training, in the form of Gradmote's own checkpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...errors import CheckpointError, DataError
from .. import properties_trailer
from ..checkpoint import Checkpoint
from .ort_checkpoint import OrtCheckpoint, OrtTensor


def as_checkpoint(found: OrtCheckpoint) -> Checkpoint:
    """Return the state with moments, counters and learning rate under the names that images give them.

    Tensors of a nominal checkpoint have no shape yet. Raises CheckpointError for trained parameters other
    than float32, and for properties that Gradmote's checkpoints cannot hold.
    """
    check_properties(found)
    trained = {t.name: float32(t, "train") for t in found.trained}
    floats = {t.name: float32(t, "be parameters") for t in found.frozen if is_float32(t)}
    moments = {
        f"{name}_moment{i + 1}": float32(OrtTensor(name, array), "be moments")
        for name, arrays in found.moments.items()
        for i, array in enumerate(arrays)
    }
    return Checkpoint(
        {**trained, **moments},
        list(trained),
        control=control_of(found),
        properties=dict(found.properties),
        nominal=found.nominal,
        frozen=floats,
        constants={t.name: t.array for t in found.frozen if t.array is not None and not is_float32(t)},
    )


def control_of(found: OrtCheckpoint) -> dict[str, int | float]:
    """Return counters and rates; nothing if the checkpoint has no optimizer."""
    if found.learning_rate is None:
        return {}
    rates = {"learning_rate": found.learning_rate, "base_learning_rate": found.learning_rate}
    return {"train_steps": found.steps, "optimizer_steps": found.steps, **rates}


def is_float32(tensor: OrtTensor) -> bool:
    """Return whether the tensor is float32; in a nominal checkpoint every one counts as float32."""
    return tensor.array is None or tensor.array.dtype == np.float32


def float32(tensor: OrtTensor, use: str) -> np.ndarray:
    """Return the data, zeros without a shape in a nominal checkpoint.

    Raises CheckpointError for types other than float32.
    """
    if tensor.array is None:
        return np.zeros((), np.float32)
    if tensor.array.dtype != np.float32:
        raise CheckpointError(
            f"'{tensor.name}' of the checkpoint is {tensor.array.dtype}, and only float32 can {use}",
            "generate the artifacts from a float32 model",
        )
    return tensor.array


def check_properties(found: OrtCheckpoint) -> None:
    """Raise CheckpointError for a property without a name, or a number that is not finite."""
    try:
        for name, value in found.properties.items():
            properties_trailer.check(name, value)
    except DataError as error:
        raise CheckpointError(f"the checkpoint has an odd property: {error.message}", error.hint) from error


def with_shapes(state: Checkpoint, shapes: Mapping[str, Sequence[int]]) -> Checkpoint:
    """Return a nominal checkpoint whose tensors have a model's shapes; others unchanged."""
    if state.nominal:
        state.tensors = {n: np.zeros(shapes.get(n, ()), np.float32) for n in state.tensors}
    return state
