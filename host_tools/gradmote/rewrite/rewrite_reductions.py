"""The pass that rewrites reductions as ReduceSum and elementwise operators.

ReduceL1         sum |x|                ReduceSumSquare    sum x x
ReduceLogSum     log sum x              ReduceLogSumExp    log sum exp(x - m) + m, m = max x

The maximum m only keeps exp from overflowing: the result does not depend on it, so no gradient flows
there. A product over several axes becomes one over each.
"""

from __future__ import annotations

from collections.abc import Callable, Set

import numpy as np
import onnx_ir as ir

from ..ir.graph import Builder, attribute, sort_nodes, take_over
from ..ir.metadata import NO_GRADIENT
from ..operators.reduce_sum import AXES_INPUT_OPSET, reduced_axes


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every such reduction."""
    for node in list(graph):
        if node.op_type in REWRITES and not node.domain:
            builder = Builder(graph)
            axes = builder.constant(np.array(reduced_axes(node), np.int64), f"{node.outputs[0].name}.axes")
            take_over(graph, node.outputs[0], REWRITES[node.op_type](builder, node, axes))
    sort_nodes(graph)


def total(builder: Builder, node: ir.Node, x: ir.Value, axes: ir.Value, keepdims: int) -> ir.Value:
    """Append a ReduceSum."""
    name = f"{node.outputs[0].name}.sum"
    return builder.op("ReduceSum", x, axes, name=name, keepdims=keepdims, noop_with_empty_axes=1)


def l1(builder: Builder, node: ir.Node, axes: ir.Value) -> ir.Value:
    """Append sum |x|."""
    magnitude = builder.op("Abs", node.inputs[0], name=f"{node.outputs[0].name}.abs")
    return total(builder, node, magnitude, axes, attribute(node, "keepdims", 1))


def sum_square(builder: Builder, node: ir.Node, axes: ir.Value) -> ir.Value:
    """Append sum x x."""
    x = node.inputs[0]
    square = builder.op("Mul", x, x, name=f"{node.outputs[0].name}.square")
    return total(builder, node, square, axes, attribute(node, "keepdims", 1))


def log_sum(builder: Builder, node: ir.Node, axes: ir.Value) -> ir.Value:
    """Append log sum x."""
    added = total(builder, node, node.inputs[0], axes, attribute(node, "keepdims", 1))
    return builder.op("Log", added, name=f"{node.outputs[0].name}.log")


def log_sum_exp(builder: Builder, node: ir.Node, axes: ir.Value) -> ir.Value:
    """Append log sum exp(x - m) + m with m = max x."""
    x, y = node.inputs[0], node.outputs[0]
    highest = maximum(builder, node, axes)
    shifted = builder.op("Sub", x, highest, name=f"{y.name}.shifted")
    added = total(builder, node, builder.op("Exp", shifted, name=f"{y.name}.exp"), axes, 1)
    logarithm = builder.op("Log", added, name=f"{y.name}.log")
    result = builder.op("Add", logarithm, highest, name=f"{y.name}.result")
    if attribute(node, "keepdims", 1) or not len(axes.const_value.numpy()):
        return result
    return builder.op("Squeeze", result, axes, name=f"{y.name}.squeezed")


def maximum(builder: Builder, node: ir.Node, axes: ir.Value) -> ir.Value:
    """Append m = max x, through which no gradient flows."""
    highest = reduce(builder, "ReduceMax", node.inputs[0], axes, f"{node.outputs[0].name}.max")
    NO_GRADIENT.write(highest.producer(), "1")
    return highest


def reduce(builder: Builder, op_type: str, x: ir.Value, axes: ir.Value, name: str, keepdims: int = 1) -> ir.Value:
    """Append a reduction; in older opsets its axes are an attribute."""
    if builder.graph.opset_imports[""] >= AXES_INPUT_OPSET:
        return builder.op(op_type, x, axes, name=name, keepdims=keepdims, noop_with_empty_axes=1)
    return builder.op(op_type, x, name=name, keepdims=keepdims, axes=axes.const_value.numpy().tolist())


def product(builder: Builder, node: ir.Node, axes: ir.Value) -> ir.Value:
    """Append a product over each axis, from the last to the first.

    In this order the indices of the remaining axes stay valid.
    """
    result, name = node.inputs[0], f"{node.outputs[0].name}.product"
    for axis in reversed(axes.const_value.numpy()):
        one = builder.constant([int(axis)], f"{name}.axis")
        result = reduce(builder, "ReduceProd", result, one, name, attribute(node, "keepdims", 1))
    return builder.op("Identity", result, name=name)


REWRITES: dict[str, Callable[[Builder, ir.Node, ir.Value], ir.Value]] = {
    "ReduceL1": l1,
    "ReduceSumSquare": sum_square,
    "ReduceLogSum": log_sum,
    "ReduceLogSumExp": log_sum_exp,
    "ReduceProd": product,
}
