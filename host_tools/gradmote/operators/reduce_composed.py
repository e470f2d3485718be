"""Reductions that the pass rewrite_reductions makes of others."""

from .operator import Operator

NAMES = ("ReduceL1", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp")

OPERATORS = [Operator(name, constants=(1,)) for name in NAMES]
