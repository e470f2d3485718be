"""Artifacts read from their files, and the inference graph inside a training or eval model."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import onnx
import onnx_ir as ir

from ..compiler.passes import pipeline
from ..errors import ModelError
from ..model.frontend import read_model
from ..model.graph import DOMAIN, prune
from .build import Artifacts, to_proto

_ONE_CALL = "use files of one generate_artifacts call"

Source = str | os.PathLike[str] | onnx.ModelProto


def load_artifacts(
    training: Source,
    parameters: Mapping[str, np.ndarray],
    evaluation: Source | None = None,
    optimizer: Source | None = None,
) -> Artifacts:
    """Return the artifacts that generate_artifacts wrote.

    parameters: the trained tensors by name, as in the checkpoint. Raises ModelError for a model
    that generate_artifacts did not write, or whose parameters are not these.
    """
    train, evaluate = read_artifact(training, "loss"), read_artifact(evaluation, "loss") if evaluation else None
    step = read_artifact(optimizer, "optimizer") if optimizer else None
    names, statistics = parameter_names(train), statistic_names(train)
    check_parameters(train, {n: np.shape(a) for n, a in parameters.items()})
    return Artifacts(
        inference_model(evaluate or train),
        evaluate,
        train,
        step,
        {n: np.asarray(parameters[n], np.float32) for n in names},
        float(metadata(step)["gradmote.learning_rate"]) if step else 1e-3,
        {t.name: onnx.numpy_helper.to_array(t) for t in train.graph.initializer if t.name in statistics},
        frozen=frozen_weights(train),
    )


def read_artifact(source: Source, kind: str) -> onnx.ModelProto:
    """Return one of the artifacts.

    kind: the key that its metadata must have. Raises ModelError for any other model.
    """
    proto = read_model(source)
    if f"gradmote.{kind}" not in metadata(proto):
        raise ModelError(
            "this model was not written by gradmote.artifacts.generate_artifacts",
            "generate the artifacts again from the inference model",
        )
    return proto


def metadata(proto: onnx.ModelProto) -> dict[str, str]:
    """Return the model's metadata as a dictionary."""
    return {p.key: p.value for p in proto.metadata_props}


def parameter_names(training: onnx.ModelProto) -> list[str]:
    """Return the trained parameters of a training model, in state order.

    Raises ModelError for a model of another kind.
    """
    known = metadata(training)
    if "gradmote.parameters" not in known:
        raise ModelError("this is no training model", "pass training_model.onnx")
    return list(json.loads(known["gradmote.parameters"]))


def statistic_names(training: onnx.ModelProto) -> list[str]:
    """Return the running statistics that a training model updates; none for an eval model."""
    return list(json.loads(metadata(training).get("gradmote.statistics", "[]")))


def frozen_weights(training: onnx.ModelProto) -> dict[str, np.ndarray]:
    """Return copies of the weights that nothing trains but that belong to the checkpoint, by name."""
    names = json.loads(metadata(training).get("gradmote.frozen", "[]"))
    arrays = {t.name: onnx.numpy_helper.to_array(t).copy() for t in training.graph.initializer if t.name in names}
    return {name: arrays[name] for name in names}


def with_weights(artifacts: Artifacts, frozen: Mapping[str, np.ndarray]) -> Artifacts:
    """Return the artifacts with other data, of the same shapes, in these frozen weights."""
    models = (artifacts.inference, artifacts.evaluation, artifacts.training)
    inference, evaluation, training = (proto and exchanged(proto, frozen) for proto in models)
    assert inference is not None
    kept = {**artifacts.frozen, **frozen}
    return replace(artifacts, inference=inference, evaluation=evaluation, training=training, frozen=kept)


def exchanged(proto: onnx.ModelProto, arrays: Mapping[str, np.ndarray]) -> onnx.ModelProto:
    """Return a copy of the model with other data in the initializers of these names."""
    result = onnx.ModelProto()
    result.CopyFrom(proto)
    for tensor in result.graph.initializer:
        if tensor.name in arrays:
            tensor.CopyFrom(onnx.numpy_helper.from_array(np.asarray(arrays[tensor.name], order="C"), tensor.name))
    return result


def parameter_shapes(training: onnx.ModelProto) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the trained parameters of a training model."""
    shapes = {t.name: tuple(t.dims) for t in training.graph.initializer}
    return {name: shapes[name] for name in parameter_names(training)}


def check_parameters(training: onnx.ModelProto, given: Mapping[str, tuple[int, ...]]) -> None:
    """Raise ModelError unless the names and shapes given are those of the training model."""
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
    proto: onnx.ModelProto, outputs: Sequence[str] | None = None, parameters: Mapping[str, np.ndarray] | None = None
) -> onnx.ModelProto:
    """Return the forward part of a training or eval model, without labels and dropout.

    outputs: values to end at; by default the outputs of the model that the artifacts were made
    from. parameters: newer data for initializers. Raises ModelError for a name that the model
    lacks, and for a training model that normalizes with statistics of the batch: its eval model has
    the forward part.
    """
    if statistic_names(proto):
        raise ModelError("this training model normalizes with statistics of the batch", "pass the eval model too")
    model = ir.from_proto(proto)
    graph = model.graph
    cut(graph, list(outputs if outputs is not None else json.loads(model.metadata_props["gradmote.outputs"])))
    labels = json.loads(model.metadata_props["gradmote.labels"])
    unused = [v for v in graph.inputs if v.is_initializer() or (v.name in labels and not v.uses())]
    graph.inputs[:] = [v for v in graph.inputs if v not in unused]
    for name, array in (parameters or {}).items():
        if name in graph.initializers:
            graph.initializers[name].const_value = ir.tensor(np.asarray(array, np.float32, order="C"), name=name)
    prune(graph)
    pipeline.for_inference(model, set(parameters or {}))
    return to_proto(without_metadata(model))


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
    """Remove Gradmote's metadata, and its functions that no node calls, and return the model."""
    used = {(n.domain, n.op_type) for n in model.graph}
    for identifier in [i for i in model.functions if (i[0], i[1]) not in used]:
        del model.functions[identifier]
    if all(domain != DOMAIN for domain, _ in used):
        model.graph.opset_imports.pop(DOMAIN, None)
    for properties in (model.metadata_props, model.graph.metadata_props, *(n.metadata_props for n in model.graph)):
        for key in [k for k in properties if k.startswith("gradmote.")]:
            del properties[key]
    return model
