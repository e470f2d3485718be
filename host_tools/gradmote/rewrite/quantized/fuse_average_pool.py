"""The pattern Quantize(f(DequantizeLinear(x))); f is an AveragePool or a ReduceMean over all positions."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from ...ir.graph import Builder, attribute, rank
from ...ir.metadata import GLOBAL_POOL
from ...operators.max_pool import pool_window
from ...operators.reduce_sum import reduced_axes
from .matching import activation, quantizer, replace, scale_and_zero


def fuse(graph: ir.Graph, node: ir.Node) -> bool:
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
