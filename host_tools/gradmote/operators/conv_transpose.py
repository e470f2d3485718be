"""ConvTranspose, 1-D and 2-D: the gradient of a convolution for its data, as a layer. W is (C, M / group, kernel...).

dx is a convolution of dy by the same weights; dw is a convolution's weight gradient with dy as data and x as output.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..graph import DOMAIN, attribute, describe, static_shape
from .conv import regrouping_of, spatial, tensor_walk, weight_walk
from .operator import Backward, Gradients, Operator
from .window import Window, channels_last, window_of

if TYPE_CHECKING:
    from ..lowering import Lowering


def transposed_window(node: ir.Node) -> Window:
    """The window of the convolution that this one transposes: its input is our output."""
    if attribute(node, "auto_pad", "NOTSET") not in ("NOTSET", "VALID") or "output_shape" in node.attributes:
        raise UnsupportedOperator(
            "ConvTranspose with auto_pad or output_shape", "use explicit pads and output_padding", describe(node)
        )
    kernel = attribute(node, "kernel_shape", spatial(node.inputs[1]))
    return window_of(node, spatial(node.outputs[0]), spatial(node.inputs[0]), kernel)


def gradient(back: Backward) -> Gradients:
    x, w = back.node.inputs[:2]
    window, group = transposed_window(back.node), attribute(back.node, "group", 1)
    attributes = {
        "group": group,
        "strides": window.strides,
        "dilations": window.dilations,
        "pads": window.explicit_pads,
    }
    dx = dw = db = None
    if back.needs(0):
        dx = back.op("Conv", back.dy[0], w, of=x, **attributes)
        dx.shape, dx.type = x.shape, x.type
    if back.needs(1):
        regrouped = regrouping_of(window, group, int(w.shape[1]))
        dw = back.op("ConvGradW", x, back.dy[0], of=w, domain=DOMAIN, **attributes, **regrouped)
    if back.needs(2):
        axes = back.builder.constant([0, *range(2, len(x.shape))], f"{w.name}.bias_axes")
        db = back.op("ReduceSum", back.dy[0], axes, of=back.node.inputs[2], keepdims=0)
    return [dx, dw, db]


def lower(low: Lowering, node: ir.Node) -> None:
    x, w, y = node.inputs[0], node.inputs[1], node.outputs[0]
    bias = node.inputs[2] if len(node.inputs) > 2 else None
    groups = attribute(node, "group", 1)
    maps, channels = int(w.shape[0]) // groups, int(w.shape[1])
    layout = channels_last(static_shape(y, node))
    params = {"batch": static_shape(y, node)[0], "groups": groups, "channels": channels, "maps": maps}
    params |= transposed_window(node).params() | tensor_walk(layout, "x", groups * channels, node)
    params |= tensor_walk(low.view(x).strides, "y", groups * maps, node) | weight_walk(low.view(w).strides, maps)
    operands = {
        "y": low.view(x).ref,
        "w": low.view(w).ref,
        "bias": low.ref(bias) if bias is not None else None,
        "x": low.output(y, layout),
    }
    low.emit("CONV_TRANSPOSE", node, operands, params)


OPERATORS = [Operator("ConvTranspose", gradient, lower)]
