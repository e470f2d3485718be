"""The offline phase, which turns an inference model into three models and a checkpoint.

All three models are plain ONNX: gradient operators that ONNX lacks are in the domain `gradmote` and
carry a body in standard operators, so any ONNX runtime can run them.

    training_model.onnx   inputs: data, labels; outputs: loss, [additional outputs],
                          <parameter>_grad ..., <running statistic>_new ...
    eval_model.onnx       inputs: data, labels; outputs: loss, the model's outputs
    optimizer_model.onnx  inputs: learning_rate, gradient_scale, <parameter>, <parameter>_grad,
                          moments ...; outputs: the same names with `_new`
    checkpoint            parameters and running statistics, in Gradmote's checkpoint format (.gmck)

Trained parameters and running statistics are initializers and inputs at once: the models run as
they are, and a caller may pass newer values.
"""

from __future__ import annotations

import json
import logging
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir

from .. import losses, optimizers
from ..compiler.passes import pipeline, split_channels
from ..compiler.passes.batch_norm import FROZEN, INFERENCE, applied
from ..compiler.passes.batch_norm.claim import running_statistics
from ..compiler.passes.note_shared import shared_weights
from ..errors import ModelError
from ..formats import checkpoint
from ..formats.files import Output, make_folder, write_together
from ..losses import Loss
from ..model.frontend import Inputs, left_out, load_model
from ..model.frontend.parameters import floats, some
from ..model.registry import attach_functions
from ..optimizers import Optimizer
from ..optimizers.model import optimizer_model
from .schemes import Scheme, choose, resolve
from .training_graph import expose_parameters, with_gradients, with_loss

log = logging.getLogger(__name__)


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


@dataclass
class Artifacts:
    """The models in memory; those that were not asked for are None."""

    inference: onnx.ModelProto
    evaluation: onnx.ModelProto | None
    training: onnx.ModelProto | None
    optimizer: onnx.ModelProto | None
    parameters: dict[str, np.ndarray]  # trained ones, in state order
    learning_rate: float = 1e-3
    statistics: dict[str, np.ndarray] = field(default_factory=dict)  # running means and variances that training updates
    left_out: list[str] = field(default_factory=list)  # numbers that are trained only where they are named
    frozen: dict[str, np.ndarray] = field(default_factory=dict)  # weights that stay, but belong to the checkpoint

    def batch_norm(self) -> tuple[str, int] | None:
        """Return the mode and the number of the model's BatchNormalizations; None without any."""
        return applied(self._metadata())

    def shared_weights(self) -> dict[str, int]:
        """Return the trained weights that several nodes of the model use, and how many do."""
        return {n: len(users) for n, users in shared_weights(self._metadata()).items() if n in self.parameters}

    def _metadata(self) -> dict[str, str]:
        return {p.key: p.value for p in self.inference.graph.metadata_props}

    def scheme(self) -> str:
        """Return the text of the scheme of the training model; "" where there is none."""
        return self._of_training().get("gradmote.scheme", "")

    def loss_scale(self) -> float:
        """Return the factor by which the training model's gradients are too large; 1 by default."""
        return float(self._of_training().get("gradmote.loss_scale", 1.0))

    def _of_training(self) -> dict[str, str]:
        return {p.key: p.value for p in self.training.metadata_props} if self.training else {}


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
) -> None:
    """Write the artifacts for `model`.

    Signature and meaning are those of onnxruntime.training.artifacts.generate_artifacts, except for
    batch_norm and running_variance (see build_artifacts): onnxruntime always trains with statistics
    of the batch.

    requires_grad: initializers to train; none by default, as in onnxruntime. frozen_params:
    initializers that stay as they are, but are parameters of the checkpoint; they must not overlap
    with requires_grad. loss: a LossType or a function over the graph (gradmote.losses).
    additional_output_names: values that the training and eval models also return.
    nominal_checkpoint: also writes `nominal_checkpoint` without parameter data. loss_input_names:
    outputs that the loss takes; all by default. Raises ModelError.
    """
    if ort_format or custom_op_library:
        raise ModelError(
            "ort_format and custom_op_library have no meaning here", "leave them out; Gradmote's format is .mote"
        )
    overlap = set(requires_grad or ()) & set(frozen_params or ())
    if overlap:
        raise ModelError(f"{', '.join(sorted(overlap))} is in requires_grad and in frozen_params", "name it once")
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
    )
    write_artifacts(made, outputs)


def resolve_loss(loss: LossType | Loss | None) -> Loss | None:
    """Return the loss that a LossType stands for, or the loss itself."""
    return LOSS_TYPES[loss]() if isinstance(loss, LossType) else loss


