"""Normalizations, which the passes batch_norm, rewrite_normalizations and rewrite_lp_normalization make of other
operators."""

from .operator import Operator

NAMES = (
    "GroupNormalization",
    "InstanceNormalization",
    "LayerNormalization",
    "LpNormalization",
    "RMSNormalization",
)

#: Its statistics: constants of the image, unless they are trained with.
BATCH_NORM = Operator(
    "BatchNormalization", constants=(3, 4), limits="statistics of the batch only where they are chosen."
)

OPERATORS = [BATCH_NORM, *(Operator(name) for name in NAMES)]
