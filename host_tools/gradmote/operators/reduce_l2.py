"""ReduceL2: the root of the sum of squares.

dx = x dy / y, and 0 if y is 0, as in PyTorch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.flat_binary import flat_binary
from ..ir.generated.instructions import Mul, ReduceSum, Sqrt
from ..ir.graph import static_shape
from ..ir.strides import contiguous
from .operator import Backward, Gradients, Operator
from .reduce_sum import kept_dims, reduced_axes, reduction_strides
from .selection import gapless

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

#: Smaller than the root of every float32 above 0, so that it replaces y only if y is 0.
SMALLEST = 1e-23


def gradient(back: Backward) -> Gradients:
    """Return dx = x dy / y, 0 if y is 0."""
    x = back.node.inputs[0]
    dy, y = (kept_dims(back, value) for value in (back.dy[0], back.node.outputs[0]))
    smallest = back.builder.constant(SMALLEST, f"{x.name}_grad.smallest")
    share = back.op("Div", dy, back.op("Clip", y, smallest, of=x), of=x)
    return [back.op("Mul", x, share, of=x), None]


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit MUL, REDUCE_SUM and SQRT."""
    x, y = node.inputs[0], node.outputs[0]
    shape, kept = static_shape(x, node), static_shape(y, node)
    view = gapless(low, node, low.view(x), shape)
    squares = low.scratch(f"{y.name}.squares", shape, view.strides)
    low.emit(node, flat_binary(Mul, view.ref, view.ref, squares.ref, low.elements(x)))
    total = low.scratch(f"{y.name}.total", kept, contiguous(kept))
    strides = reduction_strides(node, shape, squares.strides, reduced_axes(node))
    low.emit(node, ReduceSum(x=squares.ref, y=total.ref, **strides, scale=1.0, accumulate=False))
    low.emit(node, Sqrt(x=total.ref, y=low.output(y), n=low.elements(y)))


OPERATORS = [Operator("ReduceL2", gradient, lower, constants=(1,))]
