"""Operators that compare two operands, or choose between them.

Greater, Less, Equal and the operators that combine their results, which are 1 and 0, have no gradients.

Where: y = a if the condition holds, else b. da = dy if the condition holds, else 0; db is dy elsewhere.

Max and Min have two operands; the pass binary_chains splits those of more. For Max, da = dy if a is the
larger operand, and dy / 2 if both are equal, as in torch.maximum. The same holds for b, and with the
smaller operand for Min.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.generated.instructions import Equal, Greater, GreaterOrEqual, Heaviside, Max, Min, Mul, Select
from ..ir.graph import DOMAIN
from .broadcast import lower_binary, lower_broadcast, sum_to
from .elementwise import lower_with_constant
from .operator import Backward, Gradients, LoweringRule, Operator
from .whole_numbers import comparable, is_whole

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

COMPARISON_LIMITS = "of two computed integers is refused: one must be constant, and below 2^24."


def of_data(lower: LoweringRule) -> LoweringRule:
    """Return `lower`, changed to emit nothing for comparisons of integers that are not data.

    Such integers come from shape computations, which only needed the result's shape.
    """

    def rule(low: Lowering, node: ir.Node) -> None:
        if any(x in low.views for x in node.inputs) or not all(map(is_whole, node.inputs)):
            lower(low, node)

    return rule


COMPARISONS = {
    "Greater": lower_binary(Greater, read=comparable),
    "GreaterOrEqual": lower_binary(GreaterOrEqual, read=comparable),
    "Less": lower_binary(Greater, swap=True, read=comparable),
    "LessOrEqual": lower_binary(GreaterOrEqual, swap=True, read=comparable),
    "Equal": lower_binary(Equal, read=comparable),
}
COMBINATIONS = {"And": lower_binary(Mul), "Or": lower_binary(Max), "Not": lower_with_constant(Equal, b=0.0)}


def where_gradient(back: Backward) -> Gradients:
    """Return da = dy if the condition holds, else 0, and db, which is dy elsewhere."""
    condition, a, b = back.node.inputs
    dy = back.dy[0]
    zero = back.builder.constant(0.0, f"{back.node.outputs[0].name}_grad.zero")
    da = sum_to(back, back.op("Where", condition, dy, zero, of=a), a) if back.needs(1) else None
    db = sum_to(back, back.op("Where", condition, zero, dy, of=b), b) if back.needs(2) else None
    return [None, da, db]


def max_gradient(back: Backward) -> Gradients:
    """Return da = dy H(a - b) and db = dy H(b - a), with H(0) = 1/2."""
    a, b = back.node.inputs
    return extremum_gradients(back, [(a, b), (b, a)])


def min_gradient(back: Backward) -> Gradients:
    """Return da = dy H(b - a) and db = dy H(a - b), with H(0) = 1/2."""
    a, b = back.node.inputs
    return extremum_gradients(back, [(b, a), (a, b)])


def extremum_gradients(back: Backward, pairs: list[tuple[ir.Value | None, ir.Value | None]]) -> Gradients:
    """Return dy H(larger - smaller) for each operand; H is Heaviside's step with H(0) = 1/2.

    `pairs` holds (larger, smaller) for each operand.
    """
    found: Gradients = []
    for index, (larger, smaller) in enumerate(pairs):
        x = back.node.inputs[index]
        share = back.op("Heaviside", larger, smaller, of=x, domain=DOMAIN) if back.needs(index) else None
        found.append(sum_to(back, back.op("Mul", share, back.dy[0], of=x), x) if share is not None else None)
    return found


HEAVISIDE = """
Heaviside (A, B) => (Y) {
  zero = Constant <value_float = 0.0> ()
  half = Constant <value_float = 0.5> ()
  one = Constant <value_float = 1.0> ()
  below = Less (A, B)
  above = Greater (A, B)
  lower = Where (below, zero, half)
  Y = Where (above, one, lower)
}"""


OPERATORS = [
    *(
        Operator(name, None, of_data(lower), any_type=True, limits=COMPARISON_LIMITS)
        for name, lower in COMPARISONS.items()
    ),
    *(Operator(name, None, lower, any_type=True) for name, lower in COMBINATIONS.items()),
    Operator("Where", where_gradient, lower_broadcast(Select, "cab"), any_type=True),
    Operator("Max", max_gradient, lower_binary(Max)),
    Operator("Min", min_gradient, lower_binary(Min)),
    Operator("Heaviside", None, lower_binary(Heaviside), DOMAIN, HEAVISIDE),
]
