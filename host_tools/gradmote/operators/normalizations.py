"""Normalizations, which the passes batch_norm, rewrite_normalizations, rewrite_lp_normalization and rewrite_lrn make of
other operators."""

from .operator import Operator

BECOMES = {
    "GroupNormalization": "Standardize, Mul, Add",
    "InstanceNormalization": "Standardize, Mul, Add",
    "LRN": "AveragePool, Mul, Add, Pow, Div",
    "LayerNormalization": "Standardize, Mul, Add",
    "LpNormalization": "a norm, Div",
    "RMSNormalization": "Standardize, Mul",
}

#: Its statistics: constants of the image, unless they are trained with.
BATCH_NORM = Operator(
    "BatchNormalization",
    becomes="Normalize",
    constants=(3, 4),
    limits="statistics of the batch only where they are chosen.",
)

OPERATORS = [BATCH_NORM, *(Operator(name, becomes=others) for name, others in BECOMES.items())]
