"""The pass that fuses the steps of a layer or RMS normalization into one Standardize.

Exporters write these steps in older opsets:

    LayerNorm   d = x - mean(x), y = d / sqrt(mean(d d) + epsilon)
    RMSNorm     y = x / sqrt(mean(x x) + epsilon)

d d is Pow(d, 2) or Mul(d, d), and the quotient is Div or Mul by a Reciprocal.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import NamedTuple

import onnx_ir as ir

from ..ir.graph import Builder, attribute, constant_array, producer, prune, sort_nodes, take_over
from ..operators.reduce_sum import reduced_axes
from ..operators.standardize import standardize


class Mean(NamedTuple):
    """The operand and the axes of a mean whose dimensions are kept."""

    of: ir.Value
    axes: list[int]


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Fuse every normalization that is written in steps."""
    for node in list(graph):
        found = match(node, keep)
        if found is not None:
            x, axes, epsilon, centre = found
            y = node.outputs[0]
            take_over(graph, y, standardize(Builder(graph), x, axes, epsilon, str(y.name), centre)[0])
    prune(graph)
    sort_nodes(graph)


def match(node: ir.Node, keep: Set[str]) -> tuple[ir.Value, list[int], float, int] | None:
    """Return (x, axes, epsilon, centre) if the node is the last step, else None.

    `centre` is 1 if the mean is subtracted, else 0.
    """
    for d, std in quotients(node):
        root = producer(std, "Sqrt")
        for var, addend in both_orders(producer(root.inputs[0], "Add") if root else None):
            mean, epsilon = mean_of(var), scalar(addend, keep)
            if mean is not None and epsilon is not None and epsilon >= 0 and is_square(mean.of, d):
                x = centred(d, mean.axes)
                return (d, mean.axes, epsilon, 0) if x is None else (x, mean.axes, epsilon, 1)
    return None


def quotients(node: ir.Node) -> Iterator[tuple[ir.Value, ir.Value]]:
    """Yield (a, b) for each way to read the node as a quotient a / b."""
    a, b = (*node.inputs, None, None)[:2]
    if node.op_type == "Div" and not node.domain and a is not None and b is not None:
        yield a, b
    if node.op_type == "Mul" and not node.domain:
        for factor, other in both_orders(node):
            inverse = producer(other, "Reciprocal")
            if inverse is not None and inverse.inputs[0] is not None:
                yield factor, inverse.inputs[0]


def both_orders(node: ir.Node | None) -> list[tuple[ir.Value, ir.Value]]:
    """Return the two operands of a commutative node in both orders."""
    if node is None:
        return []
    a, b = node.inputs
    return [(a, b), (b, a)] if a is not None and b is not None else []


def mean_of(value: ir.Value) -> Mean | None:
    """Return the operand and the axes if the value is a mean with kept dimensions, else None."""
    node = producer(value, "ReduceMean")
    if node is None or node.inputs[0] is None or not attribute(node, "keepdims", 1):
        return None
    axes = reduced_axes(node)
    return Mean(node.inputs[0], axes) if axes else None


def is_square(value: ir.Value, d: ir.Value) -> bool:
    """Return whether the value is d d, as a product or as a power."""
    product, power = producer(value, "Mul"), producer(value, "Pow")
    if product is not None:
        return all(factor is d for factor in product.inputs)
    return power is not None and power.inputs[0] is d and scalar(power.inputs[1], ()) == 2


def scalar(value: ir.Value | None, keep: Set[str] | tuple[()]) -> float | None:
    """Return the number if the value is a constant that does not train, else None."""
    array = constant_array(value)
    if value is None or array is None or array.size != 1 or value.name in keep:
        return None
    return float(array.reshape(()))


def centred(d: ir.Value, axes: list[int]) -> ir.Value | None:
    """Return x if d = x - mean(x) over `axes`, else None."""
    difference = producer(d, "Sub")
    x, mean = difference.inputs if difference is not None else (None, None)
    return x if x is not None and mean is not None and mean_of(mean) == Mean(x, axes) else None
