"""ScatterElements and ScatterND: y is data, with updates written at the indices.

A reduction combines the updates with the data. By reduction, the gradients are:

    none        d data = dy, 0 at the indices        d updates = dy at the indices
    add         d data = dy                          d updates = dy at the indices
    max, min    dy in equal shares to all that equal y: the data, and all updates of one index
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.generated.instructions import Scatter, ScatterAdd
from ..ir.graph import DOMAIN, attribute, describe, static_shape
from ..ir.strides import contiguous
from .flat_indices import FlatIndices, by_tuples
from .gather_elements import axis_of, covered, indices_of
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..ir.instruction import Ref
    from ..ir.lowering import Lowering

Combine = Literal["replace", "mul", "max", "min"]
COMBINE: dict[str, Combine] = {"none": "replace", "mul": "mul", "max": "max", "min": "min"}


def reduction_of(node: ir.Node) -> str:
    """Return the attribute `reduction`; "none" by default."""
    return str(attribute(node, "reduction", "none"))


# ---- Backward


def gradient(back: Backward) -> Gradients:
    """Return the gradients of data and updates.

    Raises:
        UnsupportedOperator: The reduction is mul.
    """
    reduction, dy = reduction_of(back.node), back.dy[0]
    if reduction in ("max", "min"):
        return shares(back)
    if reduction == "mul":
        raise UnsupportedOperator(
            f"the gradient of {back.node.op_type} with reduction mul", "use reduction add, max or min",
            describe(back.node),
        )  # fmt: skip
    data = dy if reduction == "add" else without_updated(back, dy)
    return [data, None, taken(back, dy) if back.needs(2) else None]


def taken(back: Backward, value: ir.Value) -> ir.Value:
    """Return the elements of `value` at the indices, in the shape of the updates."""
    node = back.node
    op_type, settings = TAKE[node.op_type], {"axis": axis_of(node)} if node.op_type == "ScatterElements" else {}
    return back.op(op_type, value, node.inputs[1], of=node.inputs[2], **settings)


def scattered(back: Backward, data: ir.Value, updates: ir.Value, reduction: str) -> ir.Value:
    """Return `data` with `updates` scattered into it by the node's indices."""
    node = back.node
    settings: dict[str, int | str] = {"axis": axis_of(node)} if node.op_type == "ScatterElements" else {}
    if reduction != "none":  # opset 13 does not have this attribute
        settings["reduction"] = reduction
    return back.op(node.op_type, data, node.inputs[1], updates, of=node.inputs[0], **settings)


def without_updated(back: Backward, dy: ir.Value) -> ir.Value:
    """Return dy with 0 at the indices."""
    zero = back.builder.constant(0.0, f"{back.node.outputs[0].name}_grad.zero")
    zeros = back.op("BroadcastLike", zero, back.node.inputs[2], of=back.node.inputs[0], domain=DOMAIN)
    return scattered(back, dy, zeros, "none")


def shares(back: Backward) -> Gradients:
    """Return the gradients for max and min: equal shares to all elements that equal y."""
    data, _, updates = back.node.inputs
    y = back.node.outputs[0]
    kept, chosen = equal(back, data, y), equal(back, updates, taken(back, y))
    share = back.op("Div", back.dy[0], scattered(back, kept, chosen, "add"), of=data)
    from_updates = back.op("Mul", chosen, taken(back, share), of=updates) if back.needs(2) else None
    return [back.op("Mul", kept, share, of=data), None, from_updates]


def equal(back: Backward, value: ir.Value | None, other: ir.Value) -> ir.Value:
    """Return 1 if both are equal, else 0."""
    return back.op("Cast", back.op("Equal", value, other, of=value), of=value, to=ir.DataType.FLOAT.value)


# ---- Lowering


def lower_elements(low: Lowering, node: ir.Node) -> None:
    """Copy the data, then scatter the updates into it.

    If the indices reach only a part of the data, that part is moved to scratch memory, updated there, and
    moved back.
    """
    data, indices, updates = node.inputs
    axis, shape = axis_of(node), static_shape(data, node)
    part = covered(shape, static_shape(indices, node), axis)
    flat, source = indices_of(low, node, indices, shape, axis), low.ref(updates)
    copied(low, node)
    target = low.view(node.outputs[0])
    if part == list(shape):
        emit(low, node, source, target.ref, flat)
        return
    own = low.scratch(f"{node.outputs[0].name}.part", part, contiguous(part))
    low.move(node, part, target, own)
    emit(low, node, source, own.ref, flat)
    low.move(node, part, own, target)


def lower_nd(low: Lowering, node: ir.Node) -> None:
    """Copy the data, then scatter the updates into it."""
    data, indices, updates = node.inputs
    flat, source = by_tuples(low, node, indices, static_shape(data, node)), low.ref(updates)
    copied(low, node)
    emit(low, node, source, low.view(node.outputs[0]).ref, flat)


def copied(low: Lowering, node: ir.Node) -> None:
    """Copy the data to the output."""
    data, y = node.inputs[0], node.outputs[0]
    view = low.view(data)
    low.output(y)
    low.move(node, static_shape(y, node), view, low.view(y))


def emit(low: Lowering, node: ir.Node, updates: Ref, target: Ref, flat: FlatIndices) -> None:
    """Emit one SCATTER_ADD or SCATTER, by the node's reduction.

    Raises:
        UnsupportedOperator: The node reduces integers.
    """
    reduction = reduction_of(node)
    if reduction != "none" and not node.outputs[0].dtype.is_floating_point():
        raise UnsupportedOperator(
            f"{node.op_type} of integers with reduction {reduction}",
            "the runtime moves integers, and computes with float32",
            describe(node),
        )
    if reduction == "add":
        low.emit(node, ScatterAdd(dy=updates, indices=flat.indices, dx=target, **flat.params()))
        return
    made = Scatter(x=updates, indices=flat.indices, y=target, **flat.params(), combine=COMBINE[reduction])
    low.emit(node, made)


TAKE = {"ScatterElements": "GatherElements", "ScatterND": "GatherND"}
LOWER: dict[str, Callable[[Lowering, ir.Node], None]] = {"ScatterElements": lower_elements, "ScatterND": lower_nd}
LIMITS = "reduction mul has no gradient."

OPERATORS = [Operator(op_type, gradient, lower, any_type=True, limits=LIMITS) for op_type, lower in LOWER.items()]
