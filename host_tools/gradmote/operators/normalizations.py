"""Normalizations, which the passes rewrite_normalizations and rewrite_lp_normalization make of other operators."""

from .operator import Operator

NAMES = (
    "GroupNormalization",
    "InstanceNormalization",
    "LayerNormalization",
    "LpNormalization",
    "RMSNormalization",
)

OPERATORS = [Operator(name) for name in NAMES]
