"""Checkpoints of parameters, written and read like onnxblock's."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
import onnx
from onnx import numpy_helper

from ..errors import CheckpointError
from ..formats import checkpoint
from ..formats.any_checkpoint import load_any
from ..formats.files import write_atomically

Parameters = tuple[Sequence[onnx.TensorProto], Sequence[onnx.TensorProto]]


def save_checkpoint(
    parameters: Parameters, path_to_checkpoint: str | os.PathLike[str], nominal_checkpoint: bool = False
) -> None:
    """Write trained and frozen parameters, from TrainingBlock.parameters().

    nominal_checkpoint: leave their data out. Raises OutputError.
    """
    trained, frozen = ({t.name: numpy_helper.to_array(t) for t in tensors} for tensors in parameters)
    write_atomically(path_to_checkpoint, checkpoint.pack(trained, nominal=nominal_checkpoint, frozen=frozen))


def load_checkpoint_to_model(path_to_checkpoint: str | os.PathLike[str], model: onnx.ModelProto) -> None:
    """Overwrite the initializers of a model with the parameters in a checkpoint.

    The checkpoint is from Gradmote or onnxruntime-training. Raises CheckpointError, and leaves the model
    unchanged, if the checkpoint has no data or the model lacks one of its parameters.
    """
    state = load_any(path_to_checkpoint)
    found = {**{n: state.tensors[n] for n in (*state.parameters, *state.statistics)}, **state.frozen, **state.constants}
    weights = {tensor.name: tensor for tensor in model.graph.initializer}
    for name, array in found.items():
        if state.nominal or name not in weights or tuple(weights[name].dims) != np.shape(array):
            why = "has no data" if state.nominal else "is of another model"
            raise CheckpointError(f"the checkpoint {why}: '{name}'", "use one that was saved with this model")
    for name, array in found.items():
        weights[name].CopyFrom(numpy_helper.from_array(array, name))
