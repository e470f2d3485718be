"""Standardize, an operator of our own by which passes replace layer, group and other norms.

Its result has mean 0 and variance 1 over `axes`:

    y = (x - mean) inv_std,  inv_std = 1 / sqrt(var + epsilon),  var = mean((x - mean)^2)
    dx = inv_std (dy - mean(dy) - y mean(dy y))

The statistics have the shape of x with 1 along `axes`. Without `centre`, mean is 0 and dx lacks
mean(dy).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.generated.instructions import Standardize, StandardizeGrad
from ..ir.graph import DOMAIN, Builder, attribute, describe, static_shape
from .operator import Backward, Gradients, Operator
from .reduce_sum import ReductionStrides, reduction_strides
from .selection import gapless, with_strides

if TYPE_CHECKING:
    from ..ir.instruction import Ref
    from ..ir.lowering import Lowering


def standardize(
    builder: Builder, x: ir.Value, axes: Sequence[int], epsilon: float, name: str, centre: int = 1
) -> Sequence[ir.Value]:
    """Return the outputs (Y, InvStd, Mean, Var) of a new Standardize of x.

    There are always four, because onnx's inference stops at a function whose last outputs are omitted.
    """
    names = [f"{name}.{part}" for part in ("standard", "inv_std", "mean", "var")]
    given = {"axes": list(axes), "epsilon": float(epsilon), "centre": centre}
    return builder.ops("Standardize", x, names=names, domain=DOMAIN, **given)


def gradient(back: Backward) -> Gradients:
    """Return dx = inv_std (dy - mean(dy) - y mean(dy y)).

    Raises:
        UnsupportedOperator: The loss depends on the statistics.
    """
    node = back.node
    if any(dy is not None for dy in back.dy[1:]):
        raise UnsupportedOperator(
            "the loss depends on the statistics of a normalization", "use its first output only", describe(node)
        )
    y, inv_std = node.outputs[:2]
    given = {"axes": attribute(node, "axes"), "centre": attribute(node, "centre")}
    return [back.op("StandardizeGrad", back.dy[0], y, inv_std, of=node.inputs[0], domain=DOMAIN, **given)]


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one STANDARDIZE; y has the strides of x. Only used statistics are written."""
    x, y = node.inputs[0], node.outputs[0]
    view = gapless(low, node, low.view(x), static_shape(x, node))
    made = Standardize(
        x=view.ref,
        y=low.output(y, view.strides),
        inv_std=unless_unused(low, node, 1),
        mean=unless_unused(low, node, 2),
        var=unless_unused(low, node, 3),
        **group_strides(node, view.strides),
        epsilon=attribute(node, "epsilon"),
        centre=bool(attribute(node, "centre")),
    )
    low.emit(node, made)


def unless_unused(low: Lowering, node: ir.Node, index: int) -> Ref | None:
    """Return memory for an output of the node, or None if nothing reads it."""
    value = node.outputs[index] if index < len(node.outputs) else None
    return low.output(value) if value is not None and (value.uses() or value.is_graph_output()) else None


def group_strides(node: ir.Node, strides: Sequence[int]) -> ReductionStrides:
    """Return the sizes and strides with which the instruction reads tensors with these strides."""
    return reduction_strides(node, static_shape(node.inputs[0], node), strides, attribute(node, "axes"))


def lower_grad(low: Lowering, node: ir.Node) -> None:
    """Emit one STANDARDIZE_GRAD; dy and dx have the strides of y."""
    dy, y, inv_std = node.inputs
    saved = low.view(y)
    arriving = with_strides(low, node, dy, saved.strides)
    made = StandardizeGrad(
        dy=arriving.ref,
        y=saved.ref,
        inv_std=low.ref(inv_std),
        dx=low.output(node.outputs[0], saved.strides),
        **group_strides(node, saved.strides),
        centre=bool(attribute(node, "centre")),
    )
    low.emit(node, made)


FORWARD = """
Standardize <axes: ints, epsilon: float, centre: int> (X) => (Y, InvStd, Mean, Var) {
  axes_input = Constant <value_ints: ints = @axes> ()
  epsilon_value = Constant <value_float: float = @epsilon> ()
  centre_int = Constant <value_int: int = @centre> ()
  centre_value = Cast <to = 1> (centre_int)
  total = ReduceSum <keepdims = 1> (X, axes_input)
  size_x = Size (X)
  size_total = Size (total)
  count_int = Div (size_x, size_total)
  count = Cast <to = 1> (count_int)
  average = Div (total, count)
  Mean = Mul (average, centre_value)
  centred = Sub (X, Mean)
  square = Mul (centred, centred)
  squares = ReduceSum <keepdims = 1> (square, axes_input)
  Var = Div (squares, count)
  safe = Add (Var, epsilon_value)
  std = Sqrt (safe)
  InvStd = Reciprocal (std)
  Y = Mul (centred, InvStd)
}"""

GRAD = """
StandardizeGrad <axes: ints, centre: int> (dY, Y, InvStd) => (dX) {
  axes_input = Constant <value_ints: ints = @axes> ()
  centre_int = Constant <value_int: int = @centre> ()
  centre_value = Cast <to = 1> (centre_int)
  size_y = Size (Y)
  size_groups = Size (InvStd)
  count_int = Div (size_y, size_groups)
  count = Cast <to = 1> (count_int)
  total = ReduceSum <keepdims = 1> (dY, axes_input)
  average = Div (total, count)
  mean = Mul (average, centre_value)
  product = Mul (dY, Y)
  product_total = ReduceSum <keepdims = 1> (product, axes_input)
  slope = Div (product_total, count)
  parallel = Mul (Y, slope)
  centred = Sub (dY, mean)
  part = Sub (centred, parallel)
  dX = Mul (InvStd, part)
}"""

OPERATORS = [
    Operator("Standardize", gradient, lower, DOMAIN, FORWARD),
    Operator("StandardizeGrad", None, lower_grad, DOMAIN, GRAD),
]
