"""QBiasGrad and ReduceSum with 16-bit gradients: the sum of g over all axes except the channels.

QBiasGrad divides the sum by the weight's scale, by which g was multiplied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ...ir.generated.instructions import SumS16
from ...ir.graph import constant_array, static_shape
from ...ir.strides import collapse, pad_front
from ..reduce_sum import lower as lower_float
from ..reduce_sum import reduced_axes
from .values import is_int16, read

if TYPE_CHECKING:
    from ...ir.instruction import Ref
    from ...ir.lowering import Lowering


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one SUM_S16."""
    emit(low, node, divisor(low, node, low.elements(node.outputs[0])))


def lower_sum(low: Lowering, node: ir.Node) -> None:
    """Emit one SUM_S16 if a 16-bit gradient is summed for each channel, else lower as for float32."""
    g = node.inputs[0]
    if is_int16(low, g) and len(reduced_axes(node)) == len(static_shape(g, node)) - 1:
        emit(low, node, None)
        return
    low.any_exponent = False
    lower_float(low, node)


def emit(low: Lowering, node: ir.Node, divided_by: Ref | None) -> None:
    """Emit one SUM_S16 over the node's axes, which are all except one."""
    g, db = node.inputs[0], node.outputs[0]
    shape, axes = static_shape(g, node), reduced_axes(node)
    (channel,) = [axis for axis in range(len(shape)) if axis not in axes]
    source = read(low, node, g)
    kept, (merged,) = collapse([shape[a] for a in axes], [source.strides[a] for a in axes])
    if len(kept) > 2:
        low.ref(g)
        source = read(low, node, g)
        kept, (merged,) = collapse([shape[a] for a in axes], [source.strides[a] for a in axes])
    (outer, inner), (x_outer, x_inner) = pad_front(kept, 2, 1), pad_front(merged, 2, 0)
    total = SumS16(
        x=source.ref, x_exponent=source.exponent, divisor=divided_by, y=low.output(db),
        outer=outer, channels=shape[channel], inner=inner,
        x_outer=x_outer, x_channel=source.strides[channel], x_inner=x_inner, accumulate=False,
    )  # fmt: skip
    low.emit(node, total)


def divisor(low: Lowering, node: ir.Node, channels: int) -> Ref:
    """Return the operand of the scales, one for each channel."""
    array = constant_array(node.inputs[2])
    assert array is not None
    return low.constant(np.broadcast_to(array.reshape(-1), (channels,)).astype(np.float32).tobytes())
