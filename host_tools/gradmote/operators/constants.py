"""Access to inputs of a node that must be known at compile time: sizes, positions, axes."""

from __future__ import annotations

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.graph import constant_array, describe, normalize_axis


def given(node: ir.Node, index: int) -> ir.Value | None:
    """Return input `index`, or None if the node does not have it."""
    return node.inputs[index] if index < len(node.inputs) else None


def integers(node: ir.Node, index: int, what: str) -> list[int] | None:
    """Return the constant integers of input `index`, or None if the input is absent.

    Raises:
        UnsupportedOperator: The input is computed; `what` names it in the message.
    """
    value = given(node, index)
    if value is None:
        return None
    array = constant_array(value)
    if array is None:
        raise UnsupportedOperator(f"{node.op_type} with computed {what}", f"make the {what} constant", describe(node))
    return [int(i) for i in array.reshape(-1)]


def integer(node: ir.Node, index: int, what: str) -> int:
    """Return the one constant integer of an input that the node must have.

    Raises:
        UnsupportedOperator: The input is computed, or is not one number.
    """
    found = integers(node, index, what) or []
    if len(found) != 1:
        raise UnsupportedOperator(f"{node.op_type} with {len(found)} numbers for {what}", "give it one", describe(node))
    return found[0]


def known_dim(value: ir.Value, axis: int, node: ir.Node) -> int:
    """Return one dimension that a rule must know before the batch is fixed.

    Raises:
        UnsupportedOperator: The dimension is symbolic.
    """
    axis = normalize_axis(axis, value, node)
    dim = value.shape[axis]
    if not isinstance(dim, int):
        raise UnsupportedOperator(
            f"{node.op_type} along dimension {axis} of '{value.name}', whose size ({dim}) is not fixed",
            "export the model with this dimension fixed",
            describe(node),
        )
    return dim
