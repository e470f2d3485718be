"""Models whose exporter fixed the batch at 1, rewritten for any batch.

The first dimension of every input and output becomes symbolic. Constants that an exporter computed
for one sample are rewritten for any number: the sizes of a Reshape or a Resize, the constants that a
Concat joins to each sample, and the initial state of a recurrent layer. This module does not decide
whether the model then computes the same with many samples as with each alone:
gradmote.frontend.batch tries it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

#: The name of the symbolic dimension.
BATCH = "batch"
#: A batch that no other dimension is a multiple of, so that inner shapes show where the batch is.
PROBE = 1_000_003

#: The operators of recurrent layers.
RECURRENT = ("LSTM", "GRU", "RNN")


def first_dims(proto: onnx.ModelProto) -> dict[str, int]:
    """Return the first dimension of each input that has a fixed one, by the input's name."""
    found = {}
    for value in data_inputs(proto.graph):
        dims = value.type.tensor_type.shape.dim
        if len(dims) > 0 and dims[0].dim_value > 0:
            found[value.name] = dims[0].dim_value
    return found


def data_inputs(graph: onnx.GraphProto) -> Iterator[onnx.ValueInfoProto]:
    """Yield the inputs that are not weights."""
    weights = {tensor.name for tensor in graph.initializer}
    yield from (value for value in graph.input if value.name not in weights)


