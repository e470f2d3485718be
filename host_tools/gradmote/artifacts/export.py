"""The export of trained parameters into the user's own ONNX model."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import onnx

from ..errors import CheckpointError
from ..formats import checkpoint as checkpoint_format
from ..formats.checkpoint import Checkpoint
from ..formats.files import Output
from ..frontend import Source, fold_batch_norm, quantized_constants, read_model, read_untied
from ..frontend.branch_weights import tensors_of
from ..frontend.float_weights import make_float
from ..frontend.linear import expand_linear, linear_nodes
from ..frontend.load import ties_of
from ..frontend.prepare import name_weights
from ..frontend.quantized_constants import separate_quantized
from ..frontend.ties import Tie, Ties
from ..frontend.untie import UNTIED
from ..ir.program import GAINS
from ..ir.write import proto_bytes, to_proto
from ..rewrite.batch_norm.claim import SUFFIXES
from ..rewrite.batch_norm.fold import FOLDED
from .quantized_weights import without_fraction, write_weight

#: The names that split_channels.py gives to the trained rows of a weight.
CHANNELS = re.compile(r"(?P<weight>.+)\[(?P<axes>(?::,)*)(?P<start>\d+):(?P<end>\d+)\]")


def export_inference(
    model: Source,
    checkpoint: str | os.PathLike[str] | bytes | Checkpoint,
    path: str | os.PathLike[str],
    *,
    tie: Sequence[tuple[str, str]] = (),
) -> None:
    """Write trained_model(model, checkpoint, tie) as an ONNX file, atomically."""
    output = Output(path)
    output.write(proto_bytes(trained_model(model, checkpoint, tie=tie)))


def trained_model(
    model: Source, checkpoint: str | os.PathLike[str] | bytes | Checkpoint, *, tie: Sequence[tuple[str, str]] = ()
) -> onnx.ModelProto:
    """Return `model` with the checkpoint's trained weights and running statistics.

    Nothing else in it changes, with these exceptions: a model that was compiled with batch_norm "fold"
    loses its BatchNormalizations, one compiled with `untie` gets a weight for each node, and a quantized
    weight that was float32 in front of a QuantizeLinear becomes integers. One compiled with `float_head`
    has a last layer of float32.

    model: the inference model that was compiled. checkpoint: a .gmck file, its bytes, or a Checkpoint.
    tie: the pairs that it was compiled with. Copies that an exporter made of a trained weight get its
    numbers, too. Raises ModelError if the model is not valid ONNX, CheckpointError if the checkpoint
    holds no data, or names or shapes that do not match the model's weights.
    """
    trained = read_checkpoint(checkpoint)
    if trained.nominal:
        raise CheckpointError("the checkpoint is nominal: it holds no numbers", "pass one saved after training")
    # The gains of int16 gradients are state of the image, not a statistic of the model.
    statistics = [name for name in trained.statistics if name != GAINS]
    proto = as_compiled(model, [*trained.parameters, *statistics])
    for name in statistics:
        give_own_statistic(proto.graph, name, trained.tensors[name])
    quantized = [n for n in trained.parameters if trained.tensors[n].dtype != np.float32]
    prepare_quantized(proto, [n for n in trained.parameters if n not in quantized])
    write_quantized(proto, {n: trained.tensors[n] for n in quantized})
    tensors, linears = weights(proto.graph), linear_nodes(proto.graph)
    for linear in linears:
        own = {name: linear.weights[attribute] for attribute, name in linear.names().items()}
        tensors |= {name: onnx.numpy_helper.from_array(data, name) for name, data in own.items()}
    copies = copies_of_weights(proto, trained.parameters, tie)
    for name in (*trained.parameters, *statistics):
        if name not in quantized:
            replace(tensors, name, trained.tensors[name])
    for copy in copies:
        replace(tensors, copy.copy, copy.of(onnx.numpy_helper.to_array(tensors[copy.weight])))
    for linear in linears:
        for attribute, name in linear.names().items():
            linear.write(attribute, onnx.numpy_helper.to_array(tensors[name]))
    return proto


def copies_of_weights(proto: onnx.ModelProto, trained: Collection[str], tie: Sequence[tuple[str, str]]) -> list[Tie]:
    """Return the model's copies of weights that were not weights of their own in training."""
    names = {part_of(name)[0] for name in trained} | set(trained)
    read = onnx.ModelProto()
    read.CopyFrom(proto)
    expand_linear(read)
    found, _ = ties_of(read, tie)
    return [copy for copy in found if copy.weight in names and copy.copy not in names]


def as_compiled(model: Source, names: Sequence[str]) -> onnx.ModelProto:
    """Return the model with the changes that compiling made to its weights.

    The names of the trained weights show which changes these are.
    """
    proto = read_model(model)
    known = {*weights(proto.graph), *(name for each in linear_nodes(proto.graph) for name in each.names().values())}
    untied = any(UNTIED in name and part_of(name)[0] not in known for name in names)
    if any(part_of(name)[0].endswith(FOLDED) for name in names):
        return to_proto(fold_batch_norm(model, Ties(untied)))
    return read_untied(model) if untied else proto


