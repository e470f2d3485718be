"""Transpose: a strided view; bytes move only where a kernel cannot walk the strides. dx = dy under the inverse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..graph import attribute, rank
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..lowering import Lowering


def permutation(node: ir.Node) -> list[int]:
    """Attribute perm; ONNX's default reverses the axes."""
    return list(attribute(node, "perm", list(reversed(range(rank(node.inputs[0], node))))))


def gradient(back: Backward) -> Gradients:
    inverse = [int(i) for i in np.argsort(permutation(back.node))]
    return [back.op("Transpose", back.dy[0], of=back.node.inputs[0], perm=inverse)]


def lower(low: Lowering, node: ir.Node) -> None:
    source = low.view(node.inputs[0])
    perm = permutation(node)
    low.set_view(node.outputs[0], source.ref, [source.strides[p] for p in perm])


OPERATORS = [Operator("Transpose", gradient, lower, any_type=True)]
