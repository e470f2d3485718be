"""The pass that turns convolutions over three spatial dimensions into convolutions over two.

The taps along the kernel's depth become input channels. In a transposed convolution they become
output channels instead, whose overlapping results are summed. K is the kernel's depth.

Conv            (N, C, D, H, W) -> (N D', C K, H, W), convolved with (M, C K, ...)
                -> (N, M, D', H', W')
ConvTranspose   (N, C, D, H, W) -> (N D, C, H, W), convolved with (C, M K, ...)
                -> (N, M, D K, H', W') -> (N, M, D', H', W')
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

import numpy as np
import onnx_ir as ir

from ..ir.graph import Builder, attribute, sort_nodes, take_over
from ..operators.conv import conv_window
from ..operators.conv_transpose import transposed_window
from ..operators.selection import known_dims
from ..operators.window import Window
from .planar_pools import is_deep, reshaped

DEPTH = 2  # the axis of the depth


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every convolution over three dimensions."""
    for node in list(graph):
        if node.op_type in REWRITES and not node.domain and is_deep(node):
            take_over(graph, node.outputs[0], REWRITES[node.op_type](Builder(graph), node))
    sort_nodes(graph)


def convolution(builder: Builder, node: ir.Node) -> ir.Value:
    """Return the output of a Conv, computed by a Conv over height and width."""
    x, w, y = node.inputs[0], node.inputs[1], node.outputs[0]
    window = conv_window(node, most=3)
    channels, _, height, width = known_dims(x)[1:]
    out_channels, out_depth, *out = known_dims(y)[1:]
    seen = seen_along_depth(builder, x, window, y)
    deep = [-1, channels * window.kernel[0], height, width]
    flat = reshaped(builder, builder.op("Transpose", seen, name=f"{y.name}.frames", perm=[0, 2, 1, 3, 4, 5]), deep,
                    f"{y.name}.planes")  # fmt: skip
    kernel = reshaped(builder, w, [0, int(w.shape[1]) * window.kernel[0], *window.kernel[1:]], f"{y.name}.kernel")
    planes = builder.op("Conv", flat, kernel, *node.inputs[2:], name=f"{y.name}.convolved", **planar(node, window))
    frames = reshaped(builder, planes, [-1, out_depth, out_channels, *out], f"{y.name}.depth")
    return builder.op("Transpose", frames, name=f"{y.name}.shaped", perm=[0, 2, 1, 3, 4])


def seen_along_depth(builder: Builder, x: ir.Value, window: Window, y: ir.Value) -> ir.Value:
    """Return (N, C, D', K, H, W): the inputs of each output's taps along the depth.

    Padding along the depth is included.
    """
    if window.pads[0] or window.ends[0]:
        pads = [0, 0, window.pads[0], 0, 0, 0, 0, window.ends[0], 0, 0]
        x = builder.op("Pad", x, builder.constant(pads, f"{y.name}.pads"), name=f"{y.name}.padded")
    outputs, taps = np.arange(window.outputs[0]), np.arange(window.kernel[0])
    at = outputs[:, None] * window.strides[0] + taps * window.dilations[0]
    return builder.op("Gather", x, builder.constant(at, f"{y.name}.at"), name=f"{y.name}.seen", axis=DEPTH)


def transposed(builder: Builder, node: ir.Node) -> ir.Value:
    """Return the output of a ConvTranspose, computed by one over height and width."""
    x, w, y = node.inputs[0], node.inputs[1], node.outputs[0]
    window = transposed_window(node, most=3)
    channels, depth, height, width = known_dims(x)[1:]
    out_channels, _, *out = known_dims(y)[1:]
    frames = builder.op("Transpose", x, name=f"{y.name}.frames", perm=[0, 2, 1, 3, 4])
    flat = reshaped(builder, frames, [-1, channels, height, width], f"{y.name}.planes")
    kernel = reshaped(builder, w, [0, int(w.shape[1]) * window.kernel[0], *window.kernel[1:]], f"{y.name}.kernel")
    settings = planar(node, window) | {"output_padding": window.uncovered[1:]}
    planes = builder.op("ConvTranspose", flat, kernel, name=f"{y.name}.convolved", **settings)
    parts = reshaped(builder, planes, [-1, depth, out_channels, window.kernel[0], *out], f"{y.name}.parts")
    parts = builder.op("Transpose", parts, name=f"{y.name}.by_map", perm=[0, 2, 1, 3, 4, 5])
    parts = reshaped(builder, parts, [-1, out_channels, depth * window.kernel[0], *out], f"{y.name}.in_line")
    return with_bias(builder, node, summed_along_depth(builder, parts, window, y))


def summed_along_depth(builder: Builder, parts: ir.Value, window: Window, y: ir.Value) -> ir.Value:
    """Return the sums (N, M, D', H', W') of contributions (N, M, D K, H', W').

    Outputs with fewer contributions than others add a zero that is padded after the last.
    """
    meeting = meeting_parts(window)
    if meeting.max() == window.outputs[0] * window.kernel[0]:
        pads = builder.constant([0] * 7 + [1, 0, 0], f"{y.name}.pads")
        parts = builder.op("Pad", parts, pads, name=f"{y.name}.padded")
    chosen = builder.op("Gather", parts, builder.constant(meeting, f"{y.name}.at"), name=f"{y.name}.met", axis=DEPTH)
    axis = builder.constant([DEPTH + 1], f"{y.name}.axis")
    return builder.op("ReduceSum", chosen, axis, name=f"{y.name}.summed", keepdims=0)


def meeting_parts(window: Window) -> np.ndarray:
    """Return, for each output along the depth, the indices i K + k of its contributions.

    All rows are as long as the longest, padded with the index past the last.
    """
    found: list[list[int]] = [[] for _ in range(window.inputs[0])]
    for i, k in np.ndindex(window.outputs[0], window.kernel[0]):
        at = i * window.strides[0] + k * window.dilations[0] - window.pads[0]
        if 0 <= at < window.inputs[0]:
            found[at].append(i * window.kernel[0] + k)
    longest, behind = max(1, *map(len, found)), window.outputs[0] * window.kernel[0]
    return np.array([row + [behind] * (longest - len(row)) for row in found], np.int64)


def with_bias(builder: Builder, node: ir.Node, y: ir.Value) -> ir.Value:
    """Return y with the node's bias added, if there is one."""
    bias, name = node.inputs[2] if len(node.inputs) > 2 else None, node.outputs[0].name
    if bias is None:
        return y
    return builder.op("Add", y, reshaped(builder, bias, [1, -1, 1, 1, 1], f"{name}.bias"), name=f"{name}.biased")


def planar(node: ir.Node, window: Window) -> dict[str, Any]:
    """Return the convolution's attributes over height and width."""
    sizes: dict[str, Sequence[int]] = {"strides": window.strides[1:], "dilations": window.dilations[1:]}
    return {**sizes, "pads": [*window.pads[1:], *window.ends[1:]], "group": attribute(node, "group", 1)}


REWRITES = {"Conv": convolution, "ConvTranspose": transposed}