def free_batch(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Return a copy of the model with a symbolic batch, rewritten as described at the top."""
    free = onnx.ModelProto()
    free.CopyFrom(proto)
    set_first_dims(free.graph, onnx.TensorShapeProto.Dimension(dim_param=BATCH))
    for output in free.graph.output:
        for dim in output.type.tensor_type.shape.dim:
            dim.Clear()
    del free.graph.value_info[:]
    for node in [node for node in free.graph.node if not node.domain]:
        if node.op_type == "Reshape":
            free_reshape(free, node)
        if node.op_type == "Concat":
            free_concat(free, node)
        if node.op_type == "Resize":
            free_resize(free, node)
        if node.op_type in RECURRENT:
            drop_zero_states(free.graph, node)
            spread_states(free, node)
    return free


def set_first_dims(graph: onnx.GraphProto, dim: onnx.TensorShapeProto.Dimension) -> None:
    """Set the first dimension of each input that has one."""
    set_dims(graph, {v.name: 0 for v in data_inputs(graph) if v.type.tensor_type.shape.dim}, dim)


def set_dims(graph: onnx.GraphProto, axes: Mapping[str, int], dim: onnx.TensorShapeProto.Dimension) -> None:
    """Set the dimension of each input at its axis. axes: by the input's name."""
    for value in data_inputs(graph):
        if value.name in axes:
            value.type.tensor_type.shape.dim[axes[value.name]].CopyFrom(dim)


def free_reshape(proto: onnx.ModelProto, node: onnx.NodeProto) -> None:
    """Write -1 for the batch into the sizes of a Reshape.

    [1, 4, 16] becomes [-1, 4, 16], and [7, 2, 8] becomes [7, -1, 8] if dimension 1 holds the batch.
    """
    sizes = array_of(proto.graph, node.input[1])
    if sizes is None or sizes.size == 0:
        return
    shape = shape_of(proto, node.input[0])
    axis = next((i for i, dim in enumerate(shape) if dim and dim % PROBE == 0), None)
    if axis is None:
        return
    alone = [dim // PROBE if dim % PROBE == 0 else dim for dim in shape]
    known = resolve(sizes.tolist(), alone, keeps_zeros=any(a.name == "allowzero" and a.i for a in node.attribute))
    target = batch_axis(known, math.prod(alone[axis:]), math.prod(alone[axis + 1 :]))
    if target is None or (sizes[target] == 0 and target == axis):
        return
    known[target] = -1
    node.input[1] = new_constant(proto.graph, np.array(known, np.int64), f"{node.output[0]}.sizes")


def resolve(sizes: list[int], shape: list[int], keeps_zeros: bool) -> list[int]:
    """Return the sizes of a Reshape of a value of this shape, with 0 and -1 replaced by numbers."""
    known = [shape[i] if size == 0 and not keeps_zeros and i < len(shape) else size for i, size in enumerate(sizes)]
    rest = math.prod(size for size in known if size != -1)
    return [math.prod(shape) // rest if size == -1 and rest else size for size in known]


def batch_axis(sizes: list[int], outermost: int, innermost: int) -> int | None:
    """Return the dimension that takes the batch: one of size 1, else one that also holds other axes.

    The stride of the batch is `outermost` elements if the batch is the outermost axis in its dimension,
    as in (batch heads, time, size), or `innermost` if it is the innermost, as in (time batch, size).
    Rows of a matrix are (... batch, size).
    """
    strides = [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]
    axes = range(len(sizes))
    whole = [i for inner in (outermost, innermost) for i in axes if sizes[i] == 1 and strides[i] == inner]
    rows = [0] if len(sizes) == 2 and strides[0] == outermost else []
    parts = [i for i in axes if strides[i] < outermost <= strides[i] * sizes[i] and outermost % strides[i] == 0]
    return next(iter([*whole, *rows, *parts]), None)


def shape_of(proto: onnx.ModelProto, name: str) -> list[int]:
    """Return the shape of a value for a batch of PROBE samples; [] if it cannot be inferred."""
    try:
        graph = onnx.shape_inference.infer_shapes(probe_of(proto), data_prop=True).graph
    except Exception:  # onnx has no common base for the errors of inference
        return []
    found = [v for v in (*graph.value_info, *graph.input) if v.name == name]
    return [dim.dim_value for dim in found[0].type.tensor_type.shape.dim] if found else []


def probe_of(proto: onnx.ModelProto, axes: Mapping[str, int] | None = None) -> onnx.ModelProto:
    """Return a copy with a batch of PROBE and with float32 initializers as inputs.

    Shape inference does not need their data. axes: those of the batch by input; the first of each by default.
    """
    copy, graph = onnx.ModelProto(), onnx.GraphProto()
    graph.name = "g"
    graph.node.extend(proto.graph.node)
    graph.input.extend(data_inputs(proto.graph))
    probe = onnx.TensorShapeProto.Dimension(dim_value=PROBE)
    set_first_dims(graph, probe) if axes is None else set_dims(graph, axes, probe)
    graph.output.extend(proto.graph.output)
    for tensor in proto.graph.initializer:
        if tensor.data_type != onnx.TensorProto.FLOAT:
            graph.initializer.append(tensor)
        else:
            graph.input.append(onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims))
    copy.ir_version = proto.ir_version
    copy.opset_import.extend(proto.opset_import)
    copy.functions.extend(proto.functions)
    copy.graph.CopyFrom(graph)
    return copy


def free_concat(proto: onnx.ModelProto, node: onnx.NodeProto) -> None:
    """Repeat, for each sample, a Concat operand that does not depend on the samples, such as a token."""
    shapes = [shape_of(proto, name) for name in node.input]
    found = next(((name, at) for name, s in zip(node.input, shapes) if (at := batch_of(s)) is not None), None)
    if found is None:
        return
    (like, at), still = found, static_values(proto.graph)
    axis = next(a.i for a in node.attribute if a.name == "axis") % len(shapes[0])
    for index, (name, shape) in enumerate(zip(list(node.input), shapes, strict=True)):
        if name in still and at != axis and len(shape) > at and shape[at] == 1:
            node.input[index] = repeated(proto.graph, node, name, like, at, len(shape))


def spread_states(proto: onnx.ModelProto, node: onnx.NodeProto) -> None:
    """Repeat, for each sample, the initial states of a recurrent layer that do not depend on the samples."""
    by_batch = any(a.name == "layout" and a.i for a in node.attribute)
    shape, still = shape_of(proto, node.input[0]), static_values(proto.graph)
    if batch_of(shape) != (0 if by_batch else 1):
        return
    for index in (5, 6):
        if len(node.input) > index and node.input[index] in still:
            at = 0 if by_batch else 1
            node.input[index] = repeated(proto.graph, node, node.input[index], node.input[0], at, 3)


def free_resize(proto: onnx.ModelProto, node: onnx.NodeProto) -> None:
    """Use the batch as the first size of a Resize of samples."""
    sizes = array_of(proto.graph, node.input[3]) if len(node.input) > 3 else None
    if sizes is None or sizes.size < 1 or sizes[0] != 1 or batch_of(shape_of(proto, node.input[0])) != 0:
        return
    rest = new_constant(proto.graph, sizes[1:], f"{node.output[0]}.sizes")
    batch = size_of(proto.graph, node, node.input[0], 0)
    node.input[3] = insert(proto.graph, node, "Concat", [batch, rest], f"{node.output[0]}.all_sizes", axis=0)


def batch_of(shape: list[int]) -> int | None:
    """Return the axis of a shape that holds only the batch, if the batch is PROBE."""
    return next((axis for axis, dim in enumerate(shape) if dim == PROBE), None)


def static_values(graph: onnx.GraphProto) -> set[str]:
    """Return the values that depend on no input."""
    known = {tensor.name for tensor in graph.initializer}
    for node in graph.node:
        if known.issuperset(name for name in node.input if name):
            known.update(node.output)
    return known


def repeated(graph: onnx.GraphProto, before: onnx.NodeProto, name: str, like: str, at: int, rank: int) -> str:
    """Return a value repeated along axis `at` as often as `like` has samples there."""
    batch, one = size_of(graph, before, like, at), new_constant(graph, np.ones(1, np.int64), f"{name}.one")
    sizes = insert(graph, before, "Concat", [batch if i == at else one for i in range(rank)], f"{name}.sizes", axis=0)
    return insert(graph, before, "Expand", [name, sizes], f"{name}.repeated")


def size_of(graph: onnx.GraphProto, before: onnx.NodeProto, name: str, axis: int) -> str:
    """Return the size of a value's axis, computed as int64 of shape (1)."""
    shape = insert(graph, before, "Shape", [name], f"{name}.shape")
    at = new_constant(graph, np.array([axis], np.int64), f"{name}.axis")
    return insert(graph, before, "Gather", [shape, at], f"{name}.size", axis=0)


def insert(
    graph: onnx.GraphProto, before: onnx.NodeProto, op: str, inputs: list[str], name: str, **attributes: Any
) -> str:
    """Insert a node in front of another one, and return the name of its output."""
    output = new_name(graph, name)
    made = onnx.helper.make_node(op, inputs, [output], name=output, **attributes)
    position = next(i for i, node in enumerate(graph.node) if node.output[0] == before.output[0])
    graph.node.insert(position, made)
    return output


def drop_zero_states(graph: onnx.GraphProto, node: onnx.NodeProto) -> None:
    """Remove the initial states of a recurrent layer if they are zero.

    Without such an input, the operator takes zeros for any batch.
    """
    for index in (5, 6):
        if len(node.input) > index and node.input[index]:
            state = array_of(graph, node.input[index])
            if state is not None and not state.any():
                node.input[index] = ""


def array_of(graph: onnx.GraphProto, name: str) -> np.ndarray | None:
    """Return the data of an initializer or of a Constant node; None if the value is computed."""
    for tensor in graph.initializer:
        if tensor.name == name:
            return numpy_helper.to_array(tensor)
    for node in graph.node:
        if name in node.output and node.op_type == "Constant" and node.attribute[0].name == "value":
            return numpy_helper.to_array(node.attribute[0].t)
    return None


def new_constant(graph: onnx.GraphProto, data: np.ndarray, name: str) -> str:
    """Add an initializer and return its name."""
    name = new_name(graph, name)
    graph.initializer.append(numpy_helper.from_array(data, name))
    return name


def new_name(graph: onnx.GraphProto, name: str) -> str:
    """Return `name`, followed by as many underscores as make it unique in the graph."""
    values = (*graph.input, *graph.initializer)
    taken = {value.name for value in values} | {output for node in graph.node for output in node.output}
    while name in taken:
        name += "_"
    return name
