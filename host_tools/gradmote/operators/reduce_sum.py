"""ReduceSum over axes, and the reductions that are made of sums, ReduceMean and ReduceL2.

ReduceSum     dx is dy broadcast to the shape of x
ReduceMean    ReduceSum divided by the number of summed elements; dx = dy / count, broadcast likewise
ReduceL2      the root of the sum of squares; dx = x dy / y, and 0 if y is 0, as in PyTorch
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.flat_binary import flat_binary
from ..ir.generated.instructions import Mul, ReduceSum, Sqrt, Sum, SumGrad
from ..ir.graph import DOMAIN, attribute, constant_array, describe, normalize_axis, rank, static_shape
from ..ir.strides import broadcast_strides, contiguous, fit, physical_order
from .operator import Backward, Gradients, Operator
from .selection import gapless

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


def sum_gradient(back: Backward) -> Gradients:
    """Return dx = dy, broadcast to the shape of x."""
    x = back.node.inputs[0]
    return [back.op("BroadcastLike", kept_dims(back, back.dy[0]), x, of=x, domain=DOMAIN), None]


def kept_dims(back: Backward, dy: ir.Value) -> ir.Value:
    """Return dy with the reduced axes as 1, as keepdims leaves them."""
    if attribute(back.node, "keepdims", 1):
        return dy
    axes = back.builder.constant(np.array(reduced_axes(back.node), np.int64), f"{back.node.inputs[0].name}_grad.axes")
    return back.op("Unsqueeze", dy, axes, of=back.node.inputs[0])


def lower_sum(low: Lowering, node: ir.Node) -> None:
    """Emit one REDUCE_SUM."""
    emit_reduce(low, node, 1.0)


def emit_reduce(low: Lowering, node: ir.Node, scale: float) -> None:
    """Emit one REDUCE_SUM over the node's axes, its sums multiplied by `scale`; one SUM over all samples."""
    if low.samples is not None and low.samples.is_sum(node):
        n, y = low.elements(node.inputs[0]), low.output(node.outputs[0])
        low.emit(node, Sum(x=low.ref(node.inputs[0]), y=y, n=n, scale=scale))
        return
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


def emit_spread(low: Lowering, node: ir.Node, scale: float) -> None:
    """Emit one SUM_GRAD, which gives all samples scale dy."""
    dy, x = node.inputs
    low.emit(node, SumGrad(dy=low.ref(dy), dx=low.output(node.outputs[0]), n=low.elements(x), scale=scale))


def lower_broadcast_like(low: Lowering, node: ir.Node) -> None:
    """Make dx a view of dy whose strides are 0 along broadcast dimensions; SUM_GRAD of all samples."""
    if low.samples is not None and low.samples.is_spread(node):
        emit_spread(low, node, 1.0)
        return
    dy, x = node.inputs
    strides = broadcast_strides(static_shape(dy, node), static_shape(x, node))
    low.place(node.outputs[0], low.ref(dy), strides)


BROADCAST_LIKE = """
BroadcastLike (dY, X) => (dX) {
  shape = Shape (X)
  dX = Expand (dY, shape)
}"""


def mean_gradient(back: Backward) -> Gradients:
    """Return dx = dy / count, broadcast to the shape of x."""
    x = back.node.inputs[0]
    return [back.op("ReduceMeanGrad", kept_dims(back, back.dy[0]), x, of=x, domain=DOMAIN), None]


def lower_mean(low: Lowering, node: ir.Node) -> None:
    """Emit one REDUCE_SUM with the scale 1 / count."""
    shape = static_shape(node.inputs[0], node)
    emit_reduce(low, node, 1.0 / math.prod(shape[a] for a in reduced_axes(node)))


def lower_mean_grad(low: Lowering, node: ir.Node) -> None:
    """Emit one MUL of dy and 1 / count, broadcast to the shape of x, or SUM_GRAD; dx has the strides of x."""
    dy, x = node.inputs
    shape, dy_shape = static_shape(x, node), static_shape(dy, node)
    if low.samples is not None and low.samples.is_spread(node):
        emit_spread(low, node, 1.0 / math.prod(shape))
        return
    layout = low.common_layout([x]) or contiguous(shape)
    order, repeated = physical_order(shape, layout), broadcast_strides(dy_shape, shape)
    (d0, d1, d2, d3), ((a0, a1, a2, a3),) = fit(node, [shape[i] for i in order], [repeated[i] for i in order])
    share = low.scalar(math.prod(dy_shape) / math.prod(shape))
    made = Mul(
        a=low.ref(dy), b=share, y=low.output(node.outputs[0], layout),
        d0=d0, d1=d1, d2=d2, d3=d3,
        a0=a0, a1=a1, a2=a2, a3=a3,
        b0=0, b1=0, b2=0, b3=0,
    )  # fmt: skip
    low.emit(node, made)


MEAN_GRAD = """
ReduceMeanGrad (dY, X) => (dX) {
  shape = Shape (X)
  size_x = Size (X)
  size_dy = Size (dY)
  count_int = Div (size_x, size_dy)
  count = Cast <to = 1> (count_int)
  share = Div (dY, count)
  dX = Expand (share, shape)
}"""


#: Smaller than the root of every float32 above 0, so that it replaces y only if y is 0.
SMALLEST = 1e-23


def l2_gradient(back: Backward) -> Gradients:
    """Return dx = x dy / y, 0 if y is 0."""
    x = back.node.inputs[0]
    dy, y = (kept_dims(back, value) for value in (back.dy[0], back.node.outputs[0]))
    smallest = back.builder.constant(SMALLEST, f"{x.name}_grad.smallest")
    share = back.op("Div", dy, back.op("Clip", y, smallest, of=x), of=x)
    return [back.op("Mul", x, share, of=x), None]


def lower_l2(low: Lowering, node: ir.Node) -> None:
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


OPERATORS = [
    Operator("ReduceSum", sum_gradient, lower_sum, constants=(1,)),
    Operator("BroadcastLike", None, lower_broadcast_like, DOMAIN, BROADCAST_LIKE),
    Operator("ReduceMean", mean_gradient, lower_mean, constants=(1,)),
    Operator("ReduceMeanGrad", None, lower_mean_grad, DOMAIN, MEAN_GRAD),
    Operator("ReduceL2", l2_gradient, lower_l2, constants=(1,)),
]
