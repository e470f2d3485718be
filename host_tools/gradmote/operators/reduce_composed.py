"""Reductions that the pass rewrite_reductions rewrites with others."""

from .operator import Operator

BECOMES = {
    "ReduceL1": "Abs, ReduceSum",
    "ReduceSumSquare": "Mul, ReduceSum",
    "ReduceLogSum": "ReduceSum, Log",
    "ReduceLogSumExp": "ReduceMax, Exp, ReduceSum, Log",
}

OPERATORS = [Operator(name, becomes=others, constants=(1,)) for name, others in BECOMES.items()]
