"""What an operator file provides, and what its rules are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import onnx
import onnx.parser
import onnx_ir as ir

from ..model.graph import DOMAIN, Builder

if TYPE_CHECKING:
    from ..compiler.lowering import Lowering


class Backward:
    """One node on the reverse walk. `dy` holds a gradient for each output, None where none arrives."""

    def __init__(self, builder: Builder, node: ir.Node, dy: Sequence[ir.Value | None], wanted: Sequence[bool]) -> None:
        self.builder = builder
        self.node = node
        self.dy = dy
        self.wanted = wanted

    def needs(self, index: int) -> bool:
        """Whether input `index` lies on a path from a trained parameter."""
        return index < len(self.wanted) and self.wanted[index]

    def op(self, op_type: str, *inputs: ir.Value | None, of: ir.Value | None, **attributes: Any) -> ir.Value:
        """A node whose output is part of the gradient of `of`."""
        return self.builder.op(op_type, *inputs, name=f"{of.name if of else 'scalar'}_grad.part", **attributes)


#: Gradients of a node's inputs, in their order; None for those that need or have none.
Gradients = list["ir.Value | None"]
GradientRule = Callable[[Backward], Gradients]


def no_gradient(back: Backward) -> Gradients:
    """Of what is flat wherever it has a slope: nothing goes back."""
    return [None for _ in back.node.inputs]


#: Appends instructions for a node.
LoweringRule = Callable[["Lowering", ir.Node], None]


@dataclass(frozen=True)
class Operator:
    """One ONNX operator. `gradient` None: no rule; `lower` None: must be folded or rewritten before.

    `function` is the body of an operator of our own domain, in ONNX's textual syntax without its header line.
    `any_type`: the lowering moves 32-bit elements, whatever they are.
    `any_output`: the gradient rule copes with outputs that do not reach the loss, the first one included.
    `constants`: indices of the inputs that must be known when the model is compiled.
    `becomes`: what passes make of an operator that has neither rule, and training goes through.
    `limits`: what of the ONNX operator is refused, in few words, for the reference of operators.
    """

    op_type: str
    gradient: GradientRule | None = None
    lower: LoweringRule | None = None
    domain: str = ""
    function: str = ""
    any_type: bool = False
    any_output: bool = False
    constants: tuple[int, ...] = ()
    becomes: str = ""
    limits: str = ""

    @property
    def trains(self) -> str:
        """Whether training goes through it, by a rule of its own or by those of what it becomes: "yes", "no", or "zero"
        where it is flat."""
        if self.gradient is no_gradient:
            return "zero"
        return "yes" if self.gradient is not None or self.becomes else "no"

    @property
    def compiles(self) -> bool:
        return self.lower is not None or bool(self.becomes)

    def function_proto(self, opset: int) -> onnx.FunctionProto:
        """The body in standard ONNX, for any other runtime."""
        return onnx.parser.parse_function(f'<opset_import: ["": {opset}], domain: "{DOMAIN}">\n{self.function}')
