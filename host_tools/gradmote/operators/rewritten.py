"""Operators that passes replace by others, so that they have neither a gradient nor a lowering of their own.

rewrite/ has the passes: rewrite_einsum, rewrite_one_hot, rewrite_depth_space, rewrite_grid_sample, rewrite_reductions,
batch_norm, rewrite_normalizations, rewrite_lp_normalization and rewrite_lrn.
"""

from __future__ import annotations

from .operator import Operator

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

OPERATORS = [
    *(Operator(name, becomes=others, constants=(1,)) for name, others in REDUCTIONS.items()),
    *(Operator(name, becomes=others) for name, others in (NORMALIZATIONS | OTHERS).items()),
    Operator("OneHot", constants=(1,)),
    BATCH_NORM,
    GRID_SAMPLE,
]
