"""The pattern Quantize(Concat(DequantizeLinear(a), DequantizeLinear(b), ...)), which becomes Concat of int8 values.

QLookup requantizes each operand whose quantization differs from the result's.
"""

from __future__ import annotations

import onnx_ir as ir

from ...ir.graph import DOMAIN, Builder, attribute, take_over
from ...ir.metadata import BACKWARD, LAYER
from .matching import Quantized, Result, activation, quantizer
from .table import is_identity, table_of


def fuse(graph: ir.Graph, node: ir.Node) -> bool:
    """Fuse one Concat if all operands are quantized; return whether they are."""
    result = quantizer(node.outputs[0]) if node.op_type == "Concat" and not node.domain else None
    found = [activation(value) for value in node.inputs]
    if result is None or not all(found):
        return False
    builder, y = Builder(graph), result.node.outputs[0]
    operands = [translated(builder, f, result, node) for f in found if f is not None]
    made = builder.op("Concat", *operands, name=f"{y.name}.joined", axis=attribute(node, "axis"))
    keep_notes(node, made)
    take_over(graph, y, made)
    graph.remove(node, safe=True)
    return True


def translated(builder: Builder, found: Quantized, result: Result, node: ir.Node) -> ir.Value:
    """Return an operand in the quantization of the result, within its bounds."""
    table = table_of(found.affine.dequantize, result)
    if is_identity(table):
        return found.value
    name = f"{result.node.outputs[0].name}.{found.value.name}"
    made = builder.op("QLookup", found.value, builder.constant(table, f"{name}.table"), name=name, domain=DOMAIN)
    made.shape, made.type = found.value.shape, ir.TensorType(ir.DataType.INT8)
    keep_notes(node, made)
    return made


def keep_notes(node: ir.Node, made: ir.Value) -> None:
    """Give a value's maker the layer of the node that it replaces."""
    for note in (LAYER, BACKWARD):
        note.copy(node, made.producer())
