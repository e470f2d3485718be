"""Batch normalization as operators of our own, written by its passes.

There are C channels along axis 1; sums are over `axes`, which are all others.

    Moments          mean, inv_std = 1 / sqrt(var + epsilon), var = mean((x - mean)^2)
    Normalize        y = (x - mean) inv_std scale + bias
    NormalizeSums    dscale = sum(dy (x - mean) inv_std), dbias = sum(dy)
    NormalizeGrad    dx = scale inv_std (dy - dbias / n - (x - mean) inv_std dscale / n)
    NormalizeScale   dx = dy scale inv_std

n is the number of values of a channel. The attribute `batch` = 1 of Normalize says that mean and
inv_std are those of x; its gradient is then NormalizeGrad, and else NormalizeScale. Source: Ioffe
and Szegedy 2015.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

import onnx_ir as ir

from ..ir.generated.instructions import Moments, Normalize, NormalizeGrad, NormalizeSums
from ..ir.graph import DOMAIN, Builder, attribute, rank, static_shape
from ..ir.strides import physical_order
from .operator import Backward, Gradients, Operator
from .selection import around, gapless, with_strides

if TYPE_CHECKING:
    from ..ir.lowering import Lowering, View

CHANNELS = 1


def reduced_axes(x: ir.Value, node: ir.Node) -> list[int]:
    """Return all axes except the channels."""
    return [axis for axis in range(rank(x, node)) if axis != CHANNELS]


def moments(builder: Builder, node: ir.Node, epsilon: float) -> Sequence[ir.Value]:
    """Return (mean, inv_std, var) of the node's first input, each of shape (C)."""
    x, name = node.inputs[0], node.outputs[0].name
    names = [f"{name}.{part}" for part in ("mean", "inv_std", "var")]
    made = builder.ops("Moments", x, names=names, domain=DOMAIN, axes=reduced_axes(x, node), epsilon=float(epsilon))
    for value in made:
        value.shape, value.type = ir.Shape([x.shape[CHANNELS]]), x.type
    return made


def normalize(
    builder: Builder, node: ir.Node, statistics: Sequence[ir.Value], scale: ir.Value, bias: ir.Value, batch: bool
) -> ir.Value:
    """Return the node's first input, normalized by `statistics`, which are (mean, inv_std).

    `batch` says that they are the statistics of this batch instead of running statistics.
    """
    x, name = node.inputs[0], f"{node.outputs[0].name}.normal"
    given = {"axes": reduced_axes(x, node), "batch": int(batch)}
    return builder.op("Normalize", x, *statistics, scale, bias, name=name, domain=DOMAIN, **given)


def gradient(back: Backward) -> Gradients:
    """Return dx, dscale and dbias; mean and inv_std get no gradient of their own."""
    x, mean, inv_std, scale, bias = back.node.inputs
    axes, batch = attribute(back.node, "axes"), attribute(back.node, "batch")
    dx = dscale = dbias = None
    if back.needs(3) or (batch and back.needs(0)):
        names = [f"{value.name}_grad.part" for value in (scale, bias)]
        dscale, dbias = back.builder.ops(
            "NormalizeSums", back.dy[0], x, mean, inv_std, names=names, domain=DOMAIN, axes=axes
        )
    elif back.needs(4):
        axes_input = back.builder.constant(axes, f"{bias.name}_grad.axes")
        dbias = back.op("ReduceSum", back.dy[0], axes_input, of=bias, keepdims=0)
    if back.needs(0) and batch:
        dx = back.op("NormalizeGrad", back.dy[0], *back.node.inputs[:4], dscale, dbias, of=x, domain=DOMAIN, axes=axes)
    elif back.needs(0):
        dx = back.op("NormalizeScale", back.dy[0], inv_std, scale, of=x, domain=DOMAIN, axes=axes)
    return [dx, None, None, dscale, dbias]


# ---- lowering


def lower_moments(low: Lowering, node: ir.Node) -> None:
    """Emit one MOMENTS; var is written only if it is used."""
    x = gapless(low, node, low.view(node.inputs[0]), static_shape(node.inputs[0], node))
    low.joins_samples(node.inputs[0], x)
    mean, inv_std, var = node.outputs
    made = Moments(
        x=x.ref,
        mean=low.output(mean),
        inv_std=low.output(inv_std),
        var=low.output(var) if var.uses() or var.is_graph_output() else None,
        **sizes(node, x),
        epsilon=attribute(node, "epsilon"),
    )
    low.emit(node, made)


def lower_normalize(low: Lowering, node: ir.Node) -> None:
    """Emit one NORMALIZE; y has the strides of x."""
    x, mean, inv_std, scale, bias = node.inputs
    view = gapless(low, node, low.view(x), static_shape(x, node))
    made = Normalize(
        mean=low.ref(mean),
        inv_std=low.ref(inv_std),
        scale=low.ref(scale),
        bias=low.ref(bias),
        x=view.ref,
        y=low.output(node.outputs[0], view.strides),
        **sizes(node, view),
        activation="none",
    )
    low.emit(node, made)


def lower_scale(low: Lowering, node: ir.Node) -> None:
    """Emit one NORMALIZE of dy, without mean and bias; dx has the strides of dy."""
    dy, inv_std, scale = node.inputs
    view = gapless(low, node, low.view(dy), static_shape(dy, node))
    made = Normalize(
        inv_std=low.ref(inv_std),
        scale=low.ref(scale),
        x=view.ref,
        y=low.output(node.outputs[0], view.strides),
        **sizes(node, view),
        activation="none",
    )
    low.emit(node, made)


