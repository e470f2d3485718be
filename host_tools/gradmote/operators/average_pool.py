"""AveragePool: the gradient of a window is divided among the taps that counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import numpy as np
import onnx_ir as ir

from ..ir.generated.instructions import AveragePool, AveragePoolGrad
from ..ir.graph import DOMAIN, attribute, static_shape
from .max_pool import grad_attributes, pool_window, sizes
from .operator import Backward, Gradients, Operator
from .window import Window, channels_last, spatial, window_of, x_strides, y_strides

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def gradient(back: Backward) -> Gradients:
    """Return dx: each window's dy divided by the number of taps that counted, at those taps."""
    node = back.node
    x, y = node.inputs[0], node.outputs[0]
    window = pool_window(node, x, y)
    attributes = grad_attributes(window) | {
        "count_include_pad": attribute(node, "count_include_pad", 0),
        "group": int(x.shape[1]),
        "weight_shape": [int(x.shape[1]), 1, *window.kernel],
        **cropping(window),
    }
    rate = back.builder.constant(1.0 / counts(node, window), f"{x.name}_grad.rate")
    return [back.op("AveragePoolGrad", back.dy[0], x, rate, of=x, domain=DOMAIN, **attributes)]


def counts(node: ir.Node, w: Window) -> np.ndarray:
    """Return how many taps of each window count, float32 of shape (1, 1, outputs...)."""
    with_pad = attribute(node, "count_include_pad", 0)
    total = np.ones((1, 1), np.float32)
    for i, o, k, s, d, p, e in zip(w.inputs, w.outputs, w.kernel, w.strides, w.dilations, w.pads, w.ends, strict=True):
        taps = np.arange(o)[:, None] * s + np.arange(k) * d - p
        inside = (taps >= (-p if with_pad else 0)) & (taps < i + (e if with_pad else 0))
        total = total[..., None] * inside.sum(1).astype(np.float32)
    return total


def cropping(w: Window) -> dict[str, list[int]]:
    """Return the `crop` and `output_padding` with which a ConvTranspose of dy has the input's size.

    With ceil_mode, windows extend past the end of the input; their contributions there are cropped.
    """
    ends = [e + max(-x, 0) for e, x in zip(w.ends, w.uncovered, strict=True)]
    return {"crop": [*w.pads, *ends], "output_padding": [max(x, 0) for x in w.uncovered]}


class Counting(TypedDict):
    """The parameters that determine the divisor of a window's sum."""

    count_pad: bool
    padded_h: int
    padded_w: int


def counting(node: ir.Node, window: Window) -> Counting:
    """Return the parameters that determine the divisor of a window's sum."""
    padded = [i + p + e for i, p, e in zip(window.inputs, window.pads, window.ends, strict=True)]
    height, width = [1] * (2 - len(padded)) + padded
    return {"count_pad": bool(attribute(node, "count_include_pad", 0)), "padded_h": height, "padded_w": width}


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one AVERAGE_POOL; the output is channels-last."""
    x, y = node.inputs[0], node.outputs[0]
    window, view = pool_window(node, x, y), low.view(x)
    layout = channels_last(static_shape(y, node))
    made = AveragePool(
        x=view.ref,
        y=low.output(y, layout),
        **sizes(node, x),
        **window.params(),
        **counting(node, window),
        **x_strides(view.strides),
        **y_strides(layout),
    )
    low.emit(node, made)


def lower_grad(low: Lowering, node: ir.Node) -> None:
    """Emit one AVERAGE_POOL_GRAD; dx is channels-last."""
    dy, x = node.inputs[:2]
    dx, view = node.outputs[0], low.view(dy)
    window = window_of(node, spatial(x), spatial(dy), attribute(node, "kernel_shape"))
    layout = channels_last(static_shape(dx, node))
    made = AveragePoolGrad(
        dy=view.ref,
        dx=low.output(dx, layout),
        **sizes(node, x),
        **window.params(),
        **counting(node, window),
        **x_strides(layout),
        **y_strides(view.strides),
    )
    low.emit(node, made)


GRAD = """
AveragePoolGrad <kernel_shape: ints, strides: ints, dilations: ints, pads: ints, crop: ints, output_padding: ints,
  group: int, count_include_pad: int, weight_shape: ints> (dY, X, rate) => (dX) {
  one = Constant <value_float = 1.0> ()
  weight_size = Constant <value_ints: ints = @weight_shape> ()
  ones = Expand (one, weight_size)
  scaled = Mul (dY, rate)
  dX = ConvTranspose <group: int = @group, strides: ints = @strides, dilations: ints = @dilations, pads: ints = @crop,
    output_padding: ints = @output_padding> (scaled, ones)
}"""

OPERATORS = [Operator("AveragePool", gradient, lower), Operator("AveragePoolGrad", None, lower_grad, DOMAIN, GRAD)]
