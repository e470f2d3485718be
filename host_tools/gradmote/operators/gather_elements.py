"""GatherElements: y[o,i,n] = x[o, indices[o,i,n], n] along an axis.

GatherND: y[b,p] = x[b, indices[b,p,0], indices[b,p,1], ...], an element or a slice.

Their gradients add each element of dy at the position that y came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.graph import DOMAIN, attribute, normalize_axis, static_shape
from ..ir.strides import contiguous
from .flat_indices import FlatIndices, along_axis, by_tuples, gather, part_of, put_back_body, scatter_add
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def axis_of(node: ir.Node, default: int = 0) -> int:
    """Return the node's axis, counted from 0."""
    return normalize_axis(attribute(node, "axis", default), node.inputs[0], node)


def gradient(back: Backward) -> Gradients:
    """Return dx: each element of dy, added at the index that it came from."""
    return [put_back(back, back.dy[0], back.node.inputs[1], axis_of(back.node)), None]


def put_back(back: Backward, dy: ir.Value, indices: ir.Value, axis: int) -> ir.Value:
    """Return a tensor like the node's first input: 0, and dy added at `indices` along `axis`."""
    x = back.node.inputs[0]
    return back.op("GatherElementsGrad", dy, indices, x, of=x, domain=DOMAIN, axis=axis)


def covered(shape: tuple[int, ...], indices: tuple[int, ...], axis: int) -> list[int]:
    """Return the shape of the part of a tensor that indices reach.

    There may be fewer indices than elements along the other axes.
    """
    return [d if a == axis else i for a, (d, i) in enumerate(zip(shape, indices, strict=True))]


def indices_of(low: Lowering, node: ir.Node, indices: ir.Value, shape: tuple[int, ...], axis: int) -> FlatIndices:
    """Return the flat indices that `indices` select along `axis` of a tensor of this shape."""
    return along_axis(low, node, indices, shape[axis], axis)


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one GATHER from the part of x that the indices reach."""
    x, indices = node.inputs
    axis, shape = axis_of(node), static_shape(x, node)
    part = part_of(low, low.view(x), shape, covered(shape, static_shape(indices, node), axis), node)
    gather(low, node, part.ref, indices_of(low, node, indices, shape, axis))


def lower_grad(low: Lowering, node: ir.Node) -> None:
    """Fill dx with 0, then add dy to the part of it that the indices reach.

    If that is not all of dx, the part is computed in scratch memory and moved to dx.
    """
    dy, indices = node.inputs[:2]
    dx, axis = node.outputs[0], attribute(node, "axis")
    shape = static_shape(dx, node)
    part = covered(shape, static_shape(indices, node), axis)
    flat = indices_of(low, node, indices, shape, axis)
    target = low.output(dx)
    low.fill(node, target, 0.0)
    if part == list(shape):
        scatter_add(low, node, dy, target, flat)
        return
    own = low.scratch(f"{dx.name}.part", part, contiguous(part))
    low.fill(node, own.ref, 0.0)
    scatter_add(low, node, dy, own.ref, flat)
    low.move(node, part, own, low.view(dx))


def nd_gradient(back: Backward) -> Gradients:
    """Return dx: each element of dy, added at the index that it came from."""
    x, indices = back.node.inputs
    batch_dims = attribute(back.node, "batch_dims", 0)
    return [back.op("GatherNDGrad", back.dy[0], indices, x, of=x, domain=DOMAIN, batch_dims=batch_dims), None]


def lower_nd(low: Lowering, node: ir.Node) -> None:
    """Emit one GATHER with flat indices."""
    x, indices = node.inputs
    source = low.ref(x)
    gather(low, node, source, by_tuples(low, node, indices, static_shape(x, node), attribute(node, "batch_dims", 0)))


def lower_nd_grad(low: Lowering, node: ir.Node) -> None:
    """Fill dx with 0, then emit one SCATTER_ADD with flat indices."""
    dy, indices = node.inputs[:2]
    dx = node.outputs[0]
    flat = by_tuples(low, node, indices, static_shape(dx, node), attribute(node, "batch_dims"))
    target = low.output(dx)
    low.fill(node, target, 0.0)
    scatter_add(low, node, dy, target, flat)


OPERATORS = [
    Operator("GatherElements", gradient, lower, any_type=True),
    Operator("GatherElementsGrad", None, lower_grad, DOMAIN, put_back_body("GatherElements", "axis")),
    Operator("GatherND", nd_gradient, lower_nd, any_type=True),
    Operator("GatherNDGrad", None, lower_nd_grad, DOMAIN, put_back_body("GatherND", "batch_dims")),
]
