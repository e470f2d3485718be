"""Transpose: a strided view; bytes move only where a kernel cannot walk the strides. dx = dy under the inverse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..compiler.strides import packed
from ..model.graph import attribute, rank, static_shape
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..compiler.lowering import Lowering


def permutation(node: ir.Node) -> list[int]:
    """Attribute perm; ONNX's default reverses the axes."""
    return list(attribute(node, "perm", list(reversed(range(rank(node.inputs[0], node))))))


def layout_for_readers(value: ir.Value) -> list[int]:
    """The strides that make row-major what Transposes make of a value that nothing else reads."""
    order, end = list(range(rank(value))), value
    while len(uses := list(end.uses())) == 1 and not end.is_graph_output() and uses[0].node.op_type == "Transpose":
        order = [order[p] for p in permutation(uses[0].node)]
        end = uses[0].node.outputs[0]
    return packed(static_shape(value), order)


def gradient(back: Backward) -> Gradients:
    inverse = [int(i) for i in np.argsort(permutation(back.node))]
    return [back.op("Transpose", back.dy[0], of=back.node.inputs[0], perm=inverse)]


def lower(low: Lowering, node: ir.Node) -> None:
    source = low.view(node.inputs[0])
    perm = permutation(node)
    low.set_view(node.outputs[0], source.ref, [source.strides[p] for p in perm])


OPERATORS = [Operator("Transpose", gradient, lower, any_type=True)]
