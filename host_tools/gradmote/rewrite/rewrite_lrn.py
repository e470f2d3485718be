"""The pass that rewrites LRN over channels with an AveragePool.

y = x / (bias + alpha mean(x x))^beta; the mean is that of an AveragePool along the channels, padded
with zeros.
"""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ..ir.graph import Builder, attribute, sort_nodes, take_over
from ..operators.constants import known_dim


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every LRN."""
    for node in list(graph):
        if node.op_type == "LRN" and not node.domain:
            take_over(graph, node.outputs[0], normalized(Builder(graph), node))
    sort_nodes(graph)


def normalized(builder: Builder, node: ir.Node) -> ir.Value:
    """Append x / (bias + alpha mean(x x))^beta."""
    x, name = node.inputs[0], str(node.outputs[0].name)
    assert x is not None
    defaults = {"alpha": 1e-4, "beta": 0.75, "bias": 1.0}
    alpha, beta, bias = (builder.constant(float(attribute(node, k, d)), f"{name}.{k}") for k, d in defaults.items())
    mean = mean_of_squares(builder, node, x, name)
    scaled = builder.op("Mul", mean, alpha, name=f"{name}.scaled")
    base = builder.op("Add", scaled, bias, name=f"{name}.base")
    power = builder.op("Pow", base, beta, name=f"{name}.power")
    for value in (mean, scaled, base, power):
        value.shape, value.type = x.shape, x.type
    return builder.op("Div", x, power, name=f"{name}.normalized")


def mean_of_squares(builder: Builder, node: ir.Node, x: ir.Value, name: str) -> ir.Value:
    """Append the mean of squares over `size` channels around each.

    It is an AveragePool over an image (N, 1, C, all other dimensions).
    """
    size, channels = attribute(node, "size"), known_dim(x, 1, node)
    before = (size - 1) // 2
    image_shape = builder.constant([0, 1, channels, -1], f"{name}.image_shape")
    image = builder.op("Reshape", builder.op("Mul", x, x, name=f"{name}.squares"), image_shape, name=f"{name}.image")
    pooled = builder.op(
        "AveragePool", image, name=f"{name}.pooled",
        kernel_shape=[size, 1], pads=[before, 0, size - 1 - before, 0], count_include_pad=1,
    )  # fmt: skip
    return builder.op("Reshape", pooled, builder.op("Shape", x, name=f"{name}.shape"), name=f"{name}.mean")
