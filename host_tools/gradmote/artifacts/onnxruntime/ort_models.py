"""Facts from the models of onnxruntime-training, and the preparation of these models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from ...errors import CheckpointError, ModelError
from ...frontend.read import Source, read
from ...ir.metadata import LOSS
from ...rewrite.batch_norm import FROZEN

_BUFFER = "_grad.accumulation.buffer"
_BATCH_STATISTICS = ("BatchNormInternal", "BatchNormalizationGrad")
_DROPS = ("DropoutGrad", "BitmaskDropoutGrad")
_ONE_CALL = "use files of one generate_artifacts call"


def is_ort_training_model(model: onnx.ModelProto) -> bool:
    """Return whether generate_artifacts of onnxruntime wrote the training model, and not that of Gradmote."""
    is_own = any(note.key == LOSS.key for note in model.metadata_props)
    return not is_own and any(value.name.endswith(_BUFFER) for value in model.graph.input)


def is_ort_optimizer_model(model: onnx.ModelProto) -> bool:
    """Return whether generate_artifacts of onnxruntime, or a block of onnxblock.optim, wrote the optimizer model."""
    return any(node.domain == "com.microsoft" for node in model.graph.node)


def read_ort(source: Source, name: str) -> onnx.ModelProto:
    """Return a model as it is in the file.

    Raises ModelError, which names the file, if it is not an ONNX model.
    """
    if isinstance(source, (str, Path)) and Path(source).suffix == ".ort":
        raise ModelError(f"{source} is in ORT format", f"pass {name}, which generate_artifacts writes beside it")
    return read(source)


def trained_names(training: onnx.ModelProto) -> list[str]:
    """Return the parameters that have a gradient, in the order of the model's inputs."""
    return [v.name.removesuffix(_BUFFER) for v in training.graph.input if v.name.endswith(_BUFFER)]


def shapes_of(model: onnx.ModelProto) -> dict[str, list[int]]:
    """Return the shapes of the inputs by name."""
    return {v.name: [d.dim_value for d in v.type.tensor_type.shape.dim] for v in model.graph.input}


def batch_norm_of(training: onnx.ModelProto) -> str | None:
    """Return the mode of BatchNormalization: statistics of the batch, frozen ones, or None without any."""
    kinds = {node.op_type for node in training.graph.node}
    if kinds.intersection(_BATCH_STATISTICS):
        return "batch"
    return FROZEN if "BatchNormalization" in kinds else None


def drops(training: onnx.ModelProto) -> bool:
    """Return whether the training model drops activations."""
    return any(node.op_type in _DROPS for node in training.graph.node)


def with_weights(evaluation: onnx.ModelProto, weights: Mapping[str, np.ndarray]) -> onnx.ModelProto:
    """Return the eval model with the parameters of a checkpoint as initializers instead of inputs.

    Raises CheckpointError for a parameter that the model lacks, or that has another shape there.
    """
    model = onnx.ModelProto()
    model.CopyFrom(evaluation)
    inputs = shapes_of(model)
    for name, array in weights.items():
        if name not in inputs:
            raise CheckpointError(f"the checkpoint has a parameter '{name}', the eval model does not", _ONE_CALL)
        if list(array.shape) != inputs[name]:
            raise CheckpointError(
                f"'{name}' has shape {list(array.shape)} in the checkpoint, and {inputs[name]} in the model", _ONE_CALL
            )
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    kept = [value for value in model.graph.input if value.name not in weights]
    del model.graph.input[:]
    model.graph.input.extend(kept)
    return model


def tidy(model: onnx.ModelProto, keeps_dropout: bool) -> onnx.ModelProto:
    """Return the eval model in valid ONNX.

    onnxruntime leaves a BatchNormalization in training mode its three outputs when it turns that mode
    off. keeps_dropout: False removes Dropouts, because training does not drop.
    """
    own_statistics(model.graph)
    for node in model.graph.node:
        if node.op_type == "BatchNormalization" and not node.domain and not in_training_mode(node):
            del node.output[1:]
        if node.op_type == "Dropout" and not node.domain and not keeps_dropout:
            del node.input[1:], node.output[1:], node.attribute[:]
            node.op_type = "Identity"
    return model


def own_statistics(graph: onnx.GraphProto) -> None:
    """Give each BatchNormalization running statistics of its own.

    PyTorch's exporter merges equal tensors, so a new network's running variance may be its scale, which
    trains.
    """
    arrays = {tensor.name: tensor for tensor in graph.initializer}
    sources = {node.output[0]: node.input[0] for node in graph.node if node.op_type == "Identity"}
    for index, node in enumerate(graph.node):
        for slot in (3, 4) if node.op_type == "BatchNormalization" and not node.domain else ():
            source = node.input[slot]
            while source in sources:
                source = sources[source]
            if source in arrays and source != node.input[slot]:
                copy = graph.initializer.add()
                copy.CopyFrom(arrays[source])
                copy.name = node.input[slot] = f"{node.input[slot]}.own_{index}"


def in_training_mode(node: onnx.NodeProto) -> bool:
    """Return whether a BatchNormalization computes with statistics of the batch."""
    return any(a.name == "training_mode" and a.i for a in node.attribute)
