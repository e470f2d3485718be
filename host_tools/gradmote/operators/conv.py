"""Conv, 1-D and 2-D: y[n,m,o] = b[m] + sum over kernel cells k and channels c of x[n,c,o s + k d - p] w[m,c,k].

dx is a transposed convolution of dy, dw a sum over batch and outputs of dy x, db the sum of dy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import onnx_ir as ir

from ..graph import DOMAIN, attribute, static_shape
from .operator import Backward, Gradients, Operator
from .window import Window, channels_last, walk, window_of

if TYPE_CHECKING:
    from ..lowering import Lowering


def gradient(back: Backward) -> Gradients:
    x, w = back.node.inputs[:2]
    dx = dw = db = None
    attributes = gradient_attributes(back.node)
    if back.needs(0):
        dx = back.op("ConvGradX", back.dy[0], w, of=x, domain=DOMAIN, **attributes, **cropping(back.node))
    if back.needs(1):
        regrouped = regrouping_of(conv_window(back.node), attribute(back.node, "group", 1), int(w.shape[1]))
        dw = back.op("ConvGradW", back.dy[0], x, of=w, domain=DOMAIN, **attributes, **regrouped)
    if back.needs(2):
        axes = [0, *range(2, len(x.shape))]
        db = back.op(
            "ReduceSum",
            back.dy[0],
            back.builder.constant(axes, f"{w.name}.bias_axes"),
            of=back.node.inputs[2],
            keepdims=0,
        )
    return [dx, dw, db]


def spatial(value: ir.Value) -> list[int]:
    """Spatial sizes; they must be known where the batch need not be."""
    return [int(d) for d in list(value.shape)[2:]]


def conv_window(node: ir.Node) -> Window:
    kernel = attribute(node, "kernel_shape", spatial(node.inputs[1]))
    return window_of(node, spatial(node.inputs[0]), spatial(node.outputs[0]), kernel)


def gradient_attributes(node: ir.Node) -> dict[str, Any]:
    window = conv_window(node)
    return {
        "group": attribute(node, "group", 1), "strides": window.strides, "dilations": window.dilations,
        "pads": window.explicit_pads,
    }  # fmt: skip


def cropping(node: ir.Node) -> dict[str, Any]:
    """What ConvTranspose adds after its last window to reach the input's size."""
    w = conv_window(node)
    sizes = zip(w.inputs, w.outputs, w.kernel, w.strides, w.dilations, w.pads, w.ends, strict=True)
    return {"output_padding": [i - ((o - 1) * s + (k - 1) * d + 1 - p - e) for i, o, k, s, d, p, e in sizes]}


def regrouping_of(window: Window, groups: int, channels: int) -> dict[str, Any]:
    """How the gradient of the weights becomes a convolution: the batch takes the place of the channels.
    channels: of the data, in each group."""
    axes = list(range(2, 2 + len(window.inputs)))
    return {
        "split": [0, groups, channels, *window.inputs],
        "merged": [channels, -1, *window.inputs],
        "perm_split": [2, 1, 0, *(a + 1 for a in axes)],
        "perm_swap": [1, 0, *axes],
        "kernel_shape": window.kernel,
        "starts": [0] * len(axes),
        "axes": axes,
    }


