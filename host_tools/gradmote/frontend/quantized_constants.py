"""Separate copies of quantized constants that exporters merged because their integers are equal.

A bias of zeros may serve several layers, with another scale in each, and also be their zero point.
The real numbers differ, so each layer gets a constant of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

import onnx

from .free_batch import new_name

#: onnxruntime's domain for these two, used for types that ONNX's lack or if requested.
_MICROSOFT = "com.microsoft"
_QUANTIZERS = ("QuantizeLinear", "DequantizeLinear")

_INTEGERS = (onnx.TensorProto.INT8, onnx.TensorProto.UINT8, onnx.TensorProto.INT32)
_ZERO_POINT = 2
#: The identity of a quantization: the names of scale and zero point, and the axis.
Quantization = tuple[str, str, int]


def name_standard(proto: onnx.ModelProto) -> None:
    """Replace onnxruntime's QuantizeLinear and DequantizeLinear with ONNX's own, which mean the same."""
    for node in proto.graph.node:
        if node.domain == _MICROSOFT and node.op_type in _QUANTIZERS:
            node.domain = ""
    if all(node.domain != _MICROSOFT for node in proto.graph.node):
        others = [opset for opset in proto.opset_import if opset.domain != _MICROSOFT]
        del proto.opset_import[:]
        proto.opset_import.extend(others)


def separate_quantized(graph: onnx.GraphProto) -> None:
    """Give each quantization of an integer initializer, and its use as a zero point, a constant of its own.

    The first quantization keeps the name.
    """
    tensors = {t.name: t for t in graph.initializer if t.data_type in _INTEGERS}
    for name, tensor in tensors.items():
        groups: dict[Quantization, list[onnx.NodeProto]] = {}
        for node in dequantizers(graph, name):
            groups.setdefault(quantization(node), []).append(node)
        for number, nodes in enumerate(list(groups.values())[1:], 2):
            own = copied(graph, tensor, f"{name}.layer_{number}")
            for node in nodes:
                node.input[0] = own
        if groups:
            separate_zero_point(graph, tensor)


def dequantizers(graph: onnx.GraphProto, name: str) -> Iterator[onnx.NodeProto]:
    """Yield the DequantizeLinears that read a value as data."""
    for node in graph.node:
        if node.op_type == "DequantizeLinear" and node.input[0] == name:
            yield node


def quantization(node: onnx.NodeProto) -> Quantization:
    """Return the identity of a node's quantization."""
    axis = next((a.i for a in node.attribute if a.name == "axis"), 1)
    return node.input[1], node.input[_ZERO_POINT] if len(node.input) > _ZERO_POINT else "", axis


def separate_zero_point(graph: onnx.GraphProto, tensor: onnx.TensorProto) -> None:
    """Give a tensor that is both data and zero point a copy for the latter."""
    users = [n for n in graph.node if n.op_type in _QUANTIZERS]
    users = [n for n in users if len(n.input) > _ZERO_POINT and n.input[_ZERO_POINT] == tensor.name]
    if users:
        own = copied(graph, tensor, f"{tensor.name}.zero_point")
        for node in users:
            node.input[_ZERO_POINT] = own


def copied(graph: onnx.GraphProto, tensor: onnx.TensorProto, stem: str) -> str:
    """Add a copy of a tensor to the initializers, and return its name."""
    copy = graph.initializer.add()
    copy.CopyFrom(tensor)
    copy.name = new_name(graph, stem)
    return copy.name
