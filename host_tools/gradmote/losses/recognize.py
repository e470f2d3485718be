"""Losses of this folder, recognized in the nodes that onnxblock makes for its own.

A dedicated operator needs less memory than the nodes do, and that of BCEWithLogitsLoss stays finite
for any logits, unlike the logarithm of a sigmoid.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import onnx_ir as ir

from ..ir.graph import Builder
from .each_element import bce_with_logits, l1, mse
from .from_nodes import LossNodes, loss_from_nodes
from .loss import Loss

_MOST_NODES = 16
_REDUCTIONS = {"ReduceMean": "mean", "ReduceSum": "sum"}
_NEGATIVE = "Mul(Log(Sub(1, Sigmoid(y))), Sub(1, t))"

#: The loss of each element as text -> the loss, from the reduction, the label's name and the weight.
_KNOWN: dict[str, Callable[[str, str, list[float] | float], Loss]] = {
    "Pow(Sub(y, t), 2)": lambda reduction, target, _: mse(reduction, target),
    "Abs(Sub(y, t))": lambda reduction, target, _: l1(reduction, target),
    f"Neg(Add(Mul(Log(Sigmoid(y)), t), {_NEGATIVE}))": lambda reduction, target, _: bce_with_logits(
        1.0, reduction, target
    ),
    f"Neg(Add(Mul(Mul(Log(Sigmoid(y)), t), w), {_NEGATIVE}))": lambda reduction, target, weight: bce_with_logits(
        weight, reduction, target
    ),
}


def recognized(given: LossNodes) -> Loss:
    """Return the equivalent loss of this folder, or else the nodes as a loss."""
    as_given = loss_from_nodes(given)
    known = known_loss(given)
    if known is None:
        return as_given

    def loss(builder: Builder, output: ir.Value) -> ir.Value:
        is_like = dims_of(given.labels[0]) == as_dims(output)
        return (known if is_like else as_given)(builder, output)

    return loss


def known_loss(given: LossNodes) -> Loss | None:
    """Return the loss of this folder that has these nodes, or None."""
    if len(given.nodes) > _MOST_NODES or len(given.outputs) != 1 or len(given.labels) != 1:
        return None
    last = given.nodes[-1]
    if last.op_type not in _REDUCTIONS or len(last.input) != 1 or any(a.name == "axes" for a in last.attribute):
        return None
    vectors = [name for name, array in given.constants.items() if array.ndim < 2]
    for weight in (None, *vectors):
        made = _KNOWN.get(expression(given, last.input[0], weight))
        if made is not None:
            value = 1.0 if weight is None else given.constants[weight]
            factor = float(np.ravel(value)[0]) if np.size(value) == 1 else np.ravel(value).tolist()
            return made(_REDUCTIONS[last.op_type], given.labels[0].name, factor)
    return None


def expression(given: LossNodes, name: str, weight: str | None = None) -> str:
    """Return the expression that computes a value, as text.

    y is the model's output, t the label, w the constant called `weight`, and a number another constant of
    one element.
    """
    if name in (given.outputs[0], given.labels[0].name, weight):
        return {given.outputs[0]: "y", given.labels[0].name: "t", weight: "w"}[name]
    if name in given.constants:
        array = given.constants[name]
        return f"{array.item():g}" if array.size == 1 else "?"
    node = next((n for n in given.nodes if name in n.output), None)
    if node is None or node.domain:
        return "?"
    return f"{node.op_type}({', '.join(expression(given, i, weight) for i in node.input)})"


def dims_of(label: onnx.ValueInfoProto) -> list[int | str]:
    """Return the sizes of a label; names for symbolic ones."""
    return [d.dim_param or d.dim_value for d in label.type.tensor_type.shape.dim]


def as_dims(value: ir.Value) -> list[int | str]:
    """Return the sizes of a value of a graph; names for symbolic ones."""
    return [d if isinstance(d, int) else str(d.value) for d in value.shape or ()]
