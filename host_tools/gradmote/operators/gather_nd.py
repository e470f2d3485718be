"""GatherND: y[b,p] = x[b, indices[b,p,0], indices[b,p,1], ...], an element or a slice. Its gradient adds each dy where
y was taken from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..graph import DOMAIN, attribute, static_shape
from .operator import Backward, Gradients, Operator
from .places import by_tuples, gather, scatter_add

if TYPE_CHECKING:
    from ..lowering import Lowering


def gradient(back: Backward) -> Gradients:
    x, indices = back.node.inputs
    batch_dims = attribute(back.node, "batch_dims", 0)
    return [back.op("GatherNDGrad", back.dy[0], indices, x, of=x, domain=DOMAIN, batch_dims=batch_dims), None]


def lower(low: Lowering, node: ir.Node) -> None:
    x, indices = node.inputs
    source = low.ref(x)
    gather(low, node, source, by_tuples(low, node, indices, static_shape(x, node), attribute(node, "batch_dims", 0)))


def lower_grad(low: Lowering, node: ir.Node) -> None:
    dy, indices = node.inputs[:2]
    dx = node.outputs[0]
    places = by_tuples(low, node, indices, static_shape(dx, node), attribute(node, "batch_dims"))
    target = low.output(dx)
    low.fill(node, target, 0.0)
    scatter_add(low, node, dy, target, places)


#: Where dy came from is found by taking the numbers of x's elements in place of the elements.
GRAD = """
GatherNDGrad <batch_dims: int> (dY, indices, X) => (dX) {
  all = Constant <value_ints = [-1]> ()
  zero = Constant <value_int = 0> ()
  one = Constant <value_int = 1> ()
  shape = Shape (X)
  count = Size (X)
  numbers = Range (zero, count, one)
  places = Reshape (numbers, shape)
  taken = GatherND <batch_dims: int = @batch_dims> (places, indices)
  at = Reshape (taken, all)
  flat = Reshape (dY, all)
  length = Reshape (count, all)
  zeros = ConstantOfShape (length)
  sums = ScatterElements <axis = 0, reduction = "add"> (zeros, at, flat)
  dX = Reshape (sums, shape)
}"""

OPERATORS = [
    Operator("GatherND", gradient, lower, any_type=True),
    Operator("GatherNDGrad", None, lower_grad, DOMAIN, GRAD),
]
