"""The nodes of a quantized graph that still compute in float32 after the fusion, and why."""

from __future__ import annotations

import math

import onnx_ir as ir

from ...ir.affine import is_dequantizer, is_quantizer
from ...ir.graph import DOMAIN, constant_array, describe, static_shape
from ...ir.program import InFloat
from .fuse_lookup import ELEMENTWISE
from .matching import dequantized
from .sink_dequantizers import MOVING

#: Operators that have an int8 form if all their inputs and outputs are quantized.
WITH_FORM = {
    "Conv",
    "ConvTranspose",
    "Gemm",
    "MatMul",
    "Add",
    "Mul",
    "AveragePool",
    "ReduceMean",
    *MOVING,
    *ELEMENTWISE,
}
#: Operators whose weights and biases may be float32 constants.
WITH_BIAS = ("Conv", "ConvTranspose", "Gemm")


def in_float(graph: ir.Graph) -> list[InFloat]:
    """Return the nodes that compute in float32, of a graph in which something is quantized."""
    if not any(is_dequantizer(node) or node.op_type == "Quantize" for node in graph):
        return []
    return [as_float(node) for node in graph if computes_in_float(node)]


def computes_in_float(node: ir.Node) -> bool:
    """Return whether a node computes float32 numbers from data, not only from constants."""
    if is_dequantizer(node) or is_quantizer(node) or (node.domain == DOMAIN and node.op_type == "Quantize"):
        return False
    is_data = any(value is not None and constant_array(value) is None for value in node.inputs)
    return is_data and any(output.dtype == ir.DataType.FLOAT for output in node.outputs)


def as_float(node: ir.Node) -> InFloat:
    """Return the report on one node."""
    elements = sum(math.prod(static_shape(y, node)) for y in node.outputs if y.shape is not None)
    return InFloat(node.op_type, describe(node), reason_of(node), elements, 4 * elements)


def reason_of(node: ir.Node) -> str:
    """Return why a node has no int8 form."""
    if node.domain or node.op_type not in WITH_FORM:
        return "it has no form on int8"
    data = node.inputs[:2] if node.op_type in WITH_BIAS else node.inputs
    for value in data:
        if value is not None and value.dtype == ir.DataType.FLOAT and not is_quantized(value):
            return f"'{value.name}' is not quantized"
    readers = [use.node.op_type for y in node.outputs for use in y.uses()]
    if any(y.is_graph_output() for y in node.outputs) or set(readers) != {"Quantize"}:
        return "its result is not quantized"
    return "no kernel takes its quantization"


def is_quantized(value: ir.Value) -> bool:
    """Return whether a value is a dequantized int8 tensor, or a constant of one element."""
    array = constant_array(value)
    return dequantized(value) is not None or (array is not None and array.size == 1)
