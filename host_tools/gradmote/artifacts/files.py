"""Writing and reading artifact files, and the inference graph inside a training or eval model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx_ir as ir
from onnx_ir.passes import common

from ..errors import ModelError
from ..formats import checkpoint
from ..formats.files import Output, make_folder, write_together
from ..frontend import Source, read_model, to_ir
from ..ir.graph import data_of, prune
from ..ir.metadata import (
    FROZEN,
    LEARNING_RATE,
    LOSS,
    OPTIMIZER,
    OUTPUTS,
    PARAMETERS,
    STATISTICS,
    Note,
    is_label,
    remove_notes,
    restore_labels,
)
from ..ir.write import to_bytes
from ..rewrite import pipeline
from .artifacts import Artifacts, Models
from .file_form import as_in_memory, evaluation_in_file, training_in_file
from .quantized_weights import without_fraction

_ONE_CALL = "use files of one generate_artifacts call"

# ---- Writing


def artifact_outputs(directory: Path, prefix: str, nominal: bool) -> dict[str, Output]:
    """Return the files that write_artifacts() may write, by name; creates the folder.

    Raises OutputError.
    """
    names = ["training_model.onnx", "eval_model.onnx", "optimizer_model.onnx", "checkpoint"]
    names += ["nominal_checkpoint"] if nominal else []
    make_folder(directory)
    return {name: Output(directory / f"{prefix}{name}") for name in names}


def write_artifacts(made: Artifacts, outputs: Mapping[str, Output]) -> list[Path]:
    """Write the existing artifacts, and return the paths of the files.

    No file is replaced before all are on the disk. Raises OutputError.
    """
    models = made.models
    named = {
        "training_model": models.training and training_in_file(models.training),
        "eval_model": models.evaluation and evaluation_in_file(models.evaluation),
        "optimizer_model": models.optimizer,
    }
    contents = {f"{name}.onnx": to_bytes(model) for name, model in named.items() if model is not None}
    contents["checkpoint"] = checkpoint.pack(made.parameters, made.statistics, frozen=made.frozen)
    if "nominal_checkpoint" in outputs:
        contents["nominal_checkpoint"] = checkpoint.pack(
            made.parameters, made.statistics, nominal=True, frozen=made.frozen
        )
    write_together([(outputs[name], data, None) for name, data in contents.items()])
    return [outputs[name].path for name in contents]


# ---- Reading


def load_artifacts(
    training: Source,
    parameters: Mapping[str, np.ndarray],
    evaluation: Source | None = None,
    optimizer: Source | None = None,
) -> Artifacts:
    """Return the artifacts that generate_artifacts wrote.

    parameters: the trained tensors by name, as in the checkpoint. Raises ModelError for a model
    that generate_artifacts did not write, or that has other parameters.
    """
    return joined(
        read_artifact(training, LOSS),
        parameters,
        read_artifact(evaluation, LOSS) if evaluation else None,
        read_artifact(optimizer, OPTIMIZER) if optimizer else None,
    )


def joined(
    training: ir.Model,
    parameters: Mapping[str, np.ndarray],
    evaluation: ir.Model | None = None,
    optimizer: ir.Model | None = None,
) -> Artifacts:
    """Return the artifacts made of already read models, with these parameters.

    Raises ModelError for parameters that the training model does not have.
    """
    check_parameters(training, {n: np.shape(a) for n, a in parameters.items()})
    own = data_of(training.graph, parameter_names(training))
    return Artifacts(
        Models(inference_model(evaluation or training), evaluation, training, optimizer),
        {n: in_type(np.asarray(parameters[n]), data.dtype) for n, data in own.items()},
        LEARNING_RATE.read(optimizer, 1e-3) if optimizer else 1e-3,
        data_of(training.graph, STATISTICS.read(training, [])),
        frozen=data_of(training.graph, FROZEN.read(training, [])),
    )


def in_type(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return a parameter in its type in the model; an int16 master of an int8 weight stays."""
    return array if array.dtype == np.int16 and dtype == np.int8 else array.astype(dtype)


def read_artifact(source: Source, kind: Note[str]) -> ir.Model:
    """Return one of the artifacts.

    kind: the note that it must have. Raises ModelError for any other model.
    """
    model = to_ir(read_model(source))
    if not kind.stands_in(model):
        raise ModelError(
            "this model was not written by gradmote.artifacts.generate_artifacts",
            "generate the artifacts again from the inference model",
        )
    restore_labels(model)
    return as_in_memory(model)


