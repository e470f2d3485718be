"""The function generate_artifacts(), with the names and the meaning of onnxruntime's."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path

import onnx

from .. import losses, optimizers
from ..errors import ModelError
from ..losses import Loss
from ..optimizers import Optimizer
from .build import build_artifacts
from .files import artifact_outputs, write_artifacts


class LossType(Enum):
    """onnxruntime's names for the built-in losses."""

    MSELoss = 0
    CrossEntropyLoss = 1
    BCEWithLogitsLoss = 2
    L1Loss = 3


class OptimType(Enum):
    """onnxruntime's names for the built-in optimizers."""

    AdamW = 0
    SGD = 1


LOSS_TYPES: dict[LossType, Callable[[], Loss]] = {
    LossType.MSELoss: losses.mse,
    LossType.CrossEntropyLoss: losses.cross_entropy,
    LossType.BCEWithLogitsLoss: losses.bce_with_logits,
    LossType.L1Loss: losses.l1,
}
OPTIM_TYPES: dict[OptimType, Callable[[], Optimizer]] = {
    OptimType.AdamW: optimizers.adamw_ort,
    OptimType.SGD: optimizers.sgd,
}


def generate_artifacts(
    model: onnx.ModelProto | str | os.PathLike[str],
    requires_grad: Sequence[str] | None = None,
    frozen_params: Sequence[str] | None = None,
    loss: LossType | Loss | None = None,
    optimizer: OptimType | Optimizer | None = None,
    artifact_directory: str | os.PathLike[str] | None = None,
    prefix: str = "",
    ort_format: bool = False,
    custom_op_library: str | None = None,
    additional_output_names: Sequence[str] | None = None,
    nominal_checkpoint: bool = False,
    loss_input_names: Sequence[str] | None = None,
    batch_norm: str | None = None,
    running_variance: str = "population",
    float_head: bool = False,
) -> None:
    """Write the artifacts for `model`.

    Signature and meaning are those of onnxruntime.training.artifacts.generate_artifacts, except for
    batch_norm, running_variance and float_head (see ArtifactOptions): onnxruntime always trains with
    statistics of the batch, and does not train quantized models.

    requires_grad: initializers to train; none by default, as in onnxruntime. frozen_params:
    initializers that stay as they are, but are parameters of the checkpoint; they must not overlap with
    requires_grad. loss: a LossType or a function over the graph (gradmote.losses).
    additional_output_names: values that the training and eval models also return. nominal_checkpoint:
    also writes `nominal_checkpoint` without parameter data. loss_input_names: the outputs that are
    inputs of the loss; all by default. Raises ModelError.
    """
    if ort_format or custom_op_library:
        raise ModelError(
            "ort_format and custom_op_library have no meaning here", "leave them out; Gradmote's format is .mote"
        )
    check_disjoint(requires_grad or (), frozen_params or ())
    outputs = artifact_outputs(Path(artifact_directory or os.getcwd()), prefix, nominal_checkpoint)
    made = build_artifacts(
        model,
        list(requires_grad or ()),
        resolve_loss(loss),
        resolve_optimizer(optimizer),
        keep=list(frozen_params or ()),
        additional_outputs=additional_output_names or (),
        loss_inputs=loss_input_names,
        batch_norm=batch_norm,
        running_variance=running_variance,
        float_head=float_head,
    )
    write_artifacts(made, outputs)


def check_disjoint(requires_grad: Sequence[str], frozen_params: Sequence[str]) -> None:
    """Raise ModelError for an initializer that should both train and stay frozen."""
    overlap = set(requires_grad) & set(frozen_params)
    if overlap:
        raise ModelError(f"{', '.join(sorted(overlap))} is in requires_grad and in frozen_params", "name it once")


def resolve_loss(loss: LossType | Loss | None) -> Loss | None:
    """Return the loss that a LossType names, or the loss itself."""
    return LOSS_TYPES[loss]() if isinstance(loss, LossType) else loss


def resolve_optimizer(optimizer: OptimType | Optimizer | None) -> Optimizer | None:
    """Return the optimizer that an OptimType names, or the optimizer itself."""
    return OPTIM_TYPES[optimizer]() if isinstance(optimizer, OptimType) else optimizer
