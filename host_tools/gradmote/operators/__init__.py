"""Operators: one file each, with the gradient rule and the lowering to instructions."""

from __future__ import annotations

from importlib import import_module

import onnx_ir as ir

from .operator import Backward, Operator

#: The files of this folder, each of which has a list OPERATORS.
FILES = (
    "abs",
    "add",
    "average_pool",
    "bce_with_logits_loss",
    "clip",
    "compare",
    "concat",
    "conv",
    "conv_transpose",
    "cross_entropy",
    "cumsum",
    "depth_to_space",
    "div",
    "dropout",
    "einsum",
    "elu",
    "erf",
    "exp",
    "expand",
    "extremum",
    "folded",
    "gather",
    "gather_elements",
    "gather_nd",
    "gelu",
    "gemm",
    "grid_sample",
    "gru",
    "hard_sigmoid",
    "hard_swish",
    "hyperbolic",
    "identity",
    "l1_loss",
    "leaky_relu",
    "log",
    "log_softmax",
    "lstm",
    "matmul",
    "max_pool",
    "mish",
    "mod",
    "mse_loss",
    "mul",
    "neg",
    "negative_log_likelihood_loss",
    "normalizations",
    "normalize",
    "one_hot",
    "pad",
    "pow",
    "prelu",
    "random_like",
    "reciprocal",
    "reduce_composed",
    "reduce_l2",
    "reduce_max",
    "reduce_mean",
    "reduce_prod",
    "reduce_sum",
    "relu",
    "reshape",
    "resize",
    "rnn",
    "round",
    "scatter",
    "sigmoid",
    "sin",
    "slice",
    "softmax",
    "softmax_cross_entropy_loss",
    "softplus",
    "softsign",
    "split",
    "sqrt",
    "standardize",
    "sub",
    "swish",
    "tanh",
    "tile",
    "top_k",
    "transpose",
    "trigonometric",
    "trilu",
    "where",
)

#: The operators by (domain, op_type).
OPERATORS: dict[tuple[str, str], Operator] = {
    (operator.domain, operator.op_type): operator
    for file in FILES
    for operator in import_module(f".{file}", __name__).OPERATORS
}


def find(node: ir.Node) -> Operator | None:
    """Return the operator of a node, or None where Gradmote does not have it."""
    return OPERATORS.get((node.domain, node.op_type))


__all__ = ["OPERATORS", "Backward", "Operator", "find"]
