"""MaxPool and GlobalMaxPool.

The gradient goes to the first largest tap of each window, found again from x.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.generated.instructions import MaxPool, MaxPoolGrad, MaxPoolS8
from ..ir.graph import DOMAIN, attribute, describe, static_shape
from ..ir.instruction import Buffer, Ref
from .operator import Backward, Gradients, Operator
from .selection import gapless
from .window import Window, channels_last, require_fit, spatial, window_of, x_strides, y_strides

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

#: The most taps of a kernel that a byte can number; the value 255 means none.
MOST_TAPS = 255


def pool_window(node: ir.Node, x: ir.Value, y: ir.Value) -> Window:
    """Return the pool's window; a global pool's is all of the input.

    Raises:
        UnsupportedOperator: A window has padding alone, before the input or past its end.
    """
    window = require_fit(node, window_of(node, spatial(x), spatial(y), attribute(node, "kernel_shape", spatial(x))))
    before = zip(window.kernel, window.dilations, window.pads, strict=True)
    if any((k - 1) * d + 1 <= p for k, d, p in before):
        raise UnsupportedOperator(
            f"{node.op_type} with pads {window.explicit_pads}, which make a window of padding alone",
            "pad less than the kernel's size",
            describe(node),
        )
    sizes = zip(window.inputs, window.outputs, window.strides, window.pads, strict=True)
    if any((o - 1) * s - p >= i for i, o, s, p in sizes):
        raise UnsupportedOperator(
            "ceil_mode makes a window without a single element", "pad the input, or use ceil_mode=0", describe(node)
        )
    return window


def gradient(back: Backward) -> Gradients:
    """Return dx: each window's dy at its first largest tap."""
    node = back.node
    x, y = node.inputs[0], node.outputs[0]
    attributes = grad_attributes(pool_window(node, x, y)) | {"ceil_mode": attribute(node, "ceil_mode", 0)}
    return [back.op("MaxPoolGrad", back.dy[0], x, y, of=x, domain=DOMAIN, **attributes)]


def grad_attributes(window: Window) -> dict[str, Any]:
    """Return the attributes of the window, under ONNX's names."""
    return {
        "kernel_shape": window.kernel,
        "strides": window.strides,
        "dilations": window.dilations,
        "pads": window.explicit_pads,
    }


class Sizes(TypedDict):
    """The size of a pool's input, except for its window."""

    batch: int
    channels: int


def sizes(node: ir.Node, x: ir.Value) -> Sizes:
    """Return batch and channels of x."""
    batch, channels = static_shape(x, node)[:2]
    return {"batch": batch, "channels": channels}


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one MAX_POOL; the output is channels-last.

    Raises:
        UnsupportedOperator: The second output, the indices, is used.
    """
    x, y = node.inputs[0], node.outputs[0]
    if any(indices.uses() or indices.is_graph_output() for indices in node.outputs[1:]):
        raise UnsupportedOperator("the indices of a MaxPool are used", "use only its first output", describe(node))
    layout = channels_last(static_shape(y, node))
    view = low.view(x)
    made = MaxPool(
        x=view.ref,
        y=low.output(y, layout),
        **sizes(node, x),
        **pool_window(node, x, y).params(),
        **x_strides(view.strides),
        **y_strides(layout),
        relu=False,
    )
    low.emit(node, made)


def lower_grad(low: Lowering, node: ir.Node) -> None:
    """Emit one MAX_POOL_GRAD; dx has the strides of x."""
    dy, x, y = node.inputs
    view = gapless(low, node, low.view(x), static_shape(x, node))  # dx gets the strides of x
    window, arriving = window_of(node, spatial(x), spatial(y), attribute(node, "kernel_shape")), low.view(dy)
    made = MaxPoolGrad(
        x=view.ref,
        dy=arriving.ref,
        dx=low.output(node.outputs[0], view.strides),
        **sizes(node, x),
        **window.params(),
        **x_strides(view.strides),
        **y_strides(arriving.strides),
    )
    low.emit(node, made)


def new_index(pool: MaxPool | MaxPoolS8) -> Ref:
    """Return scratch for a byte per output: the tap of its window that was the largest."""
    return Ref(Buffer(f"{pool.origin}.index", pool.batch * pool.out_h * pool.out_w * pool.channels, "scratch"))


GRAD = """
MaxPoolGrad <kernel_shape: ints, strides: ints, dilations: ints, pads: ints, ceil_mode: int> (dY, X, Y) => (dX) {
  all = Constant <value_ints = [-1]> ()
  largest, index = MaxPool <kernel_shape: ints = @kernel_shape, strides: ints = @strides,
    dilations: ints = @dilations, pads: ints = @pads, ceil_mode: int = @ceil_mode> (X)
  shape = Shape (X)
  at = Reshape (index, all)
  flat = Reshape (dY, all)
  flat_x = Reshape (X, all)
  zeros = Sub (flat_x, flat_x)
  sums = ScatterElements <axis = 0, reduction = "add"> (zeros, at, flat)
  dX = Reshape (sums, shape)
}"""

OPERATORS = [
    Operator("MaxPool", gradient, lower, limits="its second output, the indices, is refused if it is used."),
    Operator("GlobalMaxPool", gradient, lower),
    Operator("MaxPoolGrad", None, lower_grad, DOMAIN, GRAD),
]
