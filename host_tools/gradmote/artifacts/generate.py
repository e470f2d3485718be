"""The function generate_artifacts(), with the names and the meaning of onnxruntime's."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path

import onnx

from .. import losses, optimizers
from ..errors import ModelError
from ..frontend import read_model
from ..losses import Loss
from ..optimizers import Optimizer
from .build import build_artifacts
from .files import artifact_outputs, write_artifacts
from .onnxruntime.ort_models import in_training_mode


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
    statistics of the batch, and does not train quantized models. batch_norm is "batch" by default if the model was
    exported in training mode, and else "frozen".

    requires_grad: initializers to train; none by default, as in onnxruntime. frozen_params:
    initializers that stay as they are, but are parameters of the checkpoint; they must not overlap with
    requires_grad. loss: a LossType or a function over the graph (gradmote.losses).
    additional_output_names: values that the training and eval models also return. nominal_checkpoint:
    also writes `nominal_checkpoint` without parameter data. loss_input_names: the outputs that are
    inputs of the loss; all by default. ort_format: also writes each model in ORT format, with
    onnxruntime's converter. custom_op_library: refused. Raises ModelError.
    """
    if custom_op_library:
        raise ModelError("custom operators cannot be trained", "leave custom_op_library out")
    convert = ort_converter() if ort_format else None
    model = read_model(model)
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
        batch_norm=batch_norm or batch_norm_of(model),
        running_variance=running_variance,
        float_head=float_head,
    )
    written = write_artifacts(made, outputs)
    if convert is not None:
        for path in written:
            if path.suffix == ".onnx":
                convert(path)


def batch_norm_of(model: onnx.ModelProto) -> str | None:
    """Return "batch" for a model with a BatchNormalization in training mode, else None."""
    nodes = [node for node in model.graph.node if node.op_type == "BatchNormalization" and not node.domain]
    return "batch" if any(in_training_mode(node) for node in nodes) else None


def ort_converter() -> Callable[[Path], None]:
    """Return a function that writes a model in ORT format beside its file.

    Raises ModelError if onnxruntime, which has the converter, is not installed.
    """
    try:
        from onnxruntime.tools.convert_onnx_models_to_ort import OptimizationStyle, convert_onnx_models_to_ort
    except ImportError as error:
        raise ModelError("ort_format needs onnxruntime's converter", "pip install onnxruntime") from error
    return lambda path: convert_onnx_models_to_ort(path, optimization_styles=[OptimizationStyle.Fixed])


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
