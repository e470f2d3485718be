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
    """An emitter of instructions on n elements each.

    steps("MUL", x, 2.0) emits one MUL and returns its result.
    """

    def __init__(self, low: Lowering, node: ir.Node, n: int) -> None:
        """Keep the node that the instructions belong to, and n."""
        self.low = low
        self.node = node
        self.n = n

    def __call__(self, opcode: str, *operands: Ref | float, **params: float) -> Ref:
        """Emit one instruction on operands or numbers, and return its result."""
        y = self.low.scratch(f"{self.node.outputs[0].name}.{opcode.lower()}", [self.n], [1]).ref
        names = "x" if len(operands) == 1 else "ab"
        sizes = {"n": self.n} if len(operands) == 1 else broadcast_params(self.n, operands)
        refs = {name: self.operand(operand) for name, operand in zip(names, operands, strict=True)}
        self.low.emit(opcode, self.node, {**refs, "y": y}, sizes | params)
        return y

    def operand(self, operand: Ref | float) -> Ref:
        """Return the operand itself, or a constant that holds the number."""
        return self.low.scalar(operand) if isinstance(operand, float) else operand


def broadcast_params(n: int, operands: Sequence[Ref | float]) -> dict[str, float]:
    """Return the parameters of a broadcasting instruction on n elements.

    An operand that is a number is the same for all elements.
    """
    params: dict[str, float] = {"d0": 1, "d1": 1, "d2": 1, "d3": n}
    for name, operand in zip("ab", operands, strict=True):
        params |= {f"{name}{i}": 0 for i in range(3)} | {f"{name}3": int(not isinstance(operand, float))}
    return params


def lower_steps(formula: Callable[[Steps, Ref], Ref]) -> LoweringRule:
    """Return the lowering of an operator whose output has the strides of its first input.

    `formula` emits the instructions.
    """

    def lower(low: Lowering, node: ir.Node) -> None:
        x, y = node.inputs[0], node.outputs[0]
        operand, layout = flat_operand(low, x)
        result = formula(Steps(low, node, low.elements(y)), operand)
        if layout is None:
            low.place(y, result)
        else:
            low.set_view(y, result, layout)

    return lower
