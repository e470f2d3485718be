"""TopK, ArgMax and ArgMin along one axis.

The gradient of TopK is dy at the indices of its values, 0 elsewhere.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.generated.instructions import TopK
from ..ir.graph import attribute, static_shape
from .constants import integers
from .gather_elements import axis_of, put_back
from .operator import Backward, Gradients, LoweringRule, Operator

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def gradient(back: Backward) -> Gradients:
    """Return dx: dy at the indices of the values, 0 elsewhere."""
    return [put_back(back, back.dy[0], back.node.outputs[1], axis_of(back.node, -1)), None]


def lower_top_k(low: Lowering, node: ir.Node) -> None:
    """Emit one TOP_K, which always sorts; that is one of the orders that `sorted` = 0 allows."""
    (count,) = integers(node, 1, "number of elements") or [1]
    emit(low, node, axis_of(node, -1), count, smallest=not attribute(node, "largest", 1))


def lower_extreme(smallest: bool) -> LoweringRule:
    """Return the lowering of ArgMax or, with `smallest`, ArgMin to TOP_K."""

    def lower(low: Lowering, node: ir.Node) -> None:
        emit(low, node, axis_of(node), 1, smallest, bool(attribute(node, "select_last_index", 0)))

    return lower


def emit(low: Lowering, node: ir.Node, axis: int, count: int, smallest: bool, last: bool = False) -> None:
    """Emit one TOP_K.

    The node's last output is the indices; in TopK they come after the values.
    """
    shape = static_shape(node.inputs[0], node)
    *values, indices = node.outputs
    made = TopK(
        x=low.ref(node.inputs[0]),
        values=low.output(values[0]) if values else None,
        indices=low.output(indices),
        outer=math.prod(shape[:axis]),
        size=shape[axis],
        count=count,
        inner=math.prod(shape[axis + 1 :]),
        smallest=smallest,
        last=last,
    )
    low.emit(node, made)


OPERATORS = [
    Operator("TopK", gradient, lower_top_k, constants=(1,)),
    Operator("ArgMax", None, lower_extreme(smallest=False), any_type=True),
    Operator("ArgMin", None, lower_extreme(smallest=True), any_type=True),
]