def lower(low: Lowering, node: ir.Node) -> None:
    x, w, y = node.inputs[0], node.inputs[1], node.outputs[0]
    bias = node.inputs[2] if len(node.inputs) > 2 else None
    layout = channels_last(static_shape(y, node))
    params = geometry(low, node, x, w, conv_window(node)) | tensor_walk(layout, "y", int(w.shape[0]), node)
    params |= weight_walk(low.view(w).strides, int(w.shape[0]) // attribute(node, "group", 1))
    operands = {
        "x": low.view(x).ref, "w": low.view(w).ref, "bias": low.ref(bias) if bias is not None else None,
        "y": low.output(y, layout),
    }  # fmt: skip
    low.emit("CONV", node, operands, {**params, "activation": 0})


def geometry(low: Lowering, node: ir.Node, x: ir.Value, w: ir.Value, window: Window) -> dict[str, int]:
    """Sizes, and the strides of the input."""
    groups = attribute(node, "group", 1)
    maps, channels = int(w.shape[0]) // groups, int(w.shape[1])
    sizes = {"batch": static_shape(x, node)[0], "groups": groups, "channels": channels, "maps": maps}
    return sizes | window.params() | tensor_walk(low.view(x).strides, "x", groups * channels, node)


def tensor_walk(strides: list[int], prefix: str, channels: int, node: ir.Node) -> dict[str, int]:
    """Strides of x or y, its channels split into groups."""
    found = walk(strides, prefix)
    step = found.pop(f"{prefix}_channel")
    name = "channel" if prefix == "x" else "map"
    return found | {f"{prefix}_{name}": step, f"{prefix}_group": step * (channels // attribute(node, "group", 1))}


def weight_walk(strides: list[int], maps: int) -> dict[str, int]:
    """Strides of weights (groups maps, channels, kernel...)."""
    kernel = [0] * (4 - len(strides)) + strides[2:]
    return {
        "w_group": strides[0] * maps,
        "w_map": strides[0],
        "w_channel": strides[1],
        "w_h": kernel[0],
        "w_w": kernel[1],
    }


def lower_grad_x(low: Lowering, node: ir.Node) -> None:
    dy, w, dx = node.inputs[0], node.inputs[1], node.outputs[0]
    groups = attribute(node, "group", 1)
    maps, channels = int(w.shape[0]) // groups, int(w.shape[1])
    layout = channels_last(static_shape(dx, node))
    window = window_of(node, spatial(dx), spatial(dy), spatial(w))
    params = {"batch": static_shape(dx, node)[0], "groups": groups, "channels": channels, "maps": maps}
    params |= window.params() | tensor_walk(layout, "x", groups * channels, node)
    params |= tensor_walk(low.view(dy).strides, "y", groups * maps, node) | weight_walk(low.view(w).strides, maps)
    operands = {"y": low.view(dy).ref, "w": low.view(w).ref, "bias": None, "x": low.output(dx, layout)}
    low.emit("CONV_TRANSPOSE", node, operands, params)


def lower_grad_w(low: Lowering, node: ir.Node) -> None:
    dy, x, dw = node.inputs[0], node.inputs[1], node.outputs[0]
    window = window_of(node, spatial(x), spatial(dy), spatial(dw))
    params = geometry(low, node, x, dw, window)
    params |= tensor_walk(low.view(dy).strides, "y", int(dw.shape[0]), node)
    operands = {"x": low.view(x).ref, "dy": low.view(dy).ref, "y": low.output(dw)}
    low.emit("CONV_GRAD_W", node, operands, {**params, "accumulate": 0})


GRAD_X = """
ConvGradX <group: int, strides: ints, dilations: ints, pads: ints, output_padding: ints> (dY, W) => (dX) {
  dX = ConvTranspose <group: int = @group, strides: ints = @strides, dilations: ints = @dilations, pads: ints = @pads,
    output_padding: ints = @output_padding> (dY, W)
}"""
GRAD_W = """
ConvGradW <group: int, strides: ints, dilations: ints, pads: ints, split: ints, merged: ints, perm_split: ints,
  perm_swap: ints, kernel_shape: ints, starts: ints, axes: ints> (dY, X) => (dW) {
  split_shape = Constant <value_ints: ints = @split> ()
  merged_shape = Constant <value_ints: ints = @merged> ()
  first = Constant <value_ints: ints = @starts> ()
  end = Constant <value_ints: ints = @kernel_shape> ()
  spatial = Constant <value_ints: ints = @axes> ()
  grouped = Reshape (X, split_shape)
  channels_first = Transpose <perm: ints = @perm_split> (grouped)
  batch_as_channels = Reshape (channels_first, merged_shape)
  kernels = Transpose <perm: ints = @perm_swap> (dY)
  full = Conv <group: int = @group, strides: ints = @dilations, dilations: ints = @strides, pads: ints = @pads>
    (batch_as_channels, kernels)
  cut = Slice (full, first, end, spatial)
  dW = Transpose <perm: ints = @perm_swap> (cut)
}"""

OPERATORS = [
    Operator("Conv", gradient, lower),
    Operator("ConvGradX", None, lower_grad_x, DOMAIN, GRAD_X),
    Operator("ConvGradW", None, lower_grad_w, DOMAIN, GRAD_W),
]
