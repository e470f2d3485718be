"""The offline phase: from an inference model to training, eval and optimizer models plus a checkpoint.

All three models are plain ONNX: gradient operators that ONNX lacks are in the domain `gradmote` and carry a body in
standard operators, so any ONNX runtime can run them.

    training_model.onnx   inputs: data, labels; outputs: loss, [additional outputs], <parameter>_grad ...,
                          <running statistic>_new ...
    eval_model.onnx       inputs: data, labels; outputs: loss, the model's outputs
    optimizer_model.onnx  inputs: learning_rate, gradient_scale, <parameter>, <parameter>_grad, moments ...;
                          outputs: the same names with `_new`
    checkpoint            parameters and running statistics, in Gradmote's checkpoint format (.gmck)

Trained parameters and running statistics are initializers and inputs at once: the models run as they are, and a caller
may pass newer values.
"""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir

from . import checkpoint, losses, optimizers
from .autodiff import differentiate
from .errors import ModelError
from .files import write_atomically
from .frontend import infer_shapes, load_model
from .graph import DOMAIN, Builder
from .losses import Loss
from .optimizers import Optimizer
from .optimizers.steps import step_op
from .passes import pipeline, split_channels
from .passes.batch_norm import INFERENCE, applied
from .passes.batch_norm import training as batch_statistics
from .passes.batch_norm.claim import running_statistics
from .passes.layers import layer_called
from .passes.note_shared import shared_weights
from .registry import attach_functions
from .schemes import Scheme, choose, resolve


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
    """The models in memory. training and optimizer are None where no loss or no optimizer was asked for."""

    inference: onnx.ModelProto
    evaluation: onnx.ModelProto | None
    training: onnx.ModelProto | None
    optimizer: onnx.ModelProto | None
    parameters: dict[str, np.ndarray]  # trained ones, in state order
    learning_rate: float = 1e-3
    statistics: dict[str, np.ndarray] = field(default_factory=dict)  # running means and variances that training updates

    def batch_norm(self) -> tuple[str, int] | None:
        """The mode of the model's BatchNormalizations and how many it had; None where it had none."""
        return applied(self._metadata())

    def shared_weights(self) -> dict[str, int]:
        """Trained weights that several nodes of the model use, and how many do."""
        return {n: count for n, count in shared_weights(self._metadata()).items() if n in self.parameters}

    def _metadata(self) -> dict[str, str]:
        return {p.key: p.value for p in self.inference.graph.metadata_props}

    def scheme(self) -> str:
        """The text of the scheme that the training model was made by; "" where there is none."""
        known = {p.key: p.value for p in self.training.metadata_props} if self.training else {}
        return known.get("gradmote.scheme", "")


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
    batch_norm: str = "frozen",
    running_variance: str = "population",
) -> None:
    """Writes the artifacts for `model`; signature and meaning of onnxruntime.training.artifacts.generate_artifacts, but
    for batch_norm and running_variance (see build_artifacts): onnxruntime always trains with statistics of the batch.

    requires_grad: initializers to train; none by default, as in onnxruntime. frozen_params: must not overlap with it.
    loss: a LossType or a function over the graph (gradmote.losses). additional_output_names: values that the training
    and eval models also return. nominal_checkpoint: also writes `nominal_checkpoint` without parameter data.
    loss_input_names: outputs that the loss takes; all by default. Raises ModelError.
    """
    if ort_format or custom_op_library:
        raise ModelError(
            "ort_format and custom_op_library have no meaning here", "leave them out; Gradmote's format is .mote"
        )
    overlap = set(requires_grad or ()) & set(frozen_params or ())
    if overlap:
        raise ModelError(f"{', '.join(sorted(overlap))} is in requires_grad and in frozen_params", "name it once")
    made = build_artifacts(
        model,
        list(requires_grad or ()),
        resolve_loss(loss),
        resolve_optimizer(optimizer),
        additional_outputs=additional_output_names or (),
        loss_inputs=loss_input_names,
        batch_norm=batch_norm,
        running_variance=running_variance,
    )
    write_artifacts(made, Path(artifact_directory or os.getcwd()), prefix, nominal_checkpoint)


def resolve_loss(loss: LossType | Loss | None) -> Loss | None:
    return LOSS_TYPES[loss]() if isinstance(loss, LossType) else loss


def resolve_optimizer(optimizer: OptimType | Optimizer | None) -> Optimizer | None:
    return OPTIM_TYPES[optimizer]() if isinstance(optimizer, OptimType) else optimizer


