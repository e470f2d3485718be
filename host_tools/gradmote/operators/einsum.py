"""Einsum, which the pass rewrite_einsum replaces by Transpose, Reshape, MatMul and ReduceSum."""

from .operator import Operator

OPERATORS = [Operator("Einsum", becomes="MatMul, Mul, ReduceSum, Transpose")]
