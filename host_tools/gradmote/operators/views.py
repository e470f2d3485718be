"""Operators whose result is a view of their input: the same bytes, read with other strides.

Reshape, Flatten, Squeeze and Unsqueeze    another shape
Expand                                     strides of 0; dx = dy summed over the expanded dimensions
Transpose                                  permuted strides; bytes move only if a kernel cannot read them
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..ir.graph import attribute, rank, static_shape
from ..ir.strides import broadcast_strides, packed, reshaped
from .broadcast import sum_to
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def reshape_gradient(back: Backward) -> Gradients:
    """Return dx: dy in the shape of x."""
    x = back.node.inputs[0]
    shape = back.builder.op("Shape", x, name=f"{x.name}_grad.shape")
    return [back.op("Reshape", back.dy[0], shape, of=x), None]


def lower_reshape(low: Lowering, node: ir.Node) -> None:
    """Make the output a view of the input if strides can express the new shape.

    Else it is an alias of the row-major input, which is copied if need be.
    """
    x, y = node.inputs[0], node.outputs[0]
    view = low.view(x)
    strides = reshaped(static_shape(x, node), view.strides, static_shape(y, node))
    if strides is None:
        low.alias(y, x)
    else:
        low.set_view(y, view.with_strides(strides))


def expand_gradient(back: Backward) -> Gradients:
    """Return dx, dy summed over the expanded dimensions."""
    return [sum_to(back, back.dy[0], back.node.inputs[0]), None]


def lower_expand(low: Lowering, node: ir.Node) -> None:
    """Make the output a view of the input whose strides are 0 along expanded dimensions."""
    strides = broadcast_strides(static_shape(node.inputs[0], node), static_shape(node.outputs[0], node))
    low.ref(node.inputs[0])
    low.set_view(node.outputs[0], low.view(node.inputs[0]).with_strides(strides))


def permutation(node: ir.Node) -> list[int]:
    """Return the attribute perm; ONNX's default reverses the axes."""
    return list(attribute(node, "perm", list(reversed(range(rank(node.inputs[0], node))))))


def layout_for_readers(value: ir.Value) -> list[int]:
    """Return the strides with which the result of the Transposes that read a value is row-major.

    Only Transposes that are the sole reader of their input count.
    """
    order, end = list(range(rank(value))), value
    while len(uses := list(end.uses())) == 1 and not end.is_graph_output() and uses[0].node.op_type == "Transpose":
        order = [order[p] for p in permutation(uses[0].node)]
        end = uses[0].node.outputs[0]
    return packed(static_shape(value), order)


def transpose_gradient(back: Backward) -> Gradients:
    """Return dx: dy transposed by the inverse permutation."""
    inverse = [int(i) for i in np.argsort(permutation(back.node))]
    return [back.op("Transpose", back.dy[0], of=back.node.inputs[0], perm=inverse)]


def lower_transpose(low: Lowering, node: ir.Node) -> None:
    """Make the output a view of the input with permuted strides."""
    source = low.view(node.inputs[0])
    perm = permutation(node)
    low.set_view(node.outputs[0], source.with_strides([source.strides[p] for p in perm]))


OPERATORS = [
    *(
        Operator(
            name, reshape_gradient, lower_reshape, any_type=True, any_width=True, any_exponent=True, constants=(1,)
        )
        for name in ("Reshape", "Flatten", "Squeeze", "Unsqueeze")
    ),
    Operator("Expand", expand_gradient, lower_expand, any_type=True, any_width=True, any_exponent=True, constants=(1,)),
    Operator("Transpose", transpose_gradient, lower_transpose, any_type=True, any_width=True, any_exponent=True),
]