def resolve_optimizer(optimizer: OptimType | Optimizer | None) -> Optimizer | None:
    """Return the optimizer that an OptimType stands for, or the optimizer itself."""
    return OPTIM_TYPES[optimizer]() if isinstance(optimizer, OptimType) else optimizer


def build_artifacts(
    model: onnx.ModelProto | str | os.PathLike[str] | bytes,
    train: Sequence[str] | None = None,
    loss: Loss | None = None,
    optimizer: Optimizer | None = None,
    *,
    freeze: Sequence[str] | None = None,
    scheme: Scheme | str | None = None,
    keep: Sequence[str] = (),
    outputs: Sequence[str] | None = None,
    additional_outputs: Sequence[str] = (),
    loss_inputs: Sequence[str] | None = None,
    batch_norm: str | None = None,
    running_variance: str = "population",
    loss_scale: float = 1.0,
    untie: bool = False,
    inputs: Inputs | None = None,
) -> Artifacts:
    """Return the artifacts in memory.

    train / freeze: names or patterns (None, None: all weights). scheme: a Scheme or its text,
    instead of both. keep: names of frozen weights that belong to the checkpoint all the same, so
    that they can be exchanged without other models. outputs: the model's outputs to keep. untie: a
    weight that several nodes use becomes one for each of them. inputs: shapes of the model's
    inputs, and values of those that never change.

    batch_norm: "frozen" (by default), "fold" or "batch", as passes.batch_norm explains. Where
    nothing trains, "frozen" folds too, which leaves the least to compute. running_variance: for
    "batch", over n ("population", as ONNX) or n - 1 values ("sample", as PyTorch).

    loss_scale: a power of two by which the loss is multiplied before it is differentiated; an image
    divides by it in the update. This keeps gradients from underflowing; where none would, all bits
    of the result are the same.
    """
    check_loss_scale(loss_scale)
    trains = loss is not None and train != []
    chosen = resolve(scheme, train, freeze)
    forward = load_forward(model, outputs, chosen if trains else None, batch_norm, untie, inputs)
    forward, names = choose_trained(forward, chosen) if trains else (forward, [])
    parameters, frozen = data_of(forward.graph, names), data_of(forward.graph, check_frozen(forward.graph, keep))
    statistics = running_statistics(forward.graph) if names else []
    log.info("%d of %d initializers are trained", len(names), len(forward.graph.initializers))
    evaluation = with_loss(forward, loss, loss_inputs, additional_outputs) if loss is not None else None
    training = None
    if evaluation is not None and names:
        training = with_gradients(evaluation, names, additional_outputs, running_variance, loss_scale)
        record_settings(training, list(frozen), chosen, loss_scale)
    changeable = {*names, *frozen, *statistics}
    inference = for_inference(forward.clone(), changeable)
    if evaluation is not None:
        for_inference(evaluation, changeable)
        expose_parameters(evaluation.graph, [*names, *statistics])
    return Artifacts(
        to_proto(inference),
        to_proto(evaluation) if evaluation else None,
        to_proto(training) if training else None,
        to_proto(optimizer_model(optimizer, parameters, forward)) if optimizer is not None and names else None,
        parameters,
        optimizer.learning_rate if optimizer else 1e-3,
        data_of(forward.graph, statistics),
        [n for n in left_out(forward.graph) if n not in names] if trains else [],
        frozen,
    )


# ---- The steps of build_artifacts()


def load_forward(
    model: onnx.ModelProto | str | os.PathLike[str] | bytes,
    outputs: Sequence[str] | None,
    scheme: Scheme | None,
    batch_norm: str | None,
    untie: bool,
    inputs: Inputs | None,
) -> ir.Model:
    """Return the forward graph in normal form, with the constants that the scheme names.

    scheme: None where nothing is trained; "frozen" BatchNormalizations are folded then.
    """
    mode = batch_norm or FROZEN
    named = [n for part in scheme.parts() if part.kind == "named" for n in part.names] if scheme is not None else []
    if scheme is None and mode == FROZEN:
        mode = INFERENCE
    forward = load_model(model, outputs, mode, untie, inputs, named)
    log.info("read the model: %d nodes in normal form", len(forward.graph))
    warn_without_batch_norm(batch_norm, forward.graph)
    return forward


