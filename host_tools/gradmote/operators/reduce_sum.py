"""ReduceSum over axes; dx is dy broadcast to the shape of x."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.generated.instructions import ReduceSum
from ..ir.graph import DOMAIN, attribute, constant_array, describe, normalize_axis, rank, static_shape
from ..ir.strides import broadcast_strides, fit
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


#: Since this opset axes are an input of every reduction; before, of ReduceSum alone.
AXES_INPUT_OPSET = 18


def reduced_axes(node: ir.Node) -> list[int]:
    """Return the reduced axes, sorted and counted from 0.

    They are an input (since opset 18, of ReduceSum since 13) or an attribute. None means all,
    unless noop_with_empty_axes is set.

    Raises:
        UnsupportedOperator: The axes are computed.
    """
    given = node.inputs[1] if len(node.inputs) > 1 else None
    if given is not None:
        array = constant_array(given)
        if array is None:
            raise UnsupportedOperator(f"{node.op_type} with computed axes", "make the axes constant", describe(node))
        axes = [int(a) for a in array.reshape(-1)]
    else:
        axes = list(attribute(node, "axes", []))
    if not axes and not attribute(node, "noop_with_empty_axes", 0):
        axes = list(range(rank(node.inputs[0], node)))
    return sorted(normalize_axis(a, node.inputs[0], node) for a in axes)


def gradient(back: Backward) -> Gradients:
    """Return dx = dy, broadcast to the shape of x."""
    x = back.node.inputs[0]
    return [back.op("BroadcastLike", kept_dims(back, back.dy[0]), x, of=x, domain=DOMAIN), None]


def kept_dims(back: Backward, dy: ir.Value) -> ir.Value:
    """Return dy with the reduced axes as 1, as keepdims leaves them."""
    if attribute(back.node, "keepdims", 1):
        return dy
    axes = back.builder.constant(np.array(reduced_axes(back.node), np.int64), f"{back.node.inputs[0].name}_grad.axes")
    return back.op("Unsqueeze", dy, axes, of=back.node.inputs[0])


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one REDUCE_SUM."""
    emit_reduce(low, node, 1.0)


def emit_reduce(low: Lowering, node: ir.Node, scale: float) -> None:
    """Emit one REDUCE_SUM over the node's axes, its sums multiplied by `scale`."""
    x = low.view(node.inputs[0])
    strides = reduction_strides(node, static_shape(node.inputs[0], node), x.strides, reduced_axes(node))
    low.emit(node, ReduceSum(x=x.ref, y=low.output(node.outputs[0]), **strides, scale=scale, accumulate=False))


class ReductionStrides(TypedDict):
    """The sizes and strides with which a reduction reads x.

    They are k and ks over the kept axes, r and rs over the reduced ones.
    """

    k0: int
    k1: int
    k2: int
    k3: int
    ks0: int
    ks1: int
    ks2: int
    ks3: int
    r0: int
    r1: int
    r2: int
    r3: int
    rs0: int
    rs1: int
    rs2: int
    rs3: int


def reduction_strides(
    node: ir.Node, shape: Sequence[int], strides: Sequence[int], axes: Sequence[int]
) -> ReductionStrides:
    """Return the sizes and strides with which a reduction over `axes` reads x."""
    kept = [i for i in range(len(shape)) if i not in axes]
    (k0, k1, k2, k3), ((ks0, ks1, ks2, ks3),) = fit(node, [shape[i] for i in kept], [strides[i] for i in kept])
    (r0, r1, r2, r3), ((rs0, rs1, rs2, rs3),) = fit(node, [shape[i] for i in axes], [strides[i] for i in axes])
    return {
        "k0": k0, "k1": k1, "k2": k2, "k3": k3, "ks0": ks0, "ks1": ks1, "ks2": ks2, "ks3": ks3,
        "r0": r0, "r1": r1, "r2": r2, "r3": r3, "rs0": rs0, "rs1": rs1, "rs2": rs2, "rs3": rs3,
    }  # fmt: skip


def lower_broadcast_like(low: Lowering, node: ir.Node) -> None:
    """Make dx a view of dy whose strides are 0 along broadcast dimensions."""
    dy, x = node.inputs
    strides = broadcast_strides(static_shape(dy, node), static_shape(x, node))
    low.place(node.outputs[0], low.ref(dy), strides)


BROADCAST_LIKE = """
BroadcastLike (dY, X) => (dX) {
  shape = Shape (X)
  dX = Expand (dY, shape)
}"""

OPERATORS = [
    Operator("ReduceSum", gradient, lower, constants=(1,)),
    Operator("BroadcastLike", None, lower_broadcast_like, DOMAIN, BROADCAST_LIKE),
]
