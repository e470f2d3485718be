"""GatherND: y[b,p] = x[b, indices[b,p,0], indices[b,p,1], ...], an element or a slice.

Its gradient adds each element of dy at the position that y came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.graph import DOMAIN, attribute, static_shape
from .flat_indices import by_tuples, gather, put_back_body, scatter_add
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def gradient(back: Backward) -> Gradients:
    """Return dx: each element of dy, added at the index that it came from."""
    x, indices = back.node.inputs
    batch_dims = attribute(back.node, "batch_dims", 0)
    return [back.op("GatherNDGrad", back.dy[0], indices, x, of=x, domain=DOMAIN, batch_dims=batch_dims), None]


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one GATHER with flat indices."""
    x, indices = node.inputs
    source = low.ref(x)
    gather(low, node, source, by_tuples(low, node, indices, static_shape(x, node), attribute(node, "batch_dims", 0)))


def lower_grad(low: Lowering, node: ir.Node) -> None:
    """Fill dx with 0, then emit one SCATTER_ADD with flat indices."""
    dy, indices = node.inputs[:2]
    dx = node.outputs[0]
    flat = by_tuples(low, node, indices, static_shape(dx, node), attribute(node, "batch_dims"))
    target = low.output(dx)
    low.fill(node, target, 0.0)
    scatter_add(low, node, dy, target, flat)


OPERATORS = [
    Operator("GatherND", gradient, lower, any_type=True),
    Operator("GatherNDGrad", None, lower_grad, DOMAIN, put_back_body("GatherND", "batch_dims")),
]
