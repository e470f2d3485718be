"""One file an operator: its gradient rule and its lowering to instructions. This table is the list of them."""

from __future__ import annotations

import onnx_ir as ir

from . import (
    add,
    bce_with_logits_loss,
    div,
    dropout,
    expand,
    gemm,
    identity,
    l1_loss,
    leaky_relu,
    log_softmax,
    matmul,
    mse_loss,
    mul,
    reduce_mean,
    reduce_sum,
    relu,
    reshape,
    sigmoid,
    softmax,
    softmax_cross_entropy_loss,
    sub,
    tanh,
    transpose,
)
from .operator import Backward, Operator

_FILES = (
    add,
    bce_with_logits_loss,
    div,
    dropout,
    expand,
    gemm,
    identity,
    l1_loss,
    leaky_relu,
    log_softmax,
    matmul,
    mse_loss,
    mul,
    reduce_mean,
    reduce_sum,
    relu,
    reshape,
    sigmoid,
    softmax,
    softmax_cross_entropy_loss,
    sub,
    tanh,
    transpose,
)

#: (domain, op_type) -> operator
OPERATORS: dict[tuple[str, str], Operator] = {(o.domain, o.op_type): o for file in _FILES for o in file.OPERATORS}


def find(node: ir.Node) -> Operator | None:
    """The operator of a node, or None where Gradmote does not have it."""
    return OPERATORS.get((node.domain, node.op_type))


__all__ = ["OPERATORS", "Backward", "Operator", "find"]
