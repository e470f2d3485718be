"""Quantize and FlipSign of our own domain, and ONNX's QuantizeLinear and DequantizeLinear.

Quantize        y = clamp(rne(x / scale) + zero, low, high), which is int8
DequantizeLinear  y = (x - zero) scale
FlipSign        y = x + offset, from uint8 to int8 (offset -128) or back (128)

The gradient of a quantized value is that of its real number, a float32 tensor of the same shape.
DequantizeLinear and FlipSign pass it on unchanged. Quantize passes it on if low < y < high (the
straight-through estimator); a value at one of the bounds counts as clamped.
"""

from __future__ import annotations

from ..ir.graph import DOMAIN, attribute
from . import scaled_grad
from .operator import Backward, Gradients, Operator
from .quantized import CLAMP_WHOLE
from .quantized_values import lower_dequantize, lower_flip_sign, lower_quantize


def quantize_gradient(back: Backward) -> Gradients:
    """Return dx = dy if low < y < high, else 0."""
    x, y = back.node.inputs[0], back.node.outputs[0]
    bounds = {name: int(attribute(back.node, name)) for name in ("low", "high")}
    return [back.op("QuantizeGrad", back.dy[0], y, of=x, domain=DOMAIN, **bounds), None, None]


def pass_on(back: Backward) -> Gradients:
    """Return dx = dy for the data, and nothing for scale and zero point."""
    return [back.dy[0], None, None]


QUANTIZE = f"""
Quantize <low: int, high: int> (x, scale, zero) => (Y) {{
  whole = QuantizeLinear (x, scale, zero)
{CLAMP_WHOLE}}}"""

QUANTIZE_GRAD = """
QuantizeGrad <low: int, high: int> (dY, Y) => (dX) {
  lowest = Constant <value_int: int = @low> ()
  highest = Constant <value_int: int = @high> ()
  zero = Constant <value_float = 0.0> ()
  wide = Cast <to = 7> (Y)
  above = Greater (wide, lowest)
  below = Less (wide, highest)
  inside = And (above, below)
  dX = Where (inside, dY, zero)
}"""

FLIP_SIGN = """
FlipSign <offset: int, to: int> (x) => (y) {
  distance = Constant <value_int: int = @offset> ()
  wide = Cast <to = 7> (x)
  moved = Add (wide, distance)
  y = Cast <to: int = @to> (moved)
}"""

OPERATORS = [
    Operator("QuantizeLinear", becomes="Quantize", limits="to int8 or uint8, with one constant scale."),
    Operator("DequantizeLinear", pass_on, lower_dequantize, any_width=True),
    Operator("Quantize", quantize_gradient, lower_quantize, DOMAIN, QUANTIZE, any_width=True),
    Operator("QuantizeGrad", None, scaled_grad.lower, DOMAIN, QUANTIZE_GRAD, any_width=True),
    Operator("FlipSign", pass_on, lower_flip_sign, DOMAIN, FLIP_SIGN, any_width=True),
]
