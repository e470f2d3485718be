"""QMaxPool, the largest of int8 values in each window.

x and y share one quantization, since it preserves the order of numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.generated.instructions import MaxPoolS8
from ..ir.graph import DOMAIN, static_shape
from .max_pool import pool_window, sizes
from .operator import Operator
from .window import channels_last, x_strides, y_strides

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one MAX_POOL_S8; the output is channels-last."""
    x, y = node.inputs[0], node.outputs[0]
    assert x is not None
    layout, view = channels_last(static_shape(y, node)), low.view(x)
    made = MaxPoolS8(
        x=view.ref,
        y=low.output(y, layout, "i8"),
        **sizes(node, x),
        **pool_window(node, x, y).params(),
        **x_strides(view.strides),
        **y_strides(layout),
    )
    low.emit(node, made)


BODY = """
QMaxPool <kernel_shape: ints, strides: ints, dilations: ints, pads: ints, ceil_mode: int> (X) => (Y) {
  Y = MaxPool <kernel_shape: ints = @kernel_shape, strides: ints = @strides, dilations: ints = @dilations,
    pads: ints = @pads, ceil_mode: int = @ceil_mode> (X)
}"""

OPERATORS = [Operator("QMaxPool", None, lower, DOMAIN, BODY, any_width=True)]
