"""Activations that look at one element, each with its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.generated.instructions import (
    HardSigmoid,
    HardSigmoidGrad,
    HardSwish,
    HardSwishGrad,
    LeakyRelu,
    LeakyReluGrad,
    Mish,
    MishGrad,
    Prelu,
    PreluSlope,
    Relu,
    ReluGrad,
    Sigmoid,
    SigmoidGrad,
    Softsign,
    SoftsignGrad,
    Swish,
    SwishGrad,
    Tanh,
    TanhGrad,
    ThresholdedRelu,
    ThresholdedReluGrad,
)
from ..ir.graph import DOMAIN, attribute, describe
from .broadcast import lower_binary, sum_to
from .elementwise import gradient_op, lower_flat
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

# Relu: y = max(x, 0). dx = dy if y > 0, else 0.

RELU_GRAD = """
ReluGrad (dY, Y) => (dX) {
  zero = Constant <value_float = 0.0> ()
  positive = Greater (Y, zero)
  dX = Where (positive, dY, zero)
}"""


# LeakyRelu: y = x if x >= 0, else alpha x. dx = dy if x > 0, else alpha dy.

LEAKY_RELU_ALPHA = 0.01  # ONNX's default


LEAKY_RELU_GRAD = """
LeakyReluGrad <alpha: float = 0.01> (dY, X) => (dX) {
  a = Constant <value_float: float = @alpha> ()
  zero = Constant <value_float = 0.0> ()
  positive = Greater (X, zero)
  scaled = Mul (dY, a)
  dX = Where (positive, dY, scaled)
}"""


# ThresholdedRelu: y = x if x > alpha, else 0. dx = dy if x > alpha, else 0.

THRESHOLDED_RELU_ALPHA = 1.0  # ONNX's default


THRESHOLDED_RELU_GRAD = """
ThresholdedReluGrad <alpha: float = 1.0> (dY, X) => (dX) {
  a = Constant <value_float: float = @alpha> ()
  zero = Constant <value_float = 0.0> ()
  above = Greater (X, a)
  dX = Where (above, dY, zero)
}"""


# Sigmoid: y = 1 / (1 + exp(-x)). dx = dy y (1 - y).

SIGMOID_GRAD = """
SigmoidGrad (dY, Y) => (dX) {
  one = Constant <value_float = 1.0> ()
  complement = Sub (one, Y)
  slope = Mul (Y, complement)
  dX = Mul (dY, slope)
}"""


# Tanh: dx = dy (1 - y^2).

TANH_GRAD = """
TanhGrad (dY, Y) => (dX) {
  one = Constant <value_float = 1.0> ()
  square = Mul (Y, Y)
  slope = Sub (one, square)
  dX = Mul (dY, slope)
}"""


# Softsign: y = x / (1 + |x|). dx = dy / (1 + |x|)^2.

SOFTSIGN_GRAD = """
SoftsignGrad (dY, X) => (dX) {
  one = Constant <value_float = 1.0> ()
  magnitude = Abs (X)
  divisor = Add (one, magnitude)
  square = Mul (divisor, divisor)
  dX = Div (dY, square)
}"""


# Mish: y = x t, t = tanh(softplus(x)). dx = dy (t + x sigmoid(x) (1 - t^2)).

MISH_GRAD = """
MishGrad (dY, X) => (dX) {
  one = Constant <value_float = 1.0> ()
  softplus = Softplus (X)
  t = Tanh (softplus)
  square = Mul (t, t)
  complement = Sub (one, square)
  s = Sigmoid (X)
  product = Mul (X, s)
  change = Mul (product, complement)
  slope = Add (t, change)
  dX = Mul (dY, slope)
}"""


# HardSigmoid: y = min(max(alpha x + beta, 0), 1). dx = alpha dy if 0 < y < 1, else 0.

# ONNX's defaults.
HARD_SIGMOID_ALPHA, HARD_SIGMOID_BETA = 0.2, 0.5


HARD_SIGMOID_GRAD = """
HardSigmoidGrad <alpha: float> (dY, Y) => (dX) {
  slope = Constant <value_float: float = @alpha> ()
  zero = Constant <value_float = 0.0> ()
  one = Constant <value_float = 1.0> ()
  above = Greater (Y, zero)
  below = Less (Y, one)
  inside = And (above, below)
  scaled = Mul (dY, slope)
  dX = Where (inside, scaled, zero)
}"""


# HardSwish: y = x min(max(x / 6 + 1/2, 0), 1).
#
# dx = 0 for x <= -3, dy for x >= 3, and (x / 3 + 1/2) dy between.

HARD_SWISH_GRAD = """
HardSwishGrad (dY, X) => (dX) {
  zero = Constant <value_float = 0.0> ()
  half = Constant <value_float = 0.5> ()
  three = Constant <value_float = 3.0> ()
  minus_three = Constant <value_float = -3.0> ()
  third = Div (X, three)
  slope = Add (third, half)
  middle = Mul (dY, slope)
  above = GreaterOrEqual (X, three)
  below = LessOrEqual (X, minus_three)
  upper = Where (above, dY, middle)
  dX = Where (below, zero, upper)
}"""


# Swish: y = x s, s = sigmoid(alpha x). dx = dy (s + alpha x s (1 - s)).

SWISH_ALPHA = 1.0  # ONNX's default
#: With a larger alpha, alpha x is infinite for realistic numbers, and the gradient infinity times 0.
STEEPEST_SWISH = 2.0**64

SWISH_GRAD = """
SwishGrad <alpha: float> (dY, X) => (dX) {
  one = Constant <value_float = 1.0> ()
  factor = Constant <value_float: float = @alpha> ()
  u = Mul (factor, X)
  s = Sigmoid (u)
  complement = Sub (one, s)
  us = Mul (u, s)
  change = Mul (us, complement)
  slope = Add (s, change)
  dX = Mul (dY, slope)
}"""


def lower_swish(low: Lowering, node: ir.Node) -> None:
    """Emit one SWISH. Raises UnsupportedOperator for an alpha whose gradient would be NaN."""
    if abs(attribute(node, "alpha", SWISH_ALPHA)) > STEEPEST_SWISH:
        raise UnsupportedOperator("Swish whose alpha exceeds 2^64", "it is x or 0: use Relu", describe(node))
    lower_flat(Swish, alpha=SWISH_ALPHA)(low, node)


# PRelu: y = x if x >= 0, else slope x; the slope broadcasts to x.
# dx = dy if x > 0, else slope dy. dslope is the sum of dy min(x, 0).


def prelu_gradient(back: Backward) -> Gradients:
    """Return dx = dy if x > 0, else slope dy, and dslope = sum of dy min(x, 0)."""
    x, slope = back.node.inputs
    dx = None
    if back.needs(0):
        dx = back.op("Mul", back.op("PReluSlope", x, slope, of=x, domain=DOMAIN), back.dy[0], of=x)
    return [dx, prelu_slope_gradient(back, x, slope) if back.needs(1) else None]


def prelu_slope_gradient(back: Backward, x: ir.Value, slope: ir.Value) -> ir.Value:
    """Return dslope, dy min(x, 0) summed to the shape of the slope."""
    zero = back.builder.constant(0.0, f"{slope.name}_grad.zero")
    negative = back.op("Min", x, zero, of=slope)
    return sum_to(back, back.op("Mul", negative, back.dy[0], of=slope), slope)


PRELU_SLOPE = """
PReluSlope (X, slope) => (Y) {
  zero = Constant <value_float = 0.0> ()
  one = Constant <value_float = 1.0> ()
  positive = Greater (X, zero)
  Y = Where (positive, one, slope)
}"""


OPERATORS = [
    Operator("Relu", gradient_op("ReluGrad", "y"), lower_flat(Relu)),
    Operator("ReluGrad", None, lower_flat(ReluGrad), DOMAIN, RELU_GRAD),
    Operator(
        "LeakyRelu", gradient_op("LeakyReluGrad", alpha=LEAKY_RELU_ALPHA), lower_flat(LeakyRelu, alpha=LEAKY_RELU_ALPHA)
    ),
    Operator("LeakyReluGrad", None, lower_flat(LeakyReluGrad, alpha=LEAKY_RELU_ALPHA), DOMAIN, LEAKY_RELU_GRAD),
    Operator(
        "ThresholdedRelu",
        gradient_op("ThresholdedReluGrad", alpha=THRESHOLDED_RELU_ALPHA),
        lower_flat(ThresholdedRelu, alpha=THRESHOLDED_RELU_ALPHA),
    ),
    Operator(
        "ThresholdedReluGrad",
        None,
        lower_flat(ThresholdedReluGrad, alpha=THRESHOLDED_RELU_ALPHA),
        DOMAIN,
        THRESHOLDED_RELU_GRAD,
    ),
    Operator("Sigmoid", gradient_op("SigmoidGrad", "y"), lower_flat(Sigmoid)),
    Operator("SigmoidGrad", None, lower_flat(SigmoidGrad), DOMAIN, SIGMOID_GRAD),
    Operator("Tanh", gradient_op("TanhGrad", "y"), lower_flat(Tanh)),
    Operator("TanhGrad", None, lower_flat(TanhGrad), DOMAIN, TANH_GRAD),
    Operator("Softsign", gradient_op("SoftsignGrad"), lower_flat(Softsign)),
    Operator("SoftsignGrad", None, lower_flat(SoftsignGrad), DOMAIN, SOFTSIGN_GRAD),
    Operator("Mish", gradient_op("MishGrad"), lower_flat(Mish)),
    Operator("MishGrad", None, lower_flat(MishGrad), DOMAIN, MISH_GRAD),
    Operator(
        "HardSigmoid",
        gradient_op("HardSigmoidGrad", "y", alpha=HARD_SIGMOID_ALPHA),
        lower_flat(HardSigmoid, alpha=HARD_SIGMOID_ALPHA, beta=HARD_SIGMOID_BETA),
    ),
    Operator("HardSigmoidGrad", None, lower_flat(HardSigmoidGrad, alpha=HARD_SIGMOID_ALPHA), DOMAIN, HARD_SIGMOID_GRAD),
    Operator("HardSwish", gradient_op("HardSwishGrad"), lower_flat(HardSwish)),
    Operator("HardSwishGrad", None, lower_flat(HardSwishGrad), DOMAIN, HARD_SWISH_GRAD),
    Operator("Swish", gradient_op("SwishGrad", alpha=SWISH_ALPHA), lower_swish),
    Operator("SwishGrad", None, lower_flat(SwishGrad, alpha=SWISH_ALPHA), DOMAIN, SWISH_GRAD),
    Operator("PRelu", prelu_gradient, lower_binary(Prelu)),
    Operator("PReluSlope", None, lower_binary(PreluSlope), DOMAIN, PRELU_SLOPE),
]
