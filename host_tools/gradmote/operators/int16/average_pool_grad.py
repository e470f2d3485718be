"""AveragePoolGrad with 16-bit gradients, for a pool with one window over the whole input.

dx = dy / count, broadcast to the shape of x, as the gradient of a mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ...ir.graph import attribute
from ..average_pool import lower_grad
from ..window import spatial, window_of
from . import mean_grad
from .values import is_int16

if TYPE_CHECKING:
    from ...ir.lowering import Lowering


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one ADD_S16 if one window covers the input, else lower as for float32."""
    dy, x = node.inputs[:2]
    window = window_of(node, spatial(x), spatial(dy), attribute(node, "kernel_shape"))
    covers = window.kernel == window.inputs and not any(window.pads) and set(window.outputs) == {1}
    if is_int16(low, dy) and covers and set(window.dilations) == {1}:
        mean_grad.emit(low, node, dy, x)
        return
    low.any_exponent = False
    lower_grad(low, node)
