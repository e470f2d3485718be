"""The models of onnxruntime-training and a checkpoint, as artifacts."""

from __future__ import annotations

import onnx

from ...errors import CheckpointError, ModelError
from ...formats.checkpoint import Checkpoint
from ...frontend import read_model
from ...frontend.prepare import raise_opset
from ...optimizers import Optimizer
from ..artifact_options import ArtifactOptions
from ..artifacts import Artifacts
from ..build import make
from .ort_models import batch_norm_of, drops, tidy, trained_names, with_weights
from .separate import separate


def take_over(
    training: onnx.ModelProto, evaluation: onnx.ModelProto, state: Checkpoint, optimizer: Optimizer | None = None
) -> Artifacts:
    """Return the artifacts of onnxruntime's models with the parameters of a checkpoint.

    Raises ModelError for models that Gradmote cannot train, and CheckpointError if the checkpoint
    belongs to others.
    """
    names = trained_names(training)
    check_trained(names, state)
    weights = {**{n: state.tensors[n] for n in names}, **state.frozen, **state.constants}
    whole = raise_opset(read_model(tidy(with_weights(evaluation, weights), drops(training))))
    if not whole.graph.output:
        raise ModelError("the eval model returns nothing", "generate the artifacts again")
    parts = separate(whole, weights)
    options = ArtifactOptions.training(
        names,
        None,
        None,
        loss=parts.loss,
        optimizer=optimizer,
        keep=kept(parts.forward, state),
        additional_outputs=parts.additional,
        batch_norm=batch_norm_of(training),
    )
    return without_twice(make(parts.forward, options))


def check_trained(names: list[str], state: Checkpoint) -> None:
    """Raise CheckpointError unless the checkpoint's trained parameters are the model's."""
    odd = sorted(set(names) ^ set(state.parameters))
    if odd:
        raise CheckpointError(
            f"the training model and the checkpoint differ in what is trained: {', '.join(odd)}",
            "use files of one generate_artifacts call",
        )


def kept(forward: onnx.ModelProto, state: Checkpoint) -> list[str]:
    """Return the frozen parameters of the checkpoint that the user's model has."""
    there = {tensor.name for tensor in forward.graph.initializer}
    return [name for name in state.frozen if name in there]


def without_twice(made: Artifacts) -> Artifacts:
    """Return the artifacts without frozen parameters that are running statistics, which are state."""
    made.frozen = {name: array for name, array in made.frozen.items() if name not in made.statistics}
    return made
