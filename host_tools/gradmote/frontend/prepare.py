"""Rewrites before the first shape inference, of nodes that onnx cannot infer shapes through."""

from __future__ import annotations

import onnx
import onnx.version_converter
import onnx_ir as ir
from onnx import numpy_helper

from ..errors import ModelError
from ..ir.graph import unique_name
from .branch_weights import graphs_of, is_tensor, separate

#: The first opset in which a PRelu's slopes broadcast.
_OPSET_OF_BROADCAST_SLOPES = 7
#: The first opset in which a Resize says how it transforms coordinates.
_OPSET_OF_HALF_PIXELS = 11
#: Operators that flatten their input at an axis before opset 13, by default at axis 1.
_FLATTENED = ("Softmax", "LogSoftmax", "Hardmax")
#: The first opset in which ScatterElements can add several updates of one element.
_OPSET_OF_SUMS = 16
#: Operators whose default changed in that opset.
_CHANGED = ("RoiAlign",)
#: The first IR version in which initializers need not be inputs.
_IR_WITH_WEIGHTS_ALONE = 4


def raise_opset(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with opset 16 or newer if possible.

    onnx's own converter raises an older model to 13. Raises ModelError if it cannot.
    """
    version = next((o.version for o in proto.opset_import if not o.domain), 13)
    if version < 13:
        try:
            if version < _OPSET_OF_BROADCAST_SLOPES:
                spread_slopes(proto)
            check_flattened(proto)
            proto = onnx.version_converter.convert_version(proto, 13)
            if version < _OPSET_OF_HALF_PIXELS:
                keep_corners(proto)
        except ModelError:
            raise
        except Exception as error:  # ConvertError, and whatever else the converter raises
            raise ModelError(
                f"opset {version} cannot be converted to 13: {str(error).strip()}", "export it with opset 13 or newer"
            ) from error
    return raise_opset_13(proto)


def spread_slopes(proto: onnx.ModelProto) -> None:
    """Reshape a PRelu's slopes from (C) to (C, 1, 1).

    Before opset 7 they were one per channel; since then they broadcast. onnx's converter omits this
    step.
    """
    graph = onnx.shape_inference.infer_shapes(proto).graph
    shapes = {v.name: v.type.tensor_type.shape.dim for v in (*graph.input, *graph.value_info)}
    shapes |= {t.name: t.dims for t in graph.initializer}
    for index, node in reversed(list(enumerate(proto.graph.node))):
        rank = len(shapes.get(node.input[0], ())) if node.op_type == "PRelu" else 0
        if rank > 2 and len(shapes.get(node.input[1], ())) == 1:
            spread = f"{node.output[0]}.slopes"
            made = onnx.helper.make_node("Unsqueeze", [node.input[1]], [spread], axes=list(range(1, rank - 1)))
            node.input[1] = spread
            proto.graph.node.insert(index, made)


def check_flattened(proto: onnx.ModelProto) -> None:
    """Raise ModelError for a Softmax of a vector along axis 1, which onnx's converter makes a row of ones.

    That axis is the default before opset 13.
    """
    ranks = ranks_of(proto)
    for node in proto.graph.node:
        axis = next((a.i for a in node.attribute if a.name == "axis"), 1)
        rank = ranks.get(node.input[0]) if node.op_type in _FLATTENED else None
        if rank is not None and axis >= rank:
            raise ModelError(
                f"axis {axis} does not exist in '{node.input[0]}' of rank {rank}",
                f"before opset 13, {node.op_type} has axis 1 by default: export with opset 13 or set its axis",
                node.name or f"{node.op_type} -> {node.output[0]}",
            )


def ranks_of(proto: onnx.ModelProto) -> dict[str, int]:
    """Return the ranks of the values whose shapes onnx infers."""
    graph = onnx.shape_inference.infer_shapes(proto).graph
    found = [v for v in (*graph.input, *graph.value_info, *graph.output) if v.type.tensor_type.HasField("shape")]
    return {value.name: len(value.type.tensor_type.shape.dim) for value in found}


def keep_corners(proto: onnx.ModelProto) -> None:
    """Give each Resize of a model older than opset 11 the coordinates that it had.

    Output i is at i / scale, as onnxruntime computes it; the nearest element is below, or above if the size shrinks.
    onnx's converter leaves the newer default, half pixels. Raises ModelError if some axes shrink and others grow.
    """
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in proto.graph.initializer}
    constants |= {n.output[0]: numpy_helper.to_array(n.attribute[0].t) for n in proto.graph.node if is_tensor(n)}
    for node in [n for n in proto.graph.node if n.op_type == "Resize"]:
        known = constants.get(node.input[2])
        scales = [] if known is None else known.tolist()
        shrinks = any(scale < 1 for scale in scales)
        if shrinks and any(scale > 1 for scale in scales):
            raise ModelError(
                "a Resize that shrinks some axes and widens others has no equal in newer opsets",
                "export with opset 11 or newer",
                node.name or f"Resize -> {node.output[0]}",
            )
        node.attribute.append(onnx.helper.make_attribute("coordinate_transformation_mode", "asymmetric"))
        node.attribute.append(onnx.helper.make_attribute("nearest_mode", "ceil" if shrinks else "floor"))


def raise_opset_13(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Return a model of opset 13 to 15 with opset 16 if it is valid there and means the same.

    Only from opset 14 on, onnx infers the shape of a Reshape to computed sizes. Only from 16 on,
    ScatterElements adds, as the gradient of MaxPool does. An operator whose meaning changed in 14 (a
    BatchNormalization that trains) is not valid there in its old form, so its model keeps its opset,
    and so does one with an operator whose default changed.
    """
    version = next((o.version for o in proto.opset_import if not o.domain), 13)
    if version >= _OPSET_OF_SUMS or any(node.op_type in _CHANGED for node in proto.graph.node):
        return proto
    raised = onnx.ModelProto()
    raised.CopyFrom(proto)
    for opset in raised.opset_import:
        opset.version = opset.version if opset.domain else _OPSET_OF_SUMS
    try:
        onnx.checker.check_model(raised)
    except onnx.checker.ValidationError:
        return proto
    return raised


def forget_default_inputs(proto: onnx.ModelProto) -> None:
    """Remove weights from the inputs, because no caller feeds them.

    IR version 3 required that they be inputs too.
    """
    weights = {tensor.name for tensor in proto.graph.initializer}
    inputs = [value for value in proto.graph.input if value.name not in weights]
    del proto.graph.input[:]
    proto.graph.input.extend(inputs)
    proto.ir_version = max(proto.ir_version, _IR_WITH_WEIGHTS_ALONE)


def forget_negative_dims(proto: onnx.ModelProto) -> None:
    """Clear dimensions of -1, which PaddlePaddle's exporter writes for open dimensions."""
    for value in (*proto.graph.input, *proto.graph.output, *proto.graph.value_info):
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_value < 0:
                dim.Clear()


def name_weights(graph: onnx.GraphProto) -> None:
    """Turn the tensors of Constant nodes into initializers if a model has no initializers.

    They take the names of the nodes' outputs. PaddlePaddle's exporter writes all weights in this way,
    and PyTorch's those of branches.
    """
    separate(graph)
    graphs = [inner for _, inner in graphs_of(graph)]
    if any(inner.initializer for inner in graphs):
        return
    for inner in graphs:
        for node in [n for n in inner.node if is_tensor(n)]:
            tensor = inner.initializer.add()
            tensor.CopyFrom(node.attribute[0].t)
            tensor.name = node.output[0]
            inner.node.remove(node)


def name_split_outputs(graph: ir.Graph) -> None:
    """Name the unused outputs of a Split, because shape inference skips anonymous values."""
    for node in graph:
        if node.op_type == "Split" and not node.domain:
            for index, output in enumerate(node.outputs):
                output.name = output.name or unique_name(graph, f"split.part_{index}")