def build_artifacts(
    model: onnx.ModelProto | str | os.PathLike[str] | bytes,
    train: Sequence[str] | None = None,
    loss: Loss | None = None,
    optimizer: Optimizer | None = None,
    *,
    freeze: Sequence[str] | None = None,
    scheme: Scheme | str | None = None,
    outputs: Sequence[str] | None = None,
    additional_outputs: Sequence[str] = (),
    loss_inputs: Sequence[str] | None = None,
    batch_norm: str = "frozen",
    running_variance: str = "population",
) -> Artifacts:
    """The artifacts in memory. train / freeze: names or patterns (None, None: all weights); in their place, scheme: a
    Scheme or its text. outputs: those to keep.

    batch_norm: "frozen", "fold" or "batch" (passes.batch_norm says what they mean; where nothing trains, "frozen" folds
    too, which leaves the least to compute); running_variance: for "batch", over n ("population", as ONNX) or n - 1
    values ("sample", as PyTorch).
    """
    trains = loss is not None and train != []
    forward = load_model(model, outputs, batch_norm if trains or batch_norm != "frozen" else INFERENCE)
    chosen = resolve(scheme, train, freeze)
    names, split = choose(forward.graph, chosen) if trains else ([], [])
    if split and chosen.split_ratio is not None:
        forward, pieces = split_channels.run(forward, split, chosen.split_ratio)
        names = split_channels.together(forward.graph, names, pieces)
    parameters = data_of(forward.graph, names)
    statistics = running_statistics(forward.graph) if names else []
    evaluation = with_loss(forward, loss, loss_inputs, additional_outputs) if loss is not None else None
    training = None
    if evaluation is not None and names:
        training = with_gradients(evaluation, names, additional_outputs, running_variance)
        training.metadata_props["gradmote.scheme"] = str(chosen)
    inference = forward.clone()
    pipeline.for_inference(inference, {*names, *statistics})
    if evaluation is not None:
        pipeline.for_inference(evaluation, {*names, *statistics})
        expose_parameters(evaluation.graph, [*names, *statistics])
    return Artifacts(
        to_proto(inference),
        to_proto(evaluation) if evaluation else None,
        to_proto(training) if training else None,
        to_proto(optimizer_model(optimizer, parameters)) if optimizer is not None and names else None,
        parameters,
        optimizer.learning_rate if optimizer else 1e-3,
        data_of(forward.graph, statistics),
    )


