"""QBiasGrad: the gradient of a bias, from the scaled gradient of the output (see ScaledGrad).

db[m] = (the sum of g over all axes except the channels) / scale[m]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.flat_binary import flat_binary
from ..ir.generated.instructions import Div, ReduceSum
from ..ir.graph import DOMAIN, static_shape
from .operator import Operator
from .reduce_sum import reduced_axes, reduction_strides

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit REDUCE_SUM, and DIV by one scale for all channels or one for each."""
    g, scale, db = node.inputs[0], node.inputs[2], node.outputs[0]
    x, total = low.view(g), low.scratch(f"{db.name}.total", static_shape(db, node), [1]).ref
    strides = reduction_strides(node, static_shape(g, node), x.strides, reduced_axes(node))
    low.emit(node, ReduceSum(x=x.ref, y=total, **strides, scale=1.0, accumulate=False))
    step = 1 if low.elements(scale) > 1 else 0
    low.emit(node, flat_binary(Div, total, low.ref(scale), low.output(db), low.elements(db), b_step=step))


BIAS_GRAD = """
QBiasGrad (g, axes, scale) => (dB) {
  total = ReduceSum <keepdims = 0> (g, axes)
  dB = Div (total, scale)
}"""

OPERATORS = [Operator("QBiasGrad", None, lower, DOMAIN, BIAS_GRAD, constants=(1,))]
