"""Slice with constant limits: a view if every step is positive.

dx is dy with zeros around it and in between. Negative steps, and the gradient of all steps except 1,
select positions along an axis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.graph import describe, normalize_axis, static_shape
from .constants import integers, known_dim
from .operator import Backward, Gradients, Operator
from .selection import Table, known_dims, put_back, take

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def ranges(node: ir.Node) -> dict[int, range]:
    """Return the positions taken along each axis that the node names.

    Raises:
        UnsupportedOperator: The limits are computed, or take nothing.
    """
    x = node.inputs[0]
    starts, ends = (integers(node, i, what) or [] for i, what in ((1, "starts"), (2, "ends")))
    axes = integers(node, 3, "axes") or list(range(len(starts)))
    steps = integers(node, 4, "steps") or [1] * len(starts)
    taken = {}
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        axis = normalize_axis(axis, x, node)
        dim = known_dim(x, axis, node)
        taken[axis] = range(*slice(start, end, step or 1).indices(dim))
        if not taken[axis] or step == 0:
            raise UnsupportedOperator(
                f"Slice that takes none of the {dim} elements along axis {axis} of '{x.name}'",
                "take some, or remove the output",
                describe(node),
            )
    return taken


def gradient(back: Backward) -> Gradients:
    """Return dx: dy put back along each axis whose step is not 1, then padded with zeros."""
    x, dy = back.node.inputs[0], back.dy[0]
    shape = known_dims(back.node.outputs[0])
    before, after = [0] * len(shape), [0] * len(shape)
    for axis, taken in ranges(back.node).items():
        dim = known_dim(x, axis, back.node)
        if len(taken) > 1 and taken.step != 1:
            shape[axis] = dim
            dy = put_back(back, dy, shape, axis, Table(np.array(taken)))
        else:
            before[axis], after[axis] = taken[0], dim - 1 - taken[-1]
    if any(before) or any(after):
        pads = back.builder.constant(np.array(before + after, np.int64), f"{x.name}_grad.pads")
        dy = back.op("Pad", dy, pads, of=x)
    return [dy, None, None, None, None]


def lower(low: Lowering, node: ir.Node) -> None:
    """Make the output a view of the input; a negative step emits a GATHER."""
    view, taken = low.view(node.inputs[0]), ranges(node)
    shape = list(static_shape(node.inputs[0], node))
    index, steps = [0] * len(shape), [1] * len(shape)
    for axis, positions in taken.items():
        if len(positions) > 1 and positions.step < 0:
            view, shape = take(low, node, view, shape, axis, Table(np.array(positions)))
        else:
            index[axis], steps[axis] = positions[0], abs(positions.step)
    view = view.at(index, steps)
    low.set_view(node.outputs[0], view)


OPERATORS = [
    Operator("Slice", gradient, lower, any_type=True, any_width=True, any_exponent=True, constants=(1, 2, 3, 4))
]
