"""Normalizations become Standardize, then Mul by scale and Add of bias. Statistics are taken

LayerNormalization, RMSNormalization   over `axis` and what follows it; RMSNormalization with mean 0
InstanceNormalization                  over the space of each sample and channel
GroupNormalization                     over space and the channels of a group: x as (N, G, C / G, ...)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..graph import DOMAIN, Builder, attribute, constant_array, describe, normalize_axis, rank, take_over_all
from .per_channel import per_channel

EPSILON = 1e-5  # ONNX's default
#: From here on GroupNormalization has one scale and bias a channel; before, one a group.
SCALE_PER_CHANNEL_OPSET = 21


def run(graph: ir.Graph, keep: Set[str]) -> None:
    for node in list(graph):
        if node.op_type in REWRITES and not node.domain:
            check_attributes(node)
            take_over_all(graph, node, REWRITES[node.op_type](Builder(graph), node, keep))
    graph.sort()


def check_attributes(node: ir.Node) -> None:
    epsilon = attribute(node, "epsilon", EPSILON)
    if not 0 <= epsilon < math.inf:
        raise UnsupportedOperator(f"epsilon {epsilon}", "it is added to a variance: make it positive", describe(node))
    if attribute(node, "stash_type", ir.DataType.FLOAT) != ir.DataType.FLOAT:
        raise UnsupportedOperator(
            f"stash_type {attribute(node, 'stash_type')}", "statistics are float32: set it to 1", describe(node)
        )


def standardize(
    builder: Builder, node: ir.Node, x: ir.Value, axes: Sequence[int], centre: int = 1
) -> Sequence[ir.Value]:
    """(Y, InvStd, Mean, Var). All four, as onnx's inference stops at a function whose last outputs are left out."""
    y = node.outputs[0].name
    names = [f"{y}.{part}" for part in ("standard", "inv_std", "mean", "var")]
    given = {"axes": list(axes), "epsilon": float(attribute(node, "epsilon", EPSILON)), "centre": centre}
    return builder.ops("Standardize", x, names=names, domain=DOMAIN, **given)


def affine(
    builder: Builder, node: ir.Node, x: ir.Value, scale: ir.Value, bias: ir.Value | None, keep: Set[str], space: int = 0
) -> ir.Value:
    """x scale + bias, without what changes nothing: exporters give scale 1 and bias 0 where a module has none.
    space: dimensions of x behind those of scale and bias."""
    y = node.outputs[0].name
    if not is_filled(scale, 1, keep):
        x = builder.op("Mul", x, per_channel(builder, scale, [1] * space), name=f"{y}.scaled")
    if bias is not None and not is_filled(bias, 0, keep):
        x = builder.op("Add", x, per_channel(builder, bias, [1] * space), name=f"{y}.shifted")
    return x


def is_filled(value: ir.Value, number: float, keep: Set[str]) -> bool:
    array = constant_array(value) if value.name not in keep else None
    return array is not None and bool((array == number).all())


def layer_norm(builder: Builder, node: ir.Node, keep: Set[str]) -> list[ir.Value]:
    x, scale, *bias = node.inputs
    first = normalize_axis(attribute(node, "axis", -1), x, node)
    y, inv_std, mean, _ = standardize(builder, node, x, range(first, rank(x, node)))
    return [affine(builder, node, y, scale, bias[0] if bias else None, keep), mean, inv_std]


def rms_norm(builder: Builder, node: ir.Node, keep: Set[str]) -> list[ir.Value]:
    x, scale = node.inputs
    first = normalize_axis(attribute(node, "axis", -1), x, node)
    y = standardize(builder, node, x, range(first, rank(x, node)), centre=0)[0]
    return [affine(builder, node, y, scale, None, keep)]


def instance_norm(builder: Builder, node: ir.Node, keep: Set[str]) -> list[ir.Value]:
    x, scale, bias = node.inputs
    axes = range(2, rank(x, node))
    if not axes:
        raise UnsupportedOperator(
            f"InstanceNormalization of shape {x.shape}", "x must have spatial dimensions: (N, C, ...)", describe(node)
        )
    y = standardize(builder, node, x, axes)[0]
    return [affine(builder, node, y, scale, bias, keep, len(axes))]


def group_norm(builder: Builder, node: ir.Node, keep: Set[str]) -> list[ir.Value]:
    x, scale, bias = node.inputs
    y, groups = node.outputs[0].name, attribute(node, "num_groups")
    channels, *space = fixed_sizes(node)
    if groups is None or groups < 1 or channels % groups:
        raise UnsupportedOperator(
            f"{channels} channels in {groups} groups", "num_groups must divide the channels", describe(node)
        )
    split = builder.constant([0, groups, channels // groups, *space], f"{y}.groups")
    joined = builder.constant([0, channels, *space], f"{y}.shape")
    grouped = builder.op("Reshape", x, split, name=f"{y}.grouped")
    value = standardize(builder, node, grouped, range(2, 3 + len(space)))[0]
    per_group = builder.graph.opset_imports[""] < SCALE_PER_CHANNEL_OPSET
    if per_group:
        value = affine(builder, node, value, scale, bias, keep, 1 + len(space))
    value = builder.op("Reshape", value, joined, name=f"{y}.joined")
    return [value if per_group else affine(builder, node, value, scale, bias, keep, len(space))]


def fixed_sizes(node: ir.Node) -> list[int]:
    """Channels and space of x."""
    dims = list(node.inputs[0].shape or ())[1:]
    if not dims or not all(isinstance(d, int) for d in dims):
        raise UnsupportedOperator(
            f"{node.op_type} of shape {node.inputs[0].shape}",
            "export with fixed channels and spatial dimensions",
            describe(node),
        )
    return [int(d) for d in dims]


REWRITES: dict[str, Callable[[Builder, ir.Node, Set[str]], list[ir.Value]]] = {
    "GroupNormalization": group_norm,
    "InstanceNormalization": instance_norm,
    "LayerNormalization": layer_norm,
    "RMSNormalization": rms_norm,
}
