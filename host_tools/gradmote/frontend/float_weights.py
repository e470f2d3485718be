"""Quantized weights of a QDQ model made float32, together with the layer that they belong to.

    QuantizeLinear, DequantizeLinear after   Gemm(x, DequantizeLinear(w_q), DequantizeLinear(b_q))
    becomes                                  Gemm(x, w, b)

The float layer's result is not rounded: its QuantizeLinear is removed, with the DequantizeLinear.
The layer's input stays quantized.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from onnx import numpy_helper

from ..ir.affine import VIEWS
from .branch_weights import tensors_of


def make_float(graph: onnx.GraphProto, real: Mapping[str, np.ndarray]) -> None:
    """Give quantized initializers these float32 numbers; remove their quantizers and those of their layers' results."""
    for name, array in real.items():
        tensor = next(t.data for t in tensors_of(graph) if t.name == name)
        if tensor.data_type == onnx.TensorProto.FLOAT:
            remove_quantizer(graph, name)
        for node in dequantizers_behind(graph, name):
            keep_real(graph, node.output[0])
            remove(graph, node)
        tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(array, np.float32), tensor.name))


def remove(graph: onnx.GraphProto, node: onnx.NodeProto) -> None:
    """Remove a node; its readers read its first input instead."""
    graph.node.remove(node)
    redirect(graph, node.output[0], node.input[0])


def redirect(graph: onnx.GraphProto, old: str, new: str) -> None:
    """Make all readers of one value read another one."""
    for node in graph.node:
        node.input[:] = [new if value == old else value for value in node.input]


def readers(graph: onnx.GraphProto, name: str) -> list[onnx.NodeProto]:
    """Return the nodes that read a value."""
    return [node for node in graph.node if name in node.input]


def remove_quantizer(graph: onnx.GraphProto, name: str) -> None:
    """Remove the QuantizeLinear that reads a value, and a Clip after it."""
    quantizer = next(n for n in graph.node if n.op_type == "QuantizeLinear" and n.input[0] == name)
    clip = next((n for n in graph.node if n.op_type == "Clip" and n.input[0] == quantizer.output[0]), None)
    for node in (quantizer, clip):
        if node is not None:
            remove(graph, node)


def dequantizers_behind(graph: onnx.GraphProto, name: str) -> list[onnx.NodeProto]:
    """Return the DequantizeLinears that read a value, perhaps through views."""
    found = []
    for node in graph.node:
        if node.input and node.input[0] == name:
            if node.op_type == "DequantizeLinear":
                found.append(node)
            elif node.op_type in VIEWS:
                found += dequantizers_behind(graph, node.output[0])
    return found


def keep_real(graph: onnx.GraphProto, value: str) -> None:
    """Remove the QuantizeLinear that ends the float operators after a value, and its DequantizeLinears.

    They stay if something else reads that result as well, or the integers are an output.
    """
    outputs = {output.name for output in graph.output}
    while value not in outputs and len(users := readers(graph, value)) == 1:
        if users[0].op_type == "QuantizeLinear":
            behind = readers(graph, users[0].output[0])
            if behind and users[0].output[0] not in outputs and all(n.op_type == "DequantizeLinear" for n in behind):
                for node in behind:
                    rename_output(graph, node, value)
                graph.node.remove(users[0])
            return
        value = users[0].output[0]


def rename_output(graph: onnx.GraphProto, node: onnx.NodeProto, value: str) -> None:
    """Remove a DequantizeLinear; if its output is a graph output, an Identity takes its name."""
    at = list(graph.node).index(node)
    graph.node.remove(node)
    if any(output.name == node.output[0] for output in graph.output):
        graph.node.insert(at, onnx.helper.make_node("Identity", [value], node.output[:1], node.name))
    else:
        redirect(graph, node.output[0], value)
