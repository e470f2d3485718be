"""Normalizations, which the pass rewrite_normalizations makes of Standardize."""

from .operator import Operator

OPERATORS = [
    Operator(name)
    for name in ("GroupNormalization", "InstanceNormalization", "LayerNormalization", "RMSNormalization")
]
