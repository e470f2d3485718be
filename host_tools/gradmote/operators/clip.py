"""Clip: y = min(max(x, low), high) with optional constant bounds.

dx = dy if low <= x <= high, else 0. If a bound is computed, the pass rewrite_synonyms replaces Clip
by Max and Min.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypedDict

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.generated.instructions import Clamp, ClampGrad
from ..ir.graph import DOMAIN, constant_array, describe
from .elementwise import flat_operand, lower_flat
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def bound(node: ir.Node, index: int, absent: float) -> float:
    """Return the constant bound of input 1 (min) or 2 (max), or `absent` if there is none.

    Raises:
        UnsupportedOperator: The bound is computed, or is not one number.
    """
    given = node.inputs[index] if len(node.inputs) > index else None
    if given is None:
        return absent
    array = constant_array(given)
    if array is None:
        raise UnsupportedOperator(
            f"Clip to '{given.name}', which is computed", "make it constant, or use Min and Max", describe(node)
        )
    if array.size != 1:
        raise UnsupportedOperator(f"Clip to {array.size} numbers", "give one; Min and Max take more", describe(node))
    return float(array.reshape(()))


class Bounds(TypedDict):
    """The least and the largest number."""

    low: float
    high: float


def bounds(node: ir.Node) -> Bounds:
    """Return the constant bounds `low` and `high`; an absent one is infinite."""
    return {"low": bound(node, 1, -math.inf), "high": bound(node, 2, math.inf)}


def gradient(back: Backward) -> Gradients:
    """Return dx = dy if low <= x <= high, else 0."""
    x = back.node.inputs[0]
    dx = back.op("ClipGrad", back.dy[0], x, of=x, domain=DOMAIN, **bounds(back.node))
    return [dx, None, None]


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one CLAMP."""
    y = node.outputs[0]
    x, layout = flat_operand(low, node.inputs[0])
    low.emit(node, Clamp(x=x, y=low.output(y, layout), n=low.elements(y), **bounds(node)))


GRAD = """
ClipGrad <low: float, high: float> (dY, X) => (dX) {
  lowest = Constant <value_float: float = @low> ()
  highest = Constant <value_float: float = @high> ()
  zero = Constant <value_float = 0.0> ()
  below = Less (X, lowest)
  above = Greater (X, highest)
  outside = Or (below, above)
  dX = Where (outside, zero, dY)
}"""

OPERATORS = [
    Operator("Clip", gradient, lower, constants=(1, 2)),
    Operator("ClipGrad", None, lower_flat(ClampGrad, low=-math.inf, high=math.inf), DOMAIN, GRAD),
]
