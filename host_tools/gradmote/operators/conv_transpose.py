"""ConvTranspose, 1-D and 2-D: the gradient of a convolution for its data, as a layer. W is (C, M / group, kernel...).

dx is a convolution of dy by the same weights; dw is a convolution's weight gradient with dy as data and x as output.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..graph import DOMAIN, attribute, describe
from .conv import bias_gradient, conv_attributes, emit_transposed, regrouping_of
from .operator import Backward, Gradients, Operator
from .window import Window, spatial, window_of

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
    attributes = conv_attributes(window, group)
    dx = dw = db = None
    if back.needs(0):
        dx = back.op("Conv", back.dy[0], w, of=x, **attributes)
    if back.needs(1):
        regrouped = regrouping_of(window, group, int(w.shape[1]))
        dw = back.op("ConvGradW", x, back.dy[0], of=w, domain=DOMAIN, **attributes, **regrouped)
    if back.needs(2):
        db = bias_gradient(back)
    return [dx, dw, db]


def lower(low: Lowering, node: ir.Node) -> None:
    emit_transposed(low, node, node.inputs[0], node.inputs[1], node.outputs[0], transposed_window(node))


OPERATORS = [Operator("ConvTranspose", gradient, lower)]
