"""Trilu: the upper or lower triangle of matrices, 0 elsewhere; dx is the same part of dy.

The pass rewrite_trilu replaces it by a Where.
"""

import onnx_ir as ir

from ..ir.graph import attribute
from .constants import integers
from .operator import Backward, Gradients, Operator


def diagonal_of(node: ir.Node) -> int:
    """Return k, the distance of the triangle's edge above the main diagonal; 0 by default."""
    return (integers(node, 1, "diagonal") or [0])[0]


def gradient(back: Backward) -> Gradients:
    """Return dx: the same triangle of dy."""
    node = back.node
    upper = attribute(node, "upper", 1)
    return [back.op("Trilu", back.dy[0], *node.inputs[1:], of=node.inputs[0], upper=upper), None]


OPERATORS = [Operator("Trilu", gradient, constants=(1,))]