def prepare_quantized(proto: onnx.ModelProto, floats: Sequence[str]) -> None:
    """Apply the changes of compiling to quantized weights; those that were trained as `floats` become float32."""
    if not any(node.op_type == "DequantizeLinear" for node in proto.graph.node):
        return
    name_weights(proto.graph)
    separate_quantized(proto.graph)
    known = quantized_constants(proto)
    names = dict.fromkeys(name if name in known else part_of(name)[0] for name in floats)
    real = {name: known[name].real for name in names if name in known}
    make_float(proto.graph, {name: array for name, array in real.items() if array is not None})


def write_quantized(proto: onnx.ModelProto, trained: Mapping[str, np.ndarray]) -> None:
    """Overwrite quantized weights of the model, in the model's own form."""
    if not trained:
        return
    known = quantized_constants(proto)
    for weight, parts in by_weight(trained, known).items():
        after = known[weight].canonical.copy()
        for name, part in parts.items():
            integers = without_fraction(trained[name])
            if integers.dtype != after.dtype or len(part) > after.ndim or after[part].shape != integers.shape:
                raise unlike(name, f"{after.dtype} {list(after.shape)}", trained[name])
            after[part] = integers
        write_weight(proto.graph, weight, known[weight], after)


def by_weight(names: Iterable[str], known: Collection[str]) -> dict[str, dict[str, tuple[slice, ...]]]:
    """Return the trained tensors of each weight, with the part of the weight that each covers."""
    found: dict[str, dict[str, tuple[slice, ...]]] = {}
    for name in names:
        weight, part = (name, ()) if name in known else part_of(name)
        if weight not in known:
            raise missing(name)
        found.setdefault(weight, {})[name] = part
    return found


def read_checkpoint(source: str | os.PathLike[str] | bytes | Checkpoint) -> Checkpoint:
    """Return a checkpoint from a path, bytes, or itself."""
    if isinstance(source, Checkpoint):
        return source
    return checkpoint_format.unpack(source) if isinstance(source, bytes) else checkpoint_format.load(source)


def give_own_statistic(graph: onnx.GraphProto, name: str, data: np.ndarray) -> None:
    """Give a BatchNormalization a running statistic of its own, if it was compiled as a copy.

    This happens if the model's exporter had merged it with another tensor.
    """
    for node in graph.node:
        for index, suffix in SUFFIXES.items():
            if node.op_type == "BatchNormalization" and name == node.output[0] + suffix:
                graph.initializer.append(onnx.numpy_helper.from_array(data, name))
                node.input[index] = name


def weights(graph: onnx.GraphProto) -> dict[str, onnx.TensorProto]:
    """Return initializers, and the tensors of Constant nodes under the names of their outputs.

    Tensors in branches are included.
    """
    return {tensor.name: tensor.data for tensor in tensors_of(graph)}


def part_of(name: str) -> tuple[str, tuple[slice, ...]]:
    """Return the (weight, part) that a trained tensor's name denotes.

    A scheme that trains some channels names them `w[0:16]` or `w[:,0:16]`; any other name denotes a
    whole weight.
    """
    found = CHANNELS.fullmatch(name)
    if found is None:
        return name, ()
    start, end = int(found["start"]), int(found["end"])
    return found["weight"], (*[slice(None)] * (len(found["axes"]) // 2), slice(start, end))


def replace(tensors: dict[str, onnx.TensorProto], name: str, data: np.ndarray) -> None:
    """Overwrite one tensor of the model in place, or a part of one.

    Raises CheckpointError if the model has no such weight, or one of another type or shape.
    """
    weight, part = (name, ()) if name in tensors else part_of(name)
    tensor = tensors.get(weight)
    if tensor is None:
        raise missing(name)
    whole = onnx.numpy_helper.to_array(tensor).copy()
    if tensor.data_type != onnx.TensorProto.FLOAT or len(part) > whole.ndim or whole[part].shape != data.shape:
        raise unlike(name, f"{onnx.TensorProto.DataType.Name(tensor.data_type)} {list(tensor.dims)}", data)
    whole[part] = data
    tensor.CopyFrom(onnx.numpy_helper.from_array(whole, tensor.name))


def missing(name: str) -> CheckpointError:
    """Return the error for a trained tensor that the model does not have."""
    return CheckpointError(
        f"the model has no weight called '{name}'",
        "pass the model that was compiled, and a checkpoint with names. A weight inside a function of the model "
        "has no place to go back to: inline functions (onnx.inliner.inline_local_functions) and compile that",
    )


def unlike(name: str, own: str, data: np.ndarray) -> CheckpointError:
    """Return the error for a trained tensor whose type or shape is not the model's own."""
    return CheckpointError(
        f"'{name}' is {own} in the model, {data.dtype} {list(data.shape)} in the checkpoint",
        "pass the model that was compiled",
    )