def data_of(graph: ir.Graph, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Copies of initializers."""
    return {n: graph.initializers[n].const_value.numpy().copy() for n in names}  # type: ignore[union-attr]


def with_loss(forward: ir.Model, loss: Loss, loss_inputs: Sequence[str] | None, additional: Sequence[str]) -> ir.Model:
    """The forward graph with the loss as its first output and labels as inputs."""
    model = forward.clone()
    graph = model.graph
    outputs = list(graph.outputs)
    by_name = {v.name: v for n in graph for v in n.outputs}
    missing = [n for n in (*(loss_inputs or ()), *additional) if n not in by_name]
    if missing:
        raise ModelError(
            f"the model has no value called {', '.join(missing)}", f"its outputs are {[o.name for o in outputs]}"
        )
    taken = [by_name[n] for n in loss_inputs] if loss_inputs else outputs
    check_arity(loss, taken)
    with layer_called(graph, "loss"):
        value = loss(Builder(graph), *taken)
    graph.outputs[:] = [value, *outputs, *(by_name[n] for n in additional if by_name[n] not in outputs)]
    labels = [v.name for v in graph.inputs if v.meta.get("gradmote.label")]
    model = infer_shapes(attach_functions(model))
    model.metadata_props["gradmote.outputs"] = json.dumps([o.name for o in outputs])
    return record(model, "loss", value.name, labels)


def check_arity(loss: Loss, outputs: Sequence[ir.Value]) -> None:
    """A loss that takes one output cannot be given two."""
    try:
        inspect.signature(loss).bind(None, *outputs)
    except TypeError:
        names = ", ".join(str(o.name) for o in outputs)
        raise ModelError(
            f"the loss does not take {len(outputs)} outputs ({names})", "choose with --output (outputs=)"
        ) from None


def with_gradients(
    evaluation: ir.Model, names: Sequence[str], additional: Sequence[str], running_variance: str
) -> ir.Model:
    """The loss graph with every parameter's gradient as an output, then the new running statistics; the model's own
    outputs only where asked for."""
    model = evaluation.clone()
    if pipeline.decompose(model.graph, set(names)):
        model = infer_shapes(attach_functions(model))
    graph = model.graph
    for node in graph:
        if node.op_type == "Dropout" and not node.domain:
            set_training_mode(graph, node)
    loss = graph.outputs[0]
    by_name = {o.name: o for o in graph.outputs[1:]}
    graph.outputs[:] = [loss, *(by_name[n] for n in dict.fromkeys(additional))]
    statistics = running_statistics(graph)
    model.metadata_props["gradmote.parameters"] = json.dumps(list(names))
    model.metadata_props["gradmote.statistics"] = json.dumps(statistics)
    updates = batch_statistics.run(graph, running_variance)
    differentiate(graph, loss, [graph.initializers[n] for n in names])
    graph.outputs.extend(updates)
    expose_parameters(graph, [*names, *statistics])
    return infer_shapes(attach_functions(model))


def set_training_mode(graph: ir.Graph, node: ir.Node) -> None:
    """ONNX's Dropout is an identity unless its third input says training."""
    ratio = node.inputs[1] if len(node.inputs) > 1 else None
    mode = Builder(graph).constant(np.array(True), f"{node.outputs[0].name}.training_mode")
    node.resize_inputs(3)
    node.replace_input_with(1, ratio)
    node.replace_input_with(2, mode)


def expose_parameters(graph: ir.Graph, names: Sequence[str]) -> None:
    """Makes initializers inputs too, so that a caller may pass newer values."""
    for name in names:
        value = graph.initializers.get(name)
        if value is not None and not value.is_graph_input():
            graph.inputs.append(value)


def record(model: ir.Model, key: str, value: str | None, labels: Sequence[str | None]) -> ir.Model:
    model.metadata_props[f"gradmote.{key}"] = str(value)
    model.metadata_props["gradmote.labels"] = json.dumps(list(labels))
    return model


def to_proto(model: ir.Model) -> onnx.ModelProto:
    """Deterministic: the same model gives the same bytes."""
    proto = ir.to_proto(model)
    proto.producer_name = "gradmote"
    return proto


# ---- the optimizer model


def optimizer_model(optimizer: Optimizer, parameters: dict[str, np.ndarray]) -> ir.Model:
    """One step for every parameter, with clipping before and bias correction shared."""
    graph = ir.Graph([], [], nodes=[], opset_imports={"": 18}, name="optimizer")
    builder = Builder(graph)
    rate = builder.input("learning_rate", ir.DataType.FLOAT, [])
    scale = builder.input("gradient_scale", ir.DataType.FLOAT, [])
    triples = [inputs_of(builder, name, array, optimizer.slots) for name, array in parameters.items()]
    if optimizer.clip_norm is not None:
        scale = clipped_scale(builder, [g for _, g, _ in triples], scale, optimizer.clip_norm)
    correction = bias_correction(builder, optimizer) if optimizer.bias_correction else None
    for p, g, slots in triples:
        extra = [*slots, *([correction] if correction is not None else [])]
        names = [f"{v.name}_new" for v in (p, *slots)]
        outputs = builder.ops(
            step_op(optimizer.rule), p, g, rate, scale, *extra, names=names, domain=DOMAIN, **optimizer.attributes()
        )
        graph.outputs.extend(outputs)
    model = attach_functions(ir.Model(graph, ir_version=10))
    model.metadata_props["gradmote.optimizer"] = optimizer.rule
    model.metadata_props["gradmote.learning_rate"] = repr(float(optimizer.learning_rate))
    return infer_shapes(model)


def inputs_of(builder: Builder, name: str, array: np.ndarray, slots: int) -> tuple[ir.Value, ir.Value, list[ir.Value]]:
    """Parameter, gradient and moments."""
    kinds = (name, f"{name}_grad", *(f"{name}_moment{i + 1}" for i in range(slots)))
    p, g, *moments = (builder.input(k, ir.DataType.FLOAT, array.shape) for k in kinds)
    return p, g, moments


def clipped_scale(builder: Builder, grads: Sequence[ir.Value], scale: ir.Value, max_norm: float) -> ir.Value:
    total = builder.op("SumSquares", grads[0], name=f"{grads[0].name}.sum_squares", domain=DOMAIN)
    for g in grads[1:]:
        total = builder.op("AddSumSquares", g, total, name=f"{g.name}.sum_squares", domain=DOMAIN)
    return builder.op("ClipScale", total, scale, name="clipped_scale", domain=DOMAIN, max_norm=float(max_norm))


def bias_correction(builder: Builder, optimizer: Optimizer) -> ir.Value:
    given = builder.input("bias_correction", ir.DataType.FLOAT, [2])
    betas = {k: v for k, v in optimizer.attributes().items() if "beta" in k}
    value = builder.op("BiasCorrection", given, name="bias_correction_new", domain=DOMAIN, **betas)
    builder.graph.outputs.append(value)
    return value


# ---- files


def write_artifacts(made: Artifacts, directory: Path, prefix: str, nominal: bool) -> list[Path]:
    """Writes what there is; every file appears whole or not at all."""
    directory.mkdir(parents=True, exist_ok=True)
    models = {"training_model": made.training, "eval_model": made.evaluation, "optimizer_model": made.optimizer}
    written = []
    for name, proto in models.items():
        if proto is not None:
            written.append(directory / f"{prefix}{name}.onnx")
            write_atomically(written[-1], proto.SerializeToString(deterministic=True))
    written.append(directory / f"{prefix}checkpoint")
    write_atomically(written[-1], checkpoint.pack(made.parameters, made.statistics))
    if nominal:
        written.append(directory / f"{prefix}nominal_checkpoint")
        write_atomically(written[-1], checkpoint.pack(made.parameters, made.statistics, nominal=True))
    return written
