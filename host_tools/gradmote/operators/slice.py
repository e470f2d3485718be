"""Slice with constant limits: a view where every step is positive. dx = dy with zeros around it, or between.

An axis with another step is a Gather of constant positions, forward and backward.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..graph import describe, normalize_axis, rank, static_shape
from .constants import integers, known_dim
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..lowering import Lowering


def ranges(node: ir.Node) -> dict[int, range]:
    """The positions taken along each axis that the node names."""
    x = node.inputs[0]
    starts, ends = (integers(node, i, what) or [] for i, what in ((1, "starts"), (2, "ends")))
    axes = integers(node, 3, "axes") or list(range(len(starts)))
    steps = integers(node, 4, "steps") or [1] * len(starts)
    taken = {}
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        axis = normalize_axis(axis, x, node)
        taken[axis] = range(*slice(start, end, step).indices(known_dim(x, axis, node)))
    return taken


def gradient(back: Backward) -> Gradients:
    """One axis with a step after the other, then zeros around all."""
    x, dy = back.node.inputs[0], back.dy[0]
    n = rank(x, back.node)
    before, after = [0] * n, [0] * n
    for axis, taken in ranges(back.node).items():
        if len(taken) > 1 and taken.step != 1:
            raise UnsupportedOperator("the gradient of Slice with steps", "use steps of 1", describe(back.node))
        before[axis], after[axis] = taken[0], known_dim(x, axis, back.node) - 1 - taken[-1]
    if any(before) or any(after):
        pads = back.builder.constant(np.array(before + after, np.int64), f"{x.name}_grad.pads")
        dy = back.op("Pad", dy, pads, of=x)
    return [dy, None, None, None, None]


def lower(low: Lowering, node: ir.Node) -> None:
    x, taken = low.view(node.inputs[0]), ranges(node)
    n = len(static_shape(node.inputs[0], node))
    if any(r.step < 0 and len(r) > 1 for r in taken.values()):
        raise UnsupportedOperator("Slice with negative steps", "use positive steps", describe(node))
    index = [taken[a][0] if a in taken else 0 for a in range(n)]
    view = x.at(index, [taken[a].step if a in taken and len(taken[a]) > 1 else 1 for a in range(n)])
    low.set_view(node.outputs[0], view.ref, view.strides)


OPERATORS = [Operator("Slice", gradient, lower)]
