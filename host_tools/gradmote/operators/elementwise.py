"""Rules shared by operators that compute each element by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.flat_binary import flat_binary
from ..ir.generated.instructions import AddLike
from ..ir.graph import DOMAIN, attribute
from .operator import Backward, GradientRule, Gradients, LoweringRule

if TYPE_CHECKING:
    from ..ir.instruction import Instruction, Ref
    from ..ir.lowering import Lowering


def gradient_op(op_type: str, saved: str = "x", **attributes: float) -> GradientRule:
    """Return the rule dx = op_type(dy, saved); op_type is an operator of our own domain.

    `saved` is the input "x" or the output "y". `attributes` are the node's attributes that the gradient
    operator takes over, with their defaults.
    """

    def gradient(back: Backward) -> Gradients:
        node = back.node
        kept = node.inputs[0] if saved == "x" else node.outputs[0]
        given = {name: float(attribute(node, name, default)) for name, default in attributes.items()}
        return [back.op(op_type, back.dy[0], kept, of=node.inputs[0], domain=DOMAIN, **given)]

    return gradient


def lower_flat(kind: type[Instruction], **attributes: float | str) -> LoweringRule:
    """Return the lowering of an elementwise operator whose inputs all have one shape.

    The operands of `kind` are the node's inputs in their order, then its output. `attributes` are
    ONNX attributes that the instruction takes as parameters, with their defaults.
    """
    *inputs, output = kind.extents

    def lower(low: Lowering, node: ir.Node) -> None:
        layout = low.common_layout(node.inputs)
        read = low.ref if layout is None else lambda value: low.view(value).ref
        refs = {name: read(value) for name, value in zip(inputs, node.inputs, strict=True)}
        refs[output] = low.output(node.outputs[0], layout)
        params = {name: attribute(node, name, default) for name, default in attributes.items()}
        params["n"] = low.elements(node.outputs[0])
        low.emit(node, kind(**refs, **params))

    return lower


def flat_operand(low: Lowering, x: ir.Value | None) -> tuple[Ref, list[int] | None]:
    """Return an operand that is read from its first element to its last, and a result's layout.

    The layout is None if the operand is row-major.
    """
    layout = low.common_layout([x])
    return (low.ref(x) if layout is None else low.view(x).ref), layout


def lower_with_constant(kind: type[AddLike], a: float | None = None, b: float | None = None) -> LoweringRule:
    """Return the lowering of an elementwise operator to `kind` with one constant operand.

    The instruction is a broadcasting one; the number for `a` or `b` is that operand.
    """

    def lower(low: Lowering, node: ir.Node) -> None:
        x, y = node.inputs[0], node.outputs[0]
        operand, layout = flat_operand(low, x)
        left, right = (operand if number is None else low.scalar(number) for number in (a, b))
        made = low.output(y, layout)
        low.emit(node, flat_binary(kind, left, right, made, low.elements(y), int(a is None), int(b is None)))

    return lower


def emit_with_constant(low: Lowering, node: ir.Node, kind: type[AddLike], x: Ref, number: Ref, y: Ref) -> None:
    """Emit a broadcasting instruction on the contiguous elements of x and one number."""
    low.emit(node, flat_binary(kind, x, number, y, y.buffer.size // 4, b_step=0))
