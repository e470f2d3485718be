"""Rules shared by broadcasting operators.

Forward, a broadcast operand is read with strides of 0. Backward, its gradient is summed to its shape.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import onnx_ir as ir

from ..errors import ModelError
from ..ir.graph import describe, rank, static_shape
from ..ir.strides import broadcast_walk, contiguous, fit, is_gapless, physical_order
from .operator import Backward, LoweringRule

if TYPE_CHECKING:
    from ..ir.generated.instructions import AddLike
    from ..ir.instruction import Instruction
    from ..ir.lowering import Lowering, View

#: A function that returns the view of an operand of a node.
Reader = Callable[["Lowering", ir.Node, ir.Value], "View"]


def sum_to(back: Backward, grad: ir.Value, target: ir.Value) -> ir.Value:
    """Return `grad` summed over the dimensions along which `target` was broadcast.

    `grad` has the shape of the node's output; the result has the shape of `target`.
    """
    leading, ones = broadcast_axes(back.node, back.node.outputs[0], target)
    summed = [*leading, *(len(leading) + axis for axis in ones)]
    if summed:
        axes = back.builder.constant(summed, f"{target.name}_grad.axes")
        grad = back.op("ReduceSum", grad, axes, of=target, keepdims=int(not leading))
    if leading and ones:
        axes = back.builder.constant(ones, f"{target.name}_grad.ones")
        grad = back.op("Unsqueeze", grad, axes, of=target)
    return grad


def broadcast_axes(node: ir.Node, output: ir.Value, target: ir.Value) -> tuple[list[int], list[int]]:
    """Return the axes of `output` that `target` lacks, and the axes of `target` that repeat.

    An axis of `target` repeats if its size is 1 and that of `output` is not.

    Raises:
        ModelError: `target` does not broadcast to `output`, or its dimensions leave this open.
    """
    missing = rank(output, node) - rank(target, node)
    if missing < 0:
        raise ModelError(
            f"'{target.name}' of rank {rank(target, node)} does not broadcast to rank {rank(output, node)}",
            "export the model again",
            describe(node),
        )
    ones = []
    for axis, (d_target, d_output) in enumerate(zip(target.shape, list(output.shape)[missing:], strict=True)):
        if d_target == 1 and d_output != 1:
            ones.append(axis)
        elif d_target != d_output and not same_symbol(d_target, d_output):
            raise ModelError(
                f"cannot determine whether dimension {axis} of '{target.name}' ({d_target}) is broadcast to {d_output}",
                "export the model with fixed dimensions; only the batch may be symbolic",
                describe(node),
            )
    return list(range(missing)), ones


def same_symbol(a: int | ir.SymbolicDim, b: int | ir.SymbolicDim) -> bool:
    """Return whether both dimensions are symbolic.

    An unknown dimension is taken to be the batch, which is never broadcast.
    """
    return not isinstance(a, int) and not isinstance(b, int)


def read_view(low: Lowering, node: ir.Node, x: ir.Value) -> View:
    """Return the view of an operand as it is stored."""
    return low.view(x)


def lower_binary(kind: type[AddLike], swap: bool = False, read: Reader = read_view) -> LoweringRule:
    """Return the lowering of a broadcasting operator of two operands to `kind`.

    With `swap`, the node's first input is operand b and its second is operand a. `read` gives the
    view of an operand.
    """
    return lower_broadcast(kind, "ba" if swap else "ab", read)


def lower_broadcast(kind: type[Instruction], operands: str, read: Reader = read_view) -> LoweringRule:
    """Return the lowering of a broadcasting operator to `kind`.

    Its inputs are `operands`, one letter each, and `read` gives the view of one.
    """

    def lower(low: Lowering, node: ir.Node) -> None:
        y = node.outputs[0]
        output = static_shape(y, node)
        views = [read(low, node, x) for x in node.inputs]
        strides = [
            broadcast_walk(v.strides, broadcastable(x, output, node), output)
            for v, x in zip(views, node.inputs, strict=True)
        ]
        layout = output_layout(output, strides)
        order = physical_order(output, layout)
        dims, fitted = fit(node, [output[i] for i in order], *([s[i] for i in order] for s in strides))
        params = {f"d{i}": d for i, d in enumerate(dims)}
        params |= {f"{name}{i}": s for name, own in zip(operands, fitted, strict=True) for i, s in enumerate(own)}
        refs = {name: view.ref for name, view in zip(operands, views, strict=True)}
        refs["y"] = low.output(y, layout)
        low.emit(node, kind(**refs, **params))

    return lower


def broadcastable(x: ir.Value, output: tuple[int, ...], node: ir.Node) -> tuple[int, ...]:
    """Return the shape of an operand, after a check that it broadcasts to the output's.

    onnx's shape inference does not check this for every operator.

    Raises:
        ModelError: The operand does not broadcast to the output's shape.
    """
    shape = static_shape(x, node)
    missing = len(output) - len(shape)
    if missing < 0 or any(d not in (1, output[missing + axis]) for axis, d in enumerate(shape)):
        raise ModelError(
            f"'{x.name}' of shape {list(shape)} does not broadcast to {list(output)}",
            "give it a dimension of 1 for each axis along which it repeats",
            describe(node),
        )
    return shape


def output_layout(output: tuple[int, ...], strides: list[list[int]]) -> list[int]:
    """Return the strides of the result: those of the first operand that fills it without gaps.

    If there is none, the result is row-major.
    """
    return next((found for found in strides if is_gapless(output, found)), contiguous(output))
