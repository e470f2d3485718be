"""Conv, 1-D and 2-D; the pass planar_convolutions replaces a 3-D convolution with 2-D ones.

    y[n,m,o] = b[m] + sum over kernel taps k and in_channels c of x[n,c,o s + k d - p] w[m,c,k]

dx is a transposed convolution of dy. dw is the sum over batch and outputs of dy x. db is the sum of
dy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import onnx_ir as ir

from ..ir.generated.instructions import Conv, ConvGradW, ConvTranspose
from ..ir.graph import DOMAIN, attribute, static_shape
from .operator import Backward, Gradients, Operator
from .window import (
    Window,
    XStrides,
    YStrides,
    channels_last,
    image_strides,
    require_fit,
    spatial,
    window_of,
    x_strides,
    y_strides,
)

if TYPE_CHECKING:
    from ..ir.instruction import Ref
    from ..ir.lowering import Lowering


def gradient(back: Backward) -> Gradients:
    """Return dx = convT(dy, w), dw = corr(x, dy), and db, the sum of dy over batch and outputs."""
    x, w = back.node.inputs[:2]
    window, group = conv_window(back.node), attribute(back.node, "group", 1)
    attributes = conv_attributes(window, group)
    dx = dw = db = None
    if back.needs(0):
        dx = back.op("ConvGradX", back.dy[0], w, of=x, domain=DOMAIN, **attributes, output_padding=window.uncovered)
    if back.needs(1):
        regrouped = regrouping_of(window, group, int(w.shape[1]))
        dw = back.op("ConvGradW", back.dy[0], x, of=w, domain=DOMAIN, **attributes, **regrouped)
    if back.needs(2):
        db = bias_gradient(back)
    return [dx, dw, db]


def bias_gradient(back: Backward) -> ir.Value:
    """Return db, the sum of dy over all axes but the channels'."""
    bias = back.node.inputs[2]
    axes = back.builder.constant([0, *range(2, len(back.node.inputs[0].shape))], f"{bias.name}_grad.axes")
    return back.op("ReduceSum", back.dy[0], axes, of=bias, keepdims=0)


def conv_window(node: ir.Node, most: int = 2) -> Window:
    """Return the node's window, of at most `most` spatial dimensions."""
    kernel = attribute(node, "kernel_shape", spatial(node.inputs[1]))
    return require_fit(node, window_of(node, spatial(node.inputs[0]), spatial(node.outputs[0]), kernel, most))


def conv_attributes(window: Window, group: int) -> dict[str, Any]:
    """Return ONNX's attributes of a convolution over this window."""
    return {"group": group, "strides": window.strides, "dilations": window.dilations, "pads": window.explicit_pads}


def regrouping_of(window: Window, groups: int, in_channels: int) -> dict[str, Any]:
    """Return the attributes that turn the gradient of the weights into a convolution.

    In that convolution the batch has the role of the channels. `channels` is the number of in_channels of
    one group.
    """
    axes = list(range(2, 2 + len(window.inputs)))
    return {
        "split": [0, groups, in_channels, *window.inputs],
        "merged": [in_channels, -1, *window.inputs],
        "perm_split": [2, 1, 0, *(a + 1 for a in axes)],
        "perm_swap": [1, 0, *axes],
        "kernel_shape": window.kernel,
        "starts": [0] * len(axes),
        "axes": axes,
    }


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one CONV; the output is channels-last."""
    x, w, y = node.inputs[0], node.inputs[1], node.outputs[0]
    layout = channels_last(static_shape(y, node))
    made = Conv(
        x=low.view(x).ref,
        w=low.view(w).ref,
        bias=bias_ref(low, node),
        y=low.output(y, layout),
        **sizes(node, x, w),
        **conv_window(node).params(),
        **grouped_x(low.view(x).strides, w),
        **weight_strides(low.view(w).strides, node, w),
        **grouped_y(layout, node, w),
        activation="none",
    )
    low.emit(node, made)


def bias_ref(low: Lowering, node: ir.Node) -> Ref | None:
    """Return the operand of the node's bias, or None if there is none."""
    bias = node.inputs[2] if len(node.inputs) > 2 else None
    return low.ref(bias) if bias is not None else None


