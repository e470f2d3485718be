"""ConvTranspose, 1-D and 2-D: the gradient of a convolution for its input, as a layer.

W has the shape (in_channels, out_channels / group, kernel...). dx is a convolution of dy by the
same weights. dw is a convolution's weight gradient with dy as its input and x as its output
gradient.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.graph import DOMAIN, attribute, describe
from .conv import DEEP_LIMITS, bias_gradient, conv_attributes, emit_transposed, regrouping_of
from .operator import Backward, Gradients, Operator
from .window import Window, spatial, window_of

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def transposed_window(node: ir.Node, most: int = 2) -> Window:
    """Return the window of the convolution that this one transposes.

    That convolution's input is the node's output. It has at most `most` spatial dimensions.
    """
    kernel = attribute(node, "kernel_shape", spatial(node.inputs[1]))
    window = window_of(node, spatial(node.outputs[0]), spatial(node.inputs[0]), kernel, most)
    check_output_shape(node, window)
    same = attribute(node, "auto_pad", "NOTSET") in ("SAME_UPPER", "SAME_LOWER")
    if same and any(attribute(node, "output_padding", [])) and "output_shape" not in node.attributes:
        raise UnsupportedOperator(
            "ConvTranspose with auto_pad and output_padding, whose output has no size that all agree on",
            "use pads, or output_shape",
            describe(node),
        )
    return padded_to_output(node, window) if same or "output_shape" in node.attributes else window


def check_output_shape(node: ir.Node, window: Window) -> None:
    """Refuse an output_shape that has room for more elements than the input has.

    onnxruntime refuses it too; onnx's reference reads each element of x as another one's.
    """
    room = [u - p - e for u, p, e in zip(window.uncovered, window.pads, window.ends, strict=True)]
    if "output_shape" in node.attributes and any(r >= s for r, s in zip(room, window.strides, strict=True)):
        most = [n - r + s - 1 for n, r, s in zip(window.inputs, room, window.strides, strict=True)]
        raise UnsupportedOperator(
            f"ConvTranspose's output_shape {window.inputs} is larger than {most}, the most that its input, "
            "kernel and strides make",
            "use a smaller output_shape, and a Pad after it",
            describe(node),
        )


def padded_to_output(node: ir.Node, window: Window) -> Window:
    """Return the window with the pads that follow from the given size of the output.

    With SAME_UPPER the larger half is at the end, else at the start. If the given output is larger than
    one without pads, by less than a stride, the elements at its end are the bias alone.
    """
    extra = attribute(node, "output_padding", [0] * len(window.inputs))
    given = [p + e for p, e in zip(window.pads, window.ends, strict=True)]
    total = [max(g + x - u, 0) for g, x, u in zip(given, extra, window.uncovered, strict=True)]
    small, large = [t // 2 for t in total], [t - t // 2 for t in total]
    upper = attribute(node, "auto_pad", "NOTSET") == "SAME_UPPER"
    return replace(window, pads=small if upper else large, ends=large if upper else small)


def gradient(back: Backward) -> Gradients:
    """Return dx = conv(dy, w), dw, and db, the sum of dy over batch and outputs."""
    x, w = back.node.inputs[:2]
    window, group = transposed_window(back.node), attribute(back.node, "group", 1)
    attributes = conv_attributes(window, group)
    dx = dw = db = None
    if back.needs(0):
        dx = seen_by_input(back, back.op("Conv", back.dy[0], w, of=x, **attributes), window)
    if back.needs(1):
        regrouped = regrouping_of(window, group, int(w.shape[1]))
        dw = back.op("ConvGradW", x, back.dy[0], of=w, domain=DOMAIN, **attributes, **regrouped)
    if back.needs(2):
        db = bias_gradient(back)
    return [dx, dw, db]


def seen_by_input(back: Backward, windows: ir.Value, window: Window) -> ir.Value:
    """Return the first outputs of the convolution of dy, as many as x has elements.

    With an output padding of at least one stride, there are further windows that belong to no element of
    x.
    """
    room = [u // s for u, s in zip(window.uncovered, window.strides, strict=True)]
    if max(room) <= 0:
        return windows
    x, axes = back.node.inputs[0], list(range(2, 2 + len(room)))
    limits = {"starts": [0] * len(room), "ends": window.outputs, "axes": axes}
    inputs = [back.builder.constant(numbers, f"{x.name}_grad.{name}") for name, numbers in limits.items()]
    return back.op("Slice", windows, *inputs, of=x)


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one CONV_TRANSPOSE."""
    emit_transposed(low, node, node.inputs[0], node.inputs[1], node.outputs[0], transposed_window(node))


OPERATORS = [Operator("ConvTranspose", gradient, lower, limits=DEEP_LIMITS)]
