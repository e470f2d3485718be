"""Operators that passes replace with others or with constants, so that they have no lowering of their own.

rewrite/ has the passes: rewrite_operators, rewrite_einsum, rewrite_grid_sample, rewrite_reductions, batch_norm and
rewrite_normalizations replace operators with others. fold_constants makes constants of the operators of FOLDED, which
are known when the batch is.
"""

from __future__ import annotations

import onnx_ir as ir

from ..ir.graph import attribute
from .constants import integers
from .operator import Backward, Gradients, Operator

REDUCTIONS = {
    "ReduceL1": "Abs, ReduceSum",
    "ReduceSumSquare": "Mul, ReduceSum",
    "ReduceLogSum": "ReduceSum, Log",
    "ReduceLogSumExp": "ReduceMax, Exp, ReduceSum, Log",
}
NORMALIZATIONS = {
    "GroupNormalization": "Standardize, Mul, Add",
    "InstanceNormalization": "Standardize, Mul, Add",
    "LRN": "AveragePool, Mul, Add, Pow, Div",
    "LayerNormalization": "Standardize, Mul, Add",
    "LpNormalization": "a norm, Div",
    "RMSNormalization": "Standardize, Mul",
}
OTHERS = {
    "Einsum": "MatMul, Mul, ReduceSum, Transpose",
    "DepthToSpace": "Reshape, Transpose",
    "SpaceToDepth": "Reshape, Transpose",
}
#: Inputs 3 and 4, the running statistics, are constants of the image unless the mode uses statistics of the batch.
BATCH_NORM = Operator(
    "BatchNormalization",
    becomes="Normalize",
    constants=(3, 4),
    limits="statistics of the batch only if they are chosen.",
)
GRID_SAMPLE = Operator(
    "GridSample",
    becomes="GatherND, Mul, Add",
    limits=(
        "cubic over two spatial dimensions only, and not with padding_mode border, on which PyTorch and "
        "onnxruntime differ."
    ),
)
#: Operators whose results follow from shapes or constants.
FOLDED = [
    Operator("Shape"),
    Operator("Size"),
    Operator("ConstantOfShape", constants=(0,)),
    Operator("Range", constants=(0, 1, 2)),
    Operator("NonZero", constants=(0,)),
]

# Trilu: the upper or lower triangle of matrices, 0 elsewhere; dx is the same part of dy.
# The pass rewrite_trilu replaces it with a Where.


def diagonal_of(node: ir.Node) -> int:
    """Return k, the distance of the triangle's edge above the main diagonal; 0 by default."""
    return (integers(node, 1, "diagonal") or [0])[0]


def trilu_gradient(back: Backward) -> Gradients:
    """Return dx: the same triangle of dy."""
    node = back.node
    upper = attribute(node, "upper", 1)
    return [back.op("Trilu", back.dy[0], *node.inputs[1:], of=node.inputs[0], upper=upper), None]


OPERATORS = [
    *(Operator(name, becomes=others, constants=(1,)) for name, others in REDUCTIONS.items()),
    *(Operator(name, becomes=others) for name, others in (NORMALIZATIONS | OTHERS).items()),
    Operator("OneHot", constants=(1,)),
    BATCH_NORM,
    GRID_SAMPLE,
    *FOLDED,
    Operator("Trilu", trilu_gradient, constants=(1,)),
]
