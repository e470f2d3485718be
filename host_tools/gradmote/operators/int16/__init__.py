"""The lowering of the backward pass with 16-bit gradients, instead of float32.

A gradient is then a value of dtype i16, whose view has an exponent. The rules here replace those in
the table of operators. An operator without a rule here gets such a gradient in float32
(`Lowering.view`), and its result is float32 until a rule here converts it to 16 bits again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...ir.graph import DOMAIN
from ..operator import LoweringRule, Operator
from . import add, average_pool_grad, bias_grad, conv_grads, gemm_grads, max_pool_grad, mean_grad, mul, scaled_grad

#: The rules by (domain, op_type).
RULES: dict[tuple[str, str], LoweringRule] = {
    ("", "Add"): add.lower,
    ("", "Mul"): mul.lower,
    ("", "ReduceSum"): bias_grad.lower_sum,
    (DOMAIN, "AveragePoolGrad"): average_pool_grad.lower,
    (DOMAIN, "MaxPoolGrad"): max_pool_grad.lower,
    (DOMAIN, "ReduceMeanGrad"): mean_grad.lower,
    (DOMAIN, "QuantizeGrad"): scaled_grad.lower,
    (DOMAIN, "ScaledGrad"): scaled_grad.lower,
    (DOMAIN, "QConvGradX"): conv_grads.lower_x,
    (DOMAIN, "QConvGradW"): conv_grads.lower_w,
    (DOMAIN, "QGemmGradX"): gemm_grads.lower_x,
    (DOMAIN, "QGemmGradW"): gemm_grads.lower_w,
    (DOMAIN, "QBiasGrad"): bias_grad.lower,
}


def with_int16(operators: Mapping[tuple[str, str], Operator]) -> dict[tuple[str, str], Operator]:
    """Return a table of operators in which these rules lower the backward pass."""
    changed = {key: replace(operators[key], lower=rule, any_exponent=True) for key, rule in RULES.items()}
    return {**operators, **changed}
