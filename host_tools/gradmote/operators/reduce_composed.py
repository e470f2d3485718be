"""Reductions that the pass rewrite_reductions makes of others."""

from .operator import Operator

OPERATORS = [Operator(name) for name in ("ReduceL1", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp")]