def choose_trained(forward: ir.Model, scheme: Scheme) -> tuple[ir.Model, list[str]]:
    """Return the forward graph and the names of the parameters that the scheme trains.

    Weights of which only some channels are trained are split in two in that graph.
    """
    names, split = choose(forward.graph, scheme)
    if split and scheme.split_ratio is not None:
        forward, parts = split_channels.run(forward, split, scheme.split_ratio)
        names = split_channels.together(forward.graph, names, parts)
    warn_of_shared(forward.graph, names)
    return forward, names


def record_settings(training: ir.Model, frozen: Sequence[str], scheme: Scheme, loss_scale: float) -> None:
    """Record in the training model's metadata what Artifacts and load_artifacts() read from it."""
    training.metadata_props["gradmote.frozen"] = json.dumps(list(frozen))
    training.metadata_props["gradmote.scheme"] = str(scheme)
    if loss_scale != 1.0:
        training.metadata_props["gradmote.loss_scale"] = repr(float(loss_scale))


def for_inference(model: ir.Model, changeable: set[str]) -> ir.Model:
    """Apply the passes for inference to the model, and return it.

    changeable: initializers that are not folded, because their data may change later.
    """
    return attach_functions(pipeline.for_inference(model, changeable))


def warn_without_batch_norm(wanted: str | None, graph: ir.Graph) -> None:
    """Warn where a mode was asked for and the model has no BatchNormalization."""
    if wanted is not None and applied(graph.metadata_props) is None:
        log.warning(
            "this model has no BatchNormalization, so batch norm '%s' changes nothing. PyTorch's exporter folds it "
            "into the weights before; torch.onnx.export(..., optimize=False) keeps it",
            wanted,
        )


def warn_of_shared(graph: ir.Graph, names: Sequence[str]) -> None:
    """Warn of weights that several nodes share, which may surprise the model's user."""
    shared = {n: users for n, users in shared_weights(graph.metadata_props).items() if n in names}
    if shared:
        log.warning(
            "%s; each trains as one weight. If they are not tied on purpose, an exporter merged what was equal: "
            "--untie (untie=True) gives each node its own copy",
            "; ".join(f"'{name}' is used by {some(users)}" for name, users in shared.items()),
        )


def check_frozen(graph: ir.Graph, names: Sequence[str]) -> list[str]:
    """Return the names, each once.

    Raises ModelError for one that is no float32 initializer of the model.
    """
    known = floats(graph)
    missing = [name for name in names if name not in known]
    if missing:
        raise ModelError(f"no weight is called {', '.join(missing)}", f"the model's weights are {some(known)}")
    return list(dict.fromkeys(names))


def check_loss_scale(scale: float) -> None:
    """Raise ModelError for a scale that is no power of two from 2^-64 to 2^64.

    Other factors would change bits.
    """
    if not 2.0**-64 <= scale <= 2.0**64 or math.frexp(scale)[0] != 0.5:
        raise ModelError(f"the loss scale {scale} is no power of two from 2^-64 to 2^64", "try 1024, or 65536")


def data_of(graph: ir.Graph, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Return copies of the data of initializers."""
    return {n: graph.initializers[n].const_value.numpy().copy() for n in names}  # type: ignore[union-attr]


def to_proto(model: ir.Model) -> onnx.ModelProto:
    """Return the model as a ModelProto; the same model gives the same bytes."""
    proto = ir.to_proto(model)
    proto.producer_name = "gradmote"
    return proto


# ---- files


def artifact_outputs(directory: Path, prefix: str, nominal: bool) -> dict[str, Output]:
    """Return the files that write_artifacts() may write, by name, in a folder that is made.

    Raises OutputError.
    """
    names = ["training_model.onnx", "eval_model.onnx", "optimizer_model.onnx", "checkpoint"]
    names += ["nominal_checkpoint"] if nominal else []
    make_folder(directory)
    return {name: Output(directory / f"{prefix}{name}") for name in names}


def write_artifacts(made: Artifacts, outputs: Mapping[str, Output]) -> list[Path]:
    """Write the artifacts that exist, and return the paths of the files.

    No file is replaced before all are on the disk. Raises OutputError.
    """
    models = {"training_model": made.training, "eval_model": made.evaluation, "optimizer_model": made.optimizer}
    contents = {f"{name}.onnx": m.SerializeToString(deterministic=True) for name, m in models.items() if m is not None}
    contents["checkpoint"] = checkpoint.pack(made.parameters, made.statistics, frozen=made.frozen)
    if "nominal_checkpoint" in outputs:
        contents["nominal_checkpoint"] = checkpoint.pack(
            made.parameters, made.statistics, nominal=True, frozen=made.frozen
        )
    write_together([(outputs[name], data, None) for name, data in contents.items()])
    return [outputs[name].path for name in contents]
