"""Greater, Less, Equal and what combines their results, which are 1 and 0. There are no gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from .broadcast import lower_binary
from .elementwise import lower_with_constant
from .operator import LoweringRule, Operator

if TYPE_CHECKING:
    from ..lowering import Lowering

COMPARABLE: tuple[ir.DataType | None, ...] = (ir.DataType.FLOAT, ir.DataType.BOOL)


def of_floats(lower: LoweringRule) -> LoweringRule:
    """Integers are compared in shape computations alone, of which only the result's shape was needed."""

    def rule(low: Lowering, node: ir.Node) -> None:
        if all(x.dtype in COMPARABLE for x in node.inputs):
            lower(low, node)

    return rule


RULES = {
    "Greater": lower_binary("GREATER"),
    "GreaterOrEqual": lower_binary("GREATER_OR_EQUAL"),
    "Less": lower_binary("GREATER", swap=True),
    "LessOrEqual": lower_binary("GREATER_OR_EQUAL", swap=True),
    "Equal": lower_binary("EQUAL"),
    "And": lower_binary("MUL"),
    "Or": lower_binary("MAX"),
    "Not": lower_with_constant("EQUAL", b=0.0),
}

OPERATORS = [Operator(op_type, None, of_floats(lower), any_type=True) for op_type, lower in RULES.items()]
