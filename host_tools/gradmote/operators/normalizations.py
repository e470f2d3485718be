"""Normalizations that passes replace by other operators.

The passes are batch_norm, rewrite_normalizations, rewrite_lp_normalization and rewrite_lrn.
"""

from .operator import Operator

BECOMES = {
    "GroupNormalization": "Standardize, Mul, Add",
    "InstanceNormalization": "Standardize, Mul, Add",
    "LRN": "AveragePool, Mul, Add, Pow, Div",
    "LayerNormalization": "Standardize, Mul, Add",
    "LpNormalization": "a norm, Div",
    "RMSNormalization": "Standardize, Mul",
}

#: Inputs 3 and 4, the running statistics, are constants of the image unless the mode uses statistics of the batch.
BATCH_NORM = Operator(
    "BatchNormalization",
    becomes="Normalize",
    constants=(3, 4),
    limits="statistics of the batch only where they are chosen.",
)

OPERATORS = [BATCH_NORM, *(Operator(name, becomes=others) for name, others in BECOMES.items())]
