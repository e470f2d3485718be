"""Einsum: the pass rewrite_einsum makes Transpose, Reshape, MatMul and ReduceSum of it."""

from .operator import Operator

OPERATORS = [Operator("Einsum", becomes="MatMul, Mul, ReduceSum, Transpose")]
