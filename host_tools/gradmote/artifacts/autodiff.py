"""Reverse-mode differentiation of an ONNX graph, with one gradient rule per operator."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from ..errors import ModelError, UnsupportedOperator
from ..ir.affine import QUANTIZED
from ..ir.graph import DOMAIN, Builder, describe, unique_name, without_kernel
from ..ir.metadata import LAYER, NO_GRADIENT
from ..operators import Backward, find
from ..rewrite.layers import layer_called


def differentiate(graph: ir.Graph, loss: ir.Value, wrt: Sequence[ir.Value], scale: float = 1.0) -> list[ir.Value]:
    """Append the nodes that compute d loss / d value, and return the gradients of `wrt`.

    The gradients are named `<value>_grad` and become graph outputs. loss: a scalar. scale: the
    gradients are those of scale times the loss. Every value's rank must be known.

    Raises UnsupportedOperator naming the first node without a gradient rule on a path from `wrt` to
    `loss`, ModelError if loss is not a scalar or does not depend on a value.
    """
    if loss.shape is None or len(loss.shape) != 0:
        raise ModelError(
            f"the loss '{loss.name}' has shape {loss.shape}", "training needs a scalar: use reduction mean or sum"
        )
    nodes = list(graph)
    active = reached_from(nodes, wrt)
    if loss not in active:
        raise ModelError("the loss does not depend on any trained parameter", "check the names given as trainable")
    builder = Builder(graph)
    pending: dict[ir.Value, list[ir.Value]] = {loss: [builder.constant(scale, f"{loss.name}_grad")]}
    for node in reversed(nodes):
        if any(o in pending for o in node.outputs) and any(o in active for o in node.outputs):
            with layer_called(graph, LAYER.read(node), backward=True):
                visit(builder, node, active, pending)
    with layer_called(graph, None, backward=True):
        return [name_gradient(builder, value, pending) for value in wrt]


def reached_from(nodes: Sequence[ir.Node], wrt: Sequence[ir.Value]) -> set[ir.Value]:
    """Return the values that depend on `wrt` through differentiable nodes and edges that carry real numbers."""
    active = set(wrt)
    for node in nodes:
        if not NO_GRADIENT.stands_in(node) and any(i in active for i in node.inputs):
            active.update(o for o in node.outputs if carries_gradient(node, o))
    return active


def carries_gradient(node: ir.Node, output: ir.Value) -> bool:
    """Return whether an output carries real numbers: it is float, or quantized, or moves such values."""
    if output.dtype is None or output.dtype.is_floating_point():
        return True
    if node.domain == DOMAIN:
        return node.op_type in ("Quantize", "FlipSign")
    operator = find(node)
    moves = operator is not None and operator.any_type and node.op_type != "Cast"
    return moves and output.dtype in QUANTIZED and output.dtype == node.inputs[0].dtype  # type: ignore[union-attr]


def describe_gradient(grad: ir.Value, value: ir.Value) -> None:
    """Give a gradient the shape of its value; that of a quantized value is float32."""
    is_quantized = value.dtype in QUANTIZED
    grad.shape, grad.type = value.shape, ir.TensorType(ir.DataType.FLOAT) if is_quantized else value.type


def visit(builder: Builder, node: ir.Node, active: set[ir.Value], pending: dict[ir.Value, list[ir.Value]]) -> None:
    """Apply a node's gradient rule to its output gradients, and add the results to `pending`.

    pending: the gradients that have reached each value so far. Raises UnsupportedOperator if the node
    has no rule, or not even a kernel.
    """
    operator = find(node)
    if operator is None or not (operator.gradient or operator.lower or operator.becomes):
        raise without_kernel(node)
    if operator.gradient is None:
        raise UnsupportedOperator(
            f"{node.domain or 'ONNX'} operator {node.op_type} has no gradient",
            "freeze the parameters below it (--train / --freeze), or see what `gradmote ops` can train through",
            describe(node),
        )
    dy = [total(builder, o, pending) for o in node.outputs]
    wanted = [i in active for i in node.inputs]
    if dy[0] is None and not operator.any_output:
        raise UnsupportedOperator(
            f"only a secondary output of {node.op_type} reaches the loss", "use its first output", describe(node)
        )
    grads = operator.gradient(Backward(builder, node, dy, wanted))
    for value, grad, needed in zip(node.inputs, grads, wanted, strict=False):
        if value is not None and grad is not None and needed:
            describe_gradient(grad, value)
            pending.setdefault(value, []).append(grad)


def total(builder: Builder, value: ir.Value, pending: dict[ir.Value, list[ir.Value]]) -> ir.Value | None:
    """Return the sum of all gradients that reached a value (it may have several users), or None."""
    parts = pending.get(value)
    if not parts:
        return None
    whole = parts[0]
    for part in parts[1:]:
        whole = builder.op("Add", whole, part, name=f"{value.name}_grad.sum")
        describe_gradient(whole, value)
    pending[value] = [whole]
    return whole


def name_gradient(builder: Builder, value: ir.Value, pending: dict[ir.Value, list[ir.Value]]) -> ir.Value:
    """Name a value's gradient and make it a graph output.

    Raises ModelError if the loss does not depend on the value.
    """
    grad = total(builder, value, pending)
    if grad is None:
        raise ModelError(
            f"the loss does not depend on parameter '{value.name}'", "freeze it (--freeze), or check the loss"
        )
    if grad.producer() is None or grad.is_graph_output():
        grad = builder.op("Identity", grad, name=f"{value.name}_grad")  # two parameters may share one gradient
    else:
        grad.name = unique_name(builder.graph, f"{value.name}_grad")
    describe_gradient(grad, value)
    builder.graph.outputs.append(grad)
    return grad
