"""Gelu: y = x P(x); P is the cumulative probability of the normal distribution.

dx = dy (P(x) + x P'(x)). With approximate = "tanh", P(x) is (1 + tanh(sqrt(2/pi) (x + 0.044715
x^3))) / 2 instead.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.generated.instructions import Gelu, GeluGrad, GeluTanh, GeluTanhGrad
from ..ir.graph import DOMAIN, attribute
from .elementwise import lower_flat
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

#: The instruction and the gradient operator for each value of ONNX's attribute approximate.
KINDS = {"none": Gelu, "tanh": GeluTanh}
GRADIENTS = {"none": "GeluGrad", "tanh": "GeluTanhGrad"}


def approximate(node: ir.Node) -> str:
    """Return the attribute `approximate`: "none" or "tanh"."""
    return attribute(node, "approximate", "none")


def gradient(back: Backward) -> Gradients:
    """Return dx = dy (P(x) + x P'(x))."""
    x = back.node.inputs[0]
    return [back.op(GRADIENTS[approximate(back.node)], back.dy[0], x, of=x, domain=DOMAIN)]


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one GELU or GELU_TANH."""
    lower_flat(KINDS[approximate(node)])(low, node)


GRAD = f"""
GeluGrad (dY, X) => (dX) {{
  root_half = Constant <value_float = {math.sqrt(0.5)}> ()
  root_two_pi = Constant <value_float = {math.sqrt(2 * math.pi)}> ()
  half = Constant <value_float = 0.5> ()
  one = Constant <value_float = 1.0> ()
  scaled = Mul (X, root_half)
  error = Erf (scaled)
  twice = Add (one, error)
  probability = Mul (half, twice)
  square = Mul (scaled, scaled)
  exponent = Neg (square)
  bell = Exp (exponent)
  density = Div (bell, root_two_pi)
  change = Mul (X, density)
  slope = Add (probability, change)
  dX = Mul (dY, slope)
}}"""

TANH_GRAD = f"""
GeluTanhGrad (dY, X) => (dX) {{
  linear = Constant <value_float = {2 * math.sqrt(2 / math.pi)}> ()
  cubic = Constant <value_float = {2 * math.sqrt(2 / math.pi) * 0.044715}> ()
  one = Constant <value_float = 1.0> ()
  three = Constant <value_float = 3.0> ()
  square = Mul (X, X)
  bent = Mul (cubic, square)
  factor = Add (linear, bent)
  u = Mul (X, factor)
  s = Sigmoid (u)
  complement = Sub (one, s)
  xs = Mul (X, s)
  part = Mul (xs, complement)
  bent_three = Mul (three, bent)
  du = Add (linear, bent_three)
  change = Mul (part, du)
  slope = Add (s, change)
  dX = Mul (dY, slope)
}}"""

OPERATORS = [
    Operator("Gelu", gradient, lower),
    Operator("GeluGrad", None, lower_flat(GeluGrad), DOMAIN, GRAD),
    Operator("GeluTanhGrad", None, lower_flat(GeluTanhGrad), DOMAIN, TANH_GRAD),
]
