"""Patterns whose operands are all dequantized values, without weights.

    Quantize(Add(...)) and Quantize(Mul(...))        become    QAdd and QMul
    Quantize(AveragePool(DequantizeLinear(x)))       becomes   QAveragePool
    Quantize(ReduceMean(DequantizeLinear(x)))        becomes   QReduceMean or QGlobalAveragePool, if it is
                                                               over all positions
    Quantize(Concat(DequantizeLinear(a), ...))       becomes   Concat of int8 values

QLookup requantizes each operand of a Concat whose quantization differs from the result's.
"""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from ...ir.graph import DOMAIN, Builder, attribute, rank, take_over
from ...ir.metadata import BACKWARD, GLOBAL_POOL, LAYER
from ...operators.max_pool import pool_window
from ...operators.reduce_sum import reduced_axes
from .fuse_lookup import is_identity, table_of
from .matching import Quantized, Result, activation, quantizer, replace, scale_and_zero

FUSED = {"Add": "QAdd", "Mul": "QMul"}


def fuse_add(graph: ir.Graph, node: ir.Node) -> bool:
    """Fuse one Add or Mul if both operands are quantized; return whether they are."""
    if node.domain or node.op_type not in FUSED:
        return False
    a, b, result = activation(node.inputs[0]), activation(node.inputs[1]), quantizer(node.outputs[0])
    if a is None or b is None or result is None:
        return False
    builder, name = Builder(graph), result.node.outputs[0].name
    inputs = [a.value, *scale_and_zero(builder, f"{name}.a", a.affine)]
    inputs += [b.value, *scale_and_zero(builder, f"{name}.b", b.affine)]
    inputs += scale_and_zero(builder, f"{name}.y", result.affine)
    replace(graph, node, result, FUSED[node.op_type], inputs)
    return True


def fuse_average_pool(graph: ir.Graph, node: ir.Node) -> bool:
    """Fuse one mean if its input and its result are quantized; return whether they are."""
    if node.domain or node.op_type not in ("AveragePool", "ReduceMean"):
        return False
    x, result = activation(node.inputs[0]), quantizer(node.outputs[0])
    if x is None or result is None or not is_over_positions(node):
        return False
    builder, name = Builder(graph), result.node.outputs[0].name
    inputs: list[ir.Value | None] = [x.value, *scale_and_zero(builder, f"{name}.x", x.affine)]
    inputs += scale_and_zero(builder, f"{name}.y", result.affine)
    if node.op_type == "AveragePool":
        replace(graph, node, result, "QAveragePool", inputs, **window_attributes(node))
    elif GLOBAL_POOL.stands_in(node):
        replace(graph, node, result, "QGlobalAveragePool", inputs)
    else:
        inputs.append(builder.constant(reduced_axes(node), f"{name}.axes"))
        replace(graph, node, result, "QReduceMean", inputs, keepdims=attribute(node, "keepdims", 1))
    return True


def is_over_positions(node: ir.Node) -> bool:
    """Return whether the node takes means over the one or two dimensions after batch and channels."""
    x = node.inputs[0]
    if x is None or rank(x, node) not in (3, 4):
        return False
    if node.op_type == "AveragePool":
        return set(attribute(node, "dilations", [1])) == {1}
    return sorted(reduced_axes(node)) == list(range(2, rank(x, node)))


def window_attributes(node: ir.Node) -> dict[str, Any]:
    """Return the attributes of an AveragePool, with explicit padding."""
    window = pool_window(node, node.inputs[0], node.outputs[0])
    kept = {name: attribute(node, name, 0) for name in ("ceil_mode", "count_include_pad")}
    return {"kernel_shape": window.kernel, "strides": window.strides, "pads": window.explicit_pads, **kept}


def fuse_concat(graph: ir.Graph, node: ir.Node) -> bool:
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
