"""The pass that rewrites normalizations as Standardize, then Mul by scale and Add of bias.

The statistics are taken

LayerNormalization, RMSNormalization   over `axis` and the axes after it; RMSNormalization with
                                       mean 0
InstanceNormalization                  over the space of each sample and channel
GroupNormalization                     over space and the channels of a group: x as
                                       (N, G, C / G, ...)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Set

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.graph import Builder, attribute, constant_array, describe, normalize_axis, rank, sort_nodes, take_over_all
from ..operators.standardize import standardize


def per_channel(builder: Builder, value: ir.Value, ones: list[int]) -> ir.Value:
    """Return the vector (C) as (C, 1, ...)."""
    if not ones:
        return value
    axes = builder.constant(list(range(1, 1 + len(ones))), f"{value.name}.axes")
    shaped = builder.op("Unsqueeze", value, axes, name=f"{value.name}.per_channel")
    if value.shape is not None:
        shaped.shape, shaped.type = ir.Shape([*list(value.shape), *ones]), value.type
    return shaped


EPSILON = 1e-5  # ONNX's default
#: From this opset on, GroupNormalization has one scale and bias per channel; before, per group.
SCALE_PER_CHANNEL_OPSET = 21


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every normalization."""
    for node in list(graph):
        if node.op_type in REWRITES and not node.domain:
            check_attributes(node)
            take_over_all(graph, node, REWRITES[node.op_type](Builder(graph), node, keep))
    sort_nodes(graph)


def check_attributes(node: ir.Node) -> None:
    """Raise UnsupportedOperator for an unsupported epsilon or stash_type."""
    if not 0 <= epsilon(node) < math.inf:
        raise UnsupportedOperator(
            f"epsilon {epsilon(node)}", "it is added to a variance: make it positive", describe(node)
        )
    if attribute(node, "stash_type", ir.DataType.FLOAT) != ir.DataType.FLOAT:
        raise UnsupportedOperator(
            f"stash_type {attribute(node, 'stash_type')}", "statistics are float32: set it to 1", describe(node)
        )


def epsilon(node: ir.Node) -> float:
    """Return the node's epsilon, or ONNX's default."""
    return attribute(node, "epsilon", EPSILON)


def affine(
    builder: Builder, node: ir.Node, x: ir.Value, scale: ir.Value, bias: ir.Value | None, keep: Set[str], space: int = 0
) -> ir.Value:
    """Append x scale + bias, omitting an untrained scale of 1 and bias of 0.

    Exporters write these if a module has none. `space` is the number of dimensions of x after those of
    scale and bias.
    """
    y = name_of(node)
    if not is_filled(scale, 1, keep):
        x = builder.op("Mul", x, per_channel(builder, scale, [1] * space), name=f"{y}.scaled")
    if bias is not None and not is_filled(bias, 0, keep):
        x = builder.op("Add", x, per_channel(builder, bias, [1] * space), name=f"{y}.shifted")
    return x


def is_filled(value: ir.Value, number: float, keep: Set[str]) -> bool:
    """Return whether the value is an untrained constant filled with `number`."""
    array = constant_array(value) if value.name not in keep else None
    return array is not None and bool((array == number).all())


def layer_norm(builder: Builder, node: ir.Node, keep: Set[str]) -> list[ir.Value]:
    """Return y, mean and 1 / standard deviation, in the order of the node's outputs."""
    x, scale, *bias = node.inputs
    first = normalize_axis(attribute(node, "axis", -1), x, node)
    axes = range(first, rank(x, node))
    normal, inv_std, mean, _ = standardize(builder, x, axes, epsilon(node), name_of(node))
    return [affine(builder, node, normal, scale, bias[0] if bias else None, keep), mean, inv_std]


def rms_norm(builder: Builder, node: ir.Node, keep: Set[str]) -> list[ir.Value]:
    """Return y = x / sqrt(mean(x x) + epsilon) scale."""
    x, scale = node.inputs
    first = normalize_axis(attribute(node, "axis", -1), x, node)
    axes = range(first, rank(x, node))
    normal = standardize(builder, x, axes, epsilon(node), name_of(node), centre=0)[0]
    return [affine(builder, node, normal, scale, None, keep)]


def instance_norm(builder: Builder, node: ir.Node, keep: Set[str]) -> list[ir.Value]:
    """Return y, with statistics over the space of each sample and channel."""
    x, scale, bias = node.inputs
    axes = range(2, rank(x, node))
    if not axes:
        raise UnsupportedOperator(
            f"InstanceNormalization of shape {x.shape}", "x must have spatial dimensions: (N, C, ...)", describe(node)
        )
    normal = standardize(builder, x, axes, epsilon(node), name_of(node))[0]
    return [affine(builder, node, normal, scale, bias, keep, len(axes))]


def group_norm(builder: Builder, node: ir.Node, keep: Set[str]) -> list[ir.Value]:
    """Return y, with statistics of each group, and scale and bias for each group or channel."""
    x, scale, bias = node.inputs
    space = rank(x, node) - 2
    value = standardize_groups(builder, node, x, attribute(node, "num_groups"), name_of(node))
    per_group = builder.graph.opset_imports[""] < SCALE_PER_CHANNEL_OPSET
    if per_group:
        value = affine(builder, node, value, scale, bias, keep, 1 + space)
    value = join_groups(builder, node, value, x, name_of(node))
    return [value if per_group else affine(builder, node, value, scale, bias, keep, space)]


def standardize_groups(builder: Builder, node: ir.Node, x: ir.Value, groups: int, name: str) -> ir.Value:
    """Return x (N, C, ...) with the statistics of each group of channels, as (N, G, C / G, ...)."""
    channels, *space = fixed_sizes(node, x)
    if groups < 1 or channels % groups:
        raise UnsupportedOperator(
            f"{channels} channels in {groups} groups", "num_groups must divide the channels", describe(node)
        )
    shape = builder.constant([0, groups, channels // groups, *space], f"{name}.groups")
    grouped = builder.op("Reshape", x, shape, name=f"{name}.grouped")
    return standardize(builder, grouped, range(2, 3 + len(space)), epsilon(node), name)[0]


def join_groups(builder: Builder, node: ir.Node, value: ir.Value, x: ir.Value, name: str) -> ir.Value:
    """Append a Reshape of the groups to the shape of x."""
    shape = builder.constant([0, *fixed_sizes(node, x)], f"{name}.shape")
    return builder.op("Reshape", value, shape, name=f"{name}.joined")


def fixed_sizes(node: ir.Node, x: ir.Value) -> list[int]:
    """Return channels and space of x; raise UnsupportedOperator if one is unknown."""
    dims = list(x.shape or ())[1:]
    if not dims or not all(isinstance(d, int) for d in dims):
        raise UnsupportedOperator(
            f"{node.op_type} of shape {x.shape}", "export with fixed channels and spatial dimensions", describe(node)
        )
    return [int(d) for d in dims]


def name_of(node: ir.Node) -> str:
    """Return the name of the node's first output, the prefix of new names."""
    return str(node.outputs[0].name)


REWRITES: dict[str, Callable[[Builder, ir.Node, Set[str]], list[ir.Value]]] = {
    "GroupNormalization": group_norm,
    "InstanceNormalization": instance_norm,
    "LayerNormalization": layer_norm,
    "RMSNormalization": rms_norm,
}
