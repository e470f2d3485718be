"""Functions of one operand that lower to several elementwise instructions, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, overload

import onnx_ir as ir

from ..ir.flat_binary import flat_binary
from ..ir.generated.instructions import AddLike, ReluLike
from .elementwise import flat_operand
from .operator import LoweringRule

if TYPE_CHECKING:
    from ..ir.instruction import Ref
    from ..ir.lowering import Lowering


class Steps:
    """An emitter of instructions on n elements each.

    steps(Mul, x, 2.0) emits one MUL and returns its result.
    """

    def __init__(self, low: Lowering, node: ir.Node, n: int) -> None:
        """Set the node that the instructions belong to, and n."""
        self.low = low
        self.node = node
        self.n = n

    @overload
    def __call__(self, kind: type[ReluLike], a: Ref | float) -> Ref: ...

    @overload
    def __call__(self, kind: type[AddLike], a: Ref | float, b: Ref | float) -> Ref: ...

    def __call__(self, kind: type[ReluLike | AddLike], a: Ref | float, b: Ref | float = 0.0) -> Ref:
        """Emit one instruction on operands or numbers, and return its result.

        An operand that is a number is the same for all elements.
        """
        y = self.low.scratch(f"{self.node.outputs[0].name}.{kind.opcode.lower()}", [self.n], [1]).ref
        if issubclass(kind, ReluLike):
            self.low.emit(self.node, kind(x=self.operand(a), y=y, n=self.n))
        else:
            steps = (int(not isinstance(operand, float)) for operand in (a, b))
            self.low.emit(self.node, flat_binary(kind, self.operand(a), self.operand(b), y, self.n, *steps))
        return y

    def operand(self, operand: Ref | float) -> Ref:
        """Return the operand itself, or a constant that holds the number."""
        return self.low.scalar(operand) if isinstance(operand, float) else operand


def lower_steps(formula: Callable[[Steps, Ref], Ref]) -> LoweringRule:
    """Return the lowering of an operator whose output has the strides of its first input.

    `formula` emits the instructions.
    """

    def lower(low: Lowering, node: ir.Node) -> None:
        x, y = node.inputs[0], node.outputs[0]
        operand, layout = flat_operand(low, x)
        result = formula(Steps(low, node, low.elements(y)), operand)
        low.place(y, result, layout)

    return lower