def lower_sums(low: Lowering, node: ir.Node) -> None:
    """Emit one NORMALIZE_SUMS."""
    dy, x = aligned(low, node)
    made = NormalizeSums(
        dy=dy.ref,
        x=x.ref,
        mean=low.ref(node.inputs[2]),
        inv_std=low.ref(node.inputs[3]),
        dscale=low.output(node.outputs[0]),
        dbias=low.output(node.outputs[1]),
        **sizes(node, x),
    )
    low.emit(node, made)


def lower_grad(low: Lowering, node: ir.Node) -> None:
    """Emit one NORMALIZE_GRAD; dx has the strides of x."""
    dy, x = aligned(low, node)
    low.joins_samples(node.inputs[1], x)
    mean, inv_std, scale, dscale, dbias = node.inputs[2:]
    made = NormalizeGrad(
        mean=low.ref(mean),
        inv_std=low.ref(inv_std),
        scale=low.ref(scale),
        dscale=low.ref(dscale),
        dbias=low.ref(dbias),
        dy=dy.ref,
        x=x.ref,
        dx=low.output(node.outputs[0], x.strides),
        **sizes(node, x),
    )
    low.emit(node, made)


def aligned(low: Lowering, node: ir.Node) -> tuple[View, View]:
    """Return views of dy and x without gaps and with equal strides.

    If this copies dy, all later readers of dy read the copy.
    """
    dy, x = node.inputs[:2]
    kept = gapless(low, node, low.view(x), static_shape(x, node))
    arriving = with_strides(low, node, dy, kept.strides)
    low.set_view(dy, arriving)
    return arriving, kept


class Sizes(TypedDict):
    """The numbers of elements before, in and after the channels."""

    outer: int
    channels: int
    inner: int


def sizes(node: ir.Node, x: View) -> Sizes:
    """Return the numbers of elements before, in and after the channels, in the memory order of x."""
    shape = static_shape(node.inputs[0], node)
    found = around(shape, physical_order(shape, x.strides), CHANNELS)
    return {"outer": found["outer"], "channels": found["size"], "inner": found["inner"]}


# ---- the same in standard ONNX

MOMENTS = """
Moments <axes: ints, epsilon: float> (X) => (Mean, InvStd, Var) {
  axes_input = Constant <value_ints: ints = @axes> ()
  epsilon_value = Constant <value_float: float = @epsilon> ()
  size_x = Size (X)
  total = ReduceSum <keepdims = 1> (X, axes_input)
  size_total = Size (total)
  count_int = Div (size_x, size_total)
  count = Cast <to = 1> (count_int)
  average = Div (total, count)
  centred = Sub (X, average)
  square = Mul (centred, centred)
  squares = ReduceSum <keepdims = 0> (square, axes_input)
  Var = Div (squares, count)
  safe = Add (Var, epsilon_value)
  std = Sqrt (safe)
  InvStd = Reciprocal (std)
  Mean = Squeeze (average, axes_input)
}"""

NORMALIZE = """
Normalize <axes: ints, batch: int> (X, Mean, InvStd, Scale, Bias) => (Y) {
  axes_input = Constant <value_ints: ints = @axes> ()
  mean = Unsqueeze (Mean, axes_input)
  factor_c = Mul (Scale, InvStd)
  factor = Unsqueeze (factor_c, axes_input)
  bias = Unsqueeze (Bias, axes_input)
  centred = Sub (X, mean)
  scaled = Mul (centred, factor)
  Y = Add (scaled, bias)
}"""

SUMS = """
NormalizeSums <axes: ints> (dY, X, Mean, InvStd) => (dScale, dBias) {
  axes_input = Constant <value_ints: ints = @axes> ()
  mean = Unsqueeze (Mean, axes_input)
  centred = Sub (X, mean)
  product = Mul (dY, centred)
  products = ReduceSum <keepdims = 0> (product, axes_input)
  dScale = Mul (products, InvStd)
  dBias = ReduceSum <keepdims = 0> (dY, axes_input)
}"""

GRAD = """
NormalizeGrad <axes: ints> (dY, X, Mean, InvStd, Scale, dScale, dBias) => (dX) {
  axes_input = Constant <value_ints: ints = @axes> ()
  size_x = Size (X)
  size_channels = Size (Mean)
  count_int = Div (size_x, size_channels)
  count = Cast <to = 1> (count_int)
  part_c = Div (dBias, count)
  part = Unsqueeze (part_c, axes_input)
  share = Div (dScale, count)
  slope_c = Mul (InvStd, share)
  slope = Unsqueeze (slope_c, axes_input)
  mean = Unsqueeze (Mean, axes_input)
  centred = Sub (X, mean)
  parallel = Mul (centred, slope)
  without_mean = Sub (dY, part)
  rest = Sub (without_mean, parallel)
  factor_c = Mul (Scale, InvStd)
  factor = Unsqueeze (factor_c, axes_input)
  dX = Mul (rest, factor)
}"""

SCALE = """
NormalizeScale <axes: ints> (dY, InvStd, Scale) => (dX) {
  axes_input = Constant <value_ints: ints = @axes> ()
  factor_c = Mul (Scale, InvStd)
  factor = Unsqueeze (factor_c, axes_input)
  dX = Mul (dY, factor)
}"""

OPERATORS = [
    Operator("Moments", None, lower_moments, DOMAIN, MOMENTS),
    Operator("Normalize", gradient, lower_normalize, DOMAIN, NORMALIZE),
    Operator("NormalizeScale", None, lower_scale, DOMAIN, SCALE),
    Operator("NormalizeSums", None, lower_sums, DOMAIN, SUMS),
    Operator("NormalizeGrad", None, lower_grad, DOMAIN, GRAD),
]
