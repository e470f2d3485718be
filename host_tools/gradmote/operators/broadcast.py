"""What the broadcasting operators share: strides of 0 forward, gradients summed back to an input's shape backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import onnx_ir as ir

from ..compiler.strides import broadcast_walk, contiguous, fit, is_gapless, physical_order
from ..errors import ModelError
from ..model.graph import describe, rank, static_shape
from .operator import Backward, LoweringRule

if TYPE_CHECKING:
    from ..compiler.lowering import Lowering, View

#: Where an operand of a node lies.
Reader = Callable[["Lowering", ir.Node, ir.Value], "View"]


def sum_to(back: Backward, grad: ir.Value, target: ir.Value) -> ir.Value:
    """`grad`, of the shape of the node's output, summed over the dimensions along which `target` was broadcast."""
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
    """Axes of `output` that `target` lacks, and axes of `target` that are 1 where `output`'s are not."""
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
                f"cannot tell whether dimension {axis} of '{target.name}' ({d_target}) is broadcast to {d_output}",
                "export the model with fixed dimensions; only the batch may be symbolic",
                describe(node),
            )
    return list(range(missing)), ones


def same_symbol(a: int | ir.SymbolicDim, b: int | ir.SymbolicDim) -> bool:
    """Two symbolic dimensions agree; an unknown one is taken to be the batch, which is never broadcast."""
    return not isinstance(a, int) and not isinstance(b, int)


def as_it_lies(low: Lowering, node: ir.Node, x: ir.Value) -> View:
    return low.view(x)


def lower_binary(opcode: str, swap: bool = False, read: Reader = as_it_lies) -> LoweringRule:
    """The lowering of a broadcasting operator of two operands, or of one that is `opcode` with its operands swapped."""
    return lower_broadcast(opcode, "ba" if swap else "ab", read)


def lower_broadcast(opcode: str, operands: str, read: Reader = as_it_lies) -> LoweringRule:
    """The lowering of a broadcasting operator whose inputs are the instruction's `operands`, one letter each. read:
    gives the place of an operand."""

    def lower(low: Lowering, node: ir.Node) -> None:
        y = node.outputs[0]
        output = static_shape(y, node)
        views = [read(low, node, x) for x in node.inputs]
        walks = [
            broadcast_walk(v.strides, broadcastable(x, output, node), output)
            for v, x in zip(views, node.inputs, strict=True)
        ]
        layout = output_layout(output, walks)
        order = physical_order(output, layout)
        dims, strides = fit(node, [output[i] for i in order], *([w[i] for i in order] for w in walks))
        params = {f"d{i}": d for i, d in enumerate(dims)}
        params |= {f"{name}{i}": s for name, walk in zip(operands, strides, strict=True) for i, s in enumerate(walk)}
        refs = {name: view.ref for name, view in zip(operands, views, strict=True)}
        low.emit(opcode, node, {**refs, "y": low.output(y, layout)}, params)

    return lower


def broadcastable(x: ir.Value, output: tuple[int, ...], node: ir.Node) -> tuple[int, ...]:
    """The shape of an operand. Raises ModelError where it does not broadcast to the output's, which onnx's inference
    does not look at in every operator."""
    shape = static_shape(x, node)
    missing = len(output) - len(shape)
    if missing < 0 or any(d not in (1, output[missing + axis]) for axis, d in enumerate(shape)):
        raise ModelError(
            f"'{x.name}' of shape {list(shape)} does not broadcast to {list(output)}",
            "give it a dimension of 1 for each axis along which it repeats",
            describe(node),
        )
    return shape


def output_layout(output: tuple[int, ...], walks: list[list[int]]) -> list[int]:
    """The result lies as the first operand that fills it without gaps does; else row-major."""
    return next((walk for walk in walks if is_gapless(output, walk)), contiguous(output))
