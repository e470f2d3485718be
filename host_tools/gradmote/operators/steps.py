"""Functions of one operand that are several elementwise instructions, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import onnx_ir as ir

from .elementwise import flat_operand
from .operator import LoweringRule

if TYPE_CHECKING:
    from ..compiler.lowering import Lowering
    from ..compiler.program import Ref


class Steps:
    """Appends instructions on n elements each: steps("MUL", x, 2.0) is the place of the result."""

    def __init__(self, low: Lowering, node: ir.Node, n: int) -> None:
        self.low = low
        self.node = node
        self.n = n

    def __call__(self, opcode: str, *operands: Ref | float, **params: float) -> Ref:
        y = self.low.scratch(f"{self.node.outputs[0].name}.{opcode.lower()}", [self.n], [1]).ref
        names = "x" if len(operands) == 1 else "ab"
        sizes = {"n": self.n} if len(operands) == 1 else walk_of_both(self.n, operands)
        refs = {name: self.place(operand) for name, operand in zip(names, operands, strict=True)}
        self.low.emit(opcode, self.node, {**refs, "y": y}, sizes | params)
        return y

    def place(self, operand: Ref | float) -> Ref:
        return self.low.scalar(operand) if isinstance(operand, float) else operand


def walk_of_both(n: int, operands: Sequence[Ref | float]) -> dict[str, float]:
    """A broadcasting instruction's walk over n elements; a number is the same for all."""
    params: dict[str, float] = {"d0": 1, "d1": 1, "d2": 1, "d3": n}
    for name, operand in zip("ab", operands, strict=True):
        params |= {f"{name}{i}": 0 for i in range(3)} | {f"{name}3": int(not isinstance(operand, float))}
    return params


def lower_steps(formula: Callable[[Steps, Ref], Ref]) -> LoweringRule:
    """The lowering of an operator whose output lies as its first input does; formula: the instructions."""

    def lower(low: Lowering, node: ir.Node) -> None:
        x, y = node.inputs[0], node.outputs[0]
        place, layout = flat_operand(low, x)
        result = formula(Steps(low, node, low.elements(y)), place)
        if layout is None:
            low.place(y, result)
        else:
            low.set_view(y, result, layout)

    return lower
