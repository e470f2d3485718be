"""Transpose: a strided view; bytes move only if a kernel cannot read the strides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..ir.graph import attribute, rank, static_shape
from ..ir.strides import packed
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


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


def gradient(back: Backward) -> Gradients:
    """Return dx: dy transposed by the inverse permutation."""
    inverse = [int(i) for i in np.argsort(permutation(back.node))]
    return [back.op("Transpose", back.dy[0], of=back.node.inputs[0], perm=inverse)]


def lower(low: Lowering, node: ir.Node) -> None:
    """Make the output a view of the input with permuted strides."""
    source = low.view(node.inputs[0])
    perm = permutation(node)
    low.set_view(node.outputs[0], source.with_strides([source.strides[p] for p in perm]))


OPERATORS = [Operator("Transpose", gradient, lower, any_type=True, any_width=True, any_exponent=True)]
