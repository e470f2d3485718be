"""Rules shared by operators that compute each element by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..model.graph import DOMAIN, attribute
from .operator import Backward, GradientRule, Gradients, LoweringRule

if TYPE_CHECKING:
    from ..compiler.lowering import Lowering
    from ..compiler.program import Ref


def gradient_op(op_type: str, saved: str = "x", **attributes: float) -> GradientRule:
    """Return the rule dx = op_type(dy, saved), where op_type is an operator of our own domain.

    `saved` is the input "x" or the output "y". `attributes` are the node's attributes that the
    gradient operator takes over, with their defaults.
    """

    def gradient(back: Backward) -> Gradients:
        node = back.node
        kept = node.inputs[0] if saved == "x" else node.outputs[0]
        given = {name: float(attribute(node, name, default)) for name, default in attributes.items()}
        return [back.op(op_type, back.dy[0], kept, of=node.inputs[0], domain=DOMAIN, **given)]

    return gradient


def lower_flat(opcode: str, *operands: str, **attributes: float) -> LoweringRule:
    """Return the lowering of an elementwise operator whose inputs all have one shape.

    `operands` names the instruction's operands: the node's inputs in their order, then its output.
    `attributes` are ONNX attributes that the instruction takes as parameters, with their defaults.
    """

    def lower(low: Lowering, node: ir.Node) -> None:
        layout = low.common_layout(node.inputs)
        read = low.ref if layout is None else lambda value: low.view(value).ref
        refs = {name: read(value) for name, value in zip(operands[:-1], node.inputs, strict=True)}
        refs[operands[-1]] = low.output(node.outputs[0], layout)
        params = {name: attribute(node, name, default) for name, default in attributes.items()}
        low.emit(opcode, node, refs, {"n": low.elements(node.outputs[0]), **params})

    return lower


def flat_operand(low: Lowering, x: ir.Value | None) -> tuple[Ref, list[int] | None]:
    """Return an operand that is read from its first element to its last, and a result's layout.

    The layout is None where the operand is row-major.
    """
    layout = low.common_layout([x])
    return (low.ref(x) if layout is None else low.view(x).ref), layout


def lower_with_constant(opcode: str, a: float | None = None, b: float | None = None) -> LoweringRule:
    """Return the lowering of an elementwise operator to `opcode` with one constant operand.

    The instruction is a broadcasting one; the number given for `a` or `b` is that operand.
    """

    def lower(low: Lowering, node: ir.Node) -> None:
        x, y = node.inputs[0], node.outputs[0]
        operand, layout = flat_operand(low, x)
        sides = [operand if number is None else low.scalar(number) for number in (a, b)]
        params = {"d3": low.elements(y), "a3": int(a is None), "b3": int(b is None)}
        emit_flat_binary(low, node, opcode, (*sides, low.output(y, layout)), params)

    return lower


def emit_with_constant(low: Lowering, node: ir.Node, opcode: str, x: Ref, number: Ref, y: Ref) -> None:
    """Emit a broadcasting instruction on the contiguous elements of x and one number."""
    emit_flat_binary(low, node, opcode, (x, number, y), {"d3": y.buffer.size // 4, "a3": 1, "b3": 0})


def emit_flat_binary(
    low: Lowering, node: ir.Node, opcode: str, refs: tuple[Ref, Ref, Ref], params: dict[str, int]
) -> None:
    """Emit a broadcasting instruction that iterates over the last dimension alone.

    `refs` are a, b and y. `params` are the dimension's size, d3, and the strides a3 and b3.
    """
    unused = {f"d{i}": 1 for i in range(3)} | {f"{side}{i}": 0 for side in "ab" for i in range(3)}
    low.emit(opcode, node, dict(zip(("a", "b", "y"), refs, strict=True)), unused | params)
