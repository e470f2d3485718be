"""Greater, Less, Equal and the operators that combine their results, which are 1 and 0.

They have no gradients.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.generated.instructions import Equal, Greater, GreaterOrEqual, Max, Mul
from .broadcast import lower_binary
from .elementwise import lower_with_constant
from .operator import LoweringRule, Operator
from .whole_numbers import comparable, is_whole

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

LIMITS = "of two computed integers is refused: one must be constant, and below 2^24."


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

OPERATORS = [
    *(Operator(name, None, of_data(lower), any_type=True, limits=LIMITS) for name, lower in COMPARISONS.items()),
    *(Operator(name, None, lower, any_type=True) for name, lower in COMBINATIONS.items()),
]