def parameter_names(training: ir.Model) -> list[str]:
    """Return the trained parameters of a training model, in state order.

    Raises ModelError for a model of another kind.
    """
    names = PARAMETERS.read(training)
    if names is None:
        raise ModelError("this is not a training model", "pass training_model.onnx")
    return names


def with_weights(artifacts: Artifacts, frozen: Mapping[str, np.ndarray]) -> Artifacts:
    """Return the artifacts with other data, of the same shapes, in these frozen weights."""
    models = artifacts.models
    exchanged = replace(
        models,
        inference=with_data(models.inference, frozen),
        evaluation=models.evaluation and with_data(models.evaluation, frozen),
        training=models.training and with_data(models.training, frozen),
    )
    return replace(artifacts, models=exchanged, frozen={**artifacts.frozen, **frozen})


def with_data(model: ir.Model, arrays: Mapping[str, np.ndarray]) -> ir.Model:
    """Return a copy of the model with other data in the initializers of these names."""
    model = model.clone()
    for name, value in model.graph.initializers.items():
        if name in arrays:
            value.const_value = ir.tensor(np.asarray(arrays[name], order="C"), name=name)
    return model


def parameter_shapes(training: ir.Model) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the trained parameters of a training model."""
    return {name: array.shape for name, array in data_of(training.graph, parameter_names(training)).items()}


def check_parameters(training: ir.Model, given: Mapping[str, tuple[int, ...]]) -> None:
    """Raise ModelError unless the given names and shapes are those of the training model."""
    shapes = parameter_shapes(training)
    if set(shapes) != set(given):
        odd = ", ".join(sorted(set(shapes) ^ set(given)))
        raise ModelError(f"the training model and the parameters differ in {odd}", _ONE_CALL)
    for name in shapes:
        if given[name] != shapes[name]:
            raise ModelError(
                f"'{name}' has shape {list(given[name])}, the training model says {list(shapes[name])}", _ONE_CALL
            )


def inference_model(
    scored: ir.Model, outputs: Sequence[str] | None = None, parameters: Mapping[str, np.ndarray] | None = None
) -> ir.Model:
    """Return the forward part of a training or eval model, without labels and dropout.

    outputs: values to end at; by default the outputs of the model that the artifacts were made from.
    parameters: newer data for initializers. Raises ModelError for a name that the model lacks, and for
    a training model that normalizes with statistics of the batch: its eval model has the forward part.
    """
    if STATISTICS.read(scored, []):
        raise ModelError("this training model normalizes with statistics of the batch", "pass the eval model too")
    model = scored.clone()
    graph = model.graph
    cut(graph, list(outputs if outputs is not None else OUTPUTS.read(model, [])))
    unused = [v for v in graph.inputs if v.is_initializer() or (is_label(v) and not v.uses())]
    graph.inputs[:] = [v for v in graph.inputs if v not in unused]
    for name, array in (parameters or {}).items():
        if name in graph.initializers:
            dtype = graph.initializers[name].dtype.numpy()  # type: ignore[union-attr]
            data = np.asarray(without_fraction(np.asarray(array)), dtype, order="C")
            graph.initializers[name].const_value = ir.tensor(data, name=name)
    prune(graph)
    pipeline.for_inference(model, set(parameters or {}))
    return without_metadata(model)


def cut(graph: ir.Graph, names: Sequence[str]) -> None:
    """Make the named values the outputs of the graph, and remove what they do not need.

    Raises ModelError for a name that the graph lacks, or for no names.
    """
    values = {v.name: v for v in (*graph.inputs, *graph.initializers.values(), *(o for n in graph for o in n.outputs))}
    missing = [n for n in names if n not in values]
    if missing or not names:
        raise ModelError(
            f"the model has no value called {', '.join(missing) or '(no name given)'}",
            f"it returns {', '.join(str(o.name) for o in graph.outputs)}",
        )
    graph.outputs[:] = [values[n] for n in names]
    prune(graph)


def without_metadata(model: ir.Model) -> ir.Model:
    """Remove Gradmote's metadata, and its unused functions, and return the model."""
    common.RemoveUnusedFunctionsPass()(model)
    common.RemoveUnusedOpsetsPass(process_functions=False)(model)
    remove_notes(model)
    return model