class Sizes(TypedDict):
    """The sizes of a convolution, except for its window; channels are those of one group."""

    batch: int
    groups: int
    in_channels: int
    out_channels: int


class GroupedX(XStrides):
    """The strides of a convolution's input, with channels split into groups."""

    x_group: int


class GroupedY(YStrides):
    """The strides of a convolution's output, with channels split into groups."""

    y_group: int


class WeightStrides(TypedDict):
    """The strides of weights (groups out_channels, in_channels, kernel...)."""

    w_group: int
    w_out_channel: int
    w_in_channel: int
    w_h: int
    w_w: int


def sizes(node: ir.Node, x: ir.Value, w: ir.Value) -> Sizes:
    """Return the batch, the groups, and the in_channels and out_channels of one group.

    w has the shape (groups out_channels, in_channels, kernel...).
    """
    groups = attribute(node, "group", 1)
    batch = static_shape(x, node)[0]
    out_channels = int(w.shape[0]) // groups
    return {"batch": batch, "groups": groups, "in_channels": int(w.shape[1]), "out_channels": out_channels}


def grouped_x(strides: list[int], w: ir.Value) -> GroupedX:
    """Return the strides of the input; a group has as many channels as w has in_channels."""
    found = x_strides(strides)
    return {**found, "x_group": found["x_channel"] * int(w.shape[1])}


def grouped_y(strides: list[int], node: ir.Node, w: ir.Value) -> GroupedY:
    """Return the strides of the output; a group has the out_channels of w, divided by the groups."""
    found = y_strides(strides)
    return {**found, "y_group": found["y_channel"] * (int(w.shape[0]) // attribute(node, "group", 1))}


def weight_strides(strides: list[int], node: ir.Node, w: ir.Value) -> WeightStrides:
    """Return the strides of weights, with output channels split into groups."""
    out_channels = int(w.shape[0]) // attribute(node, "group", 1)
    out_channel, h, width, in_channel = image_strides(strides)
    return {
        "w_group": out_channel * out_channels,
        "w_out_channel": out_channel,
        "w_in_channel": in_channel,
        "w_h": h,
        "w_w": width,
    }


def lower_grad_x(low: Lowering, node: ir.Node) -> None:
    """Emit one CONV_TRANSPOSE of dy by w."""
    dy, w, dx = node.inputs[0], node.inputs[1], node.outputs[0]
    emit_transposed(low, node, dy, w, dx, window_of(node, spatial(dx), spatial(dy), spatial(w)))


def emit_transposed(low: Lowering, node: ir.Node, y: ir.Value, w: ir.Value, x: ir.Value, window: Window) -> None:
    """Emit one CONV_TRANSPOSE, from a convolution's output y back to its input x.

    `window` is that convolution's; x is channels-last.
    """
    layout = channels_last(static_shape(x, node))
    made = ConvTranspose(
        y=low.view(y).ref,
        w=low.view(w).ref,
        bias=bias_ref(low, node),
        x=low.output(x, layout),
        **sizes(node, x, w),
        **window.params(),
        **grouped_x(layout, w),
        **weight_strides(low.view(w).strides, node, w),
        **grouped_y(low.view(y).strides, node, w),
        accumulate=False,
    )
    low.emit(node, made)


def lower_grad_w(low: Lowering, node: ir.Node) -> None:
    """Emit one CONV_GRAD_W; dw is row-major."""
    dy, x, dw = node.inputs[0], node.inputs[1], node.outputs[0]
    window = window_of(node, spatial(x), spatial(dy), spatial(dw))
    made = ConvGradW(
        x=low.view(x).ref,
        dy=low.view(dy).ref,
        y=low.output(dw),
        **sizes(node, x, dw),
        **window.params(),
        **grouped_x(low.view(x).strides, dw),
        **grouped_y(low.view(dy).strides, node, dw),
        accumulate=False,
    )
    low.emit(node, made)


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

DEEP_LIMITS = "3 spatial dimensions only if the model fixes their sizes; more are refused."

OPERATORS = [
    Operator("Conv", gradient, lower, limits=DEEP_LIMITS),
    Operator("ConvGradX", None, lower_grad_x, DOMAIN, GRAD_X),
    Operator("ConvGradW", None, lower_grad_w, DOMAIN, GRAD_W),
]
