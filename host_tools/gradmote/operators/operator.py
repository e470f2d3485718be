"""The record that describes an operator, and the state that its rules receive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import onnx
import onnx.parser
import onnx_ir as ir

from ..ir.graph import DOMAIN, Builder

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


class Backward:
    """One node on the reverse pass through the graph.

    Attributes:
        builder: Adds nodes to the graph.
        node: The forward node.
        dy: A gradient for each output of the node, None if none arrives.
        wanted: For each input, whether its gradient is needed.
    """

    def __init__(self, builder: Builder, node: ir.Node, dy: Sequence[ir.Value | None], wanted: Sequence[bool]) -> None:
        """Store the node and the gradients that have arrived at its outputs."""
        self.builder = builder
        self.node = node
        self.dy = dy
        self.wanted = wanted

    def needs(self, index: int) -> bool:
        """Return whether input `index` is on a path from a trained parameter."""
        return index < len(self.wanted) and self.wanted[index]

    def op(self, op_type: str, *inputs: ir.Value | None, of: ir.Value | None, **attributes: Any) -> ir.Value:
        """Add a node, and return its output, which is part of the gradient of `of`."""
        return self.builder.op(op_type, *inputs, name=f"{of.name if of else 'scalar'}_grad.part", **attributes)


#: Gradients of a node's inputs, in their order; None for an input that needs or has none.
Gradients = list["ir.Value | None"]
GradientRule = Callable[[Backward], Gradients]


def no_gradient(back: Backward) -> Gradients:
    """Return no gradient for any input: the function is flat wherever it has a derivative."""
    return [None for _ in back.node.inputs]


#: A function that emits the instructions of a node.
LoweringRule = Callable[["Lowering", ir.Node], None]


@dataclass(frozen=True)
class Operator:
    """One ONNX operator.

    Attributes:
        op_type: The operator's name.
        gradient: The gradient rule, None if there is none.
        lower: The lowering rule, None if the node must be folded or rewritten before.
        domain: The ONNX domain, "" for the standard one.
        function: The function of an operator of our own domain in standard ONNX, as text without
            the header that names opset and domain.
        any_type: The lowering moves 32-bit elements of any type.
        any_width: The lowering takes elements of 1 and 2 bytes as well as those of 4.
        any_exponent: The lowering takes int16 gradients, and passes their exponent on. Any other
            gets them as float32: one output cannot hold parts with several exponents.
        any_output: The gradient rule handles outputs that do not reach the loss, even the first.
        constants: Indices of the inputs that must be known at compile time.
        becomes: The operators by which passes replace an operator that has neither rule.
        limits: The unsupported part of the ONNX operator, for the reference of operators.
    """

    op_type: str
    gradient: GradientRule | None = None
    lower: LoweringRule | None = None
    domain: str = ""
    function: str = ""
    any_type: bool = False
    any_width: bool = False
    any_exponent: bool = False
    any_output: bool = False
    constants: tuple[int, ...] = ()
    becomes: str = ""
    limits: str = ""

    @property
    def trains(self) -> str:
        """Return whether training goes through the operator: "yes", "no", or "zero" if it is flat.

        The gradient rule may be its own, or that of the operators that replace it.
        """
        if self.gradient is no_gradient:
            return "zero"
        return "yes" if self.gradient is not None or self.becomes else "no"

    @property
    def compiles(self) -> bool:
        """Return whether the compiler lowers the operator, or passes replace it."""
        return self.lower is not None or bool(self.becomes)

    def function_proto(self, opset: int) -> onnx.FunctionProto:
        """Return the body in standard ONNX, for any other runtime."""
        return onnx.parser.parse_function(f'<opset_import: ["": {opset}], domain: "{DOMAIN}">\n{self.function}')
