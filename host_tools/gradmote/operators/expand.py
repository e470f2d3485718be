"""Expand: a view with strides of 0. dx = dy summed over the expanded dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.graph import static_shape
from ..ir.strides import broadcast_strides
from .broadcast import sum_to
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def gradient(back: Backward) -> Gradients:
    """Return dx, dy summed over the expanded dimensions."""
    return [sum_to(back, back.dy[0], back.node.inputs[0]), None]


def lower(low: Lowering, node: ir.Node) -> None:
    """Make the output a view of the input whose strides are 0 along expanded dimensions."""
    strides = broadcast_strides(static_shape(node.inputs[0], node), static_shape(node.outputs[0], node))
    low.ref(node.inputs[0])
    low.set_view(node.outputs[0], low.view(node.inputs[0]).with_strides(strides))


OPERATORS = [Operator("Expand", gradient, lower, any_type=True, any_width=True, any_exponent=True, constants=(1,))]
