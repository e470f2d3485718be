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
from . import elementwise, max_pool_grad, products

#: The rules by (domain, op_type).
RULES: dict[tuple[str, str], LoweringRule] = {
    ("", "Add"): elementwise.lower_add,
    ("", "Mul"): elementwise.lower_mul,
    ("", "ReduceSum"): products.lower_sum,
    (DOMAIN, "AveragePoolGrad"): elementwise.lower_average_pool_grad,
    (DOMAIN, "MaxPoolGrad"): max_pool_grad.lower,
    (DOMAIN, "ReduceMeanGrad"): elementwise.lower_mean_grad,
    (DOMAIN, "QuantizeGrad"): elementwise.lower_scaled_grad,
    (DOMAIN, "ScaledGrad"): elementwise.lower_scaled_grad,
    (DOMAIN, "QConvGradX"): products.lower_conv_grad_x,
    (DOMAIN, "QConvGradW"): products.lower_conv_grad_w,
    (DOMAIN, "QGemmGradX"): products.lower_gemm_grad_x,
    (DOMAIN, "QGemmGradW"): products.lower_gemm_grad_w,
    (DOMAIN, "QBiasGrad"): products.lower_bias_grad,
}


def with_int16(operators: Mapping[tuple[str, str], Operator]) -> dict[tuple[str, str], Operator]:
    """Return a table of operators in which these rules lower the backward pass."""
    changed = {key: replace(operators[key], lower=rule, any_exponent=True) for key, rule in RULES.items()}
    return {**operators, **changed}
