"""The operators of the optimizer model: steps, bias correction, clipping.

There is one step per parameter. Steps and the bias correction update in place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..generated.optimizers import RULES
from ..generated.records import MOMENTS_BF16
from ..ir.flat_binary import flat_binary
from ..ir.generated.instructions import Add, BiasCorrection, CheckFinite, Clamp, ClipScale, Mul, SumSquares, Update
from ..ir.graph import DOMAIN, attribute
from ..operators.operator import Operator
from .adam import STEPS as ADAM_STEPS
from .sgd import STEPS as SGD_STEPS

if TYPE_CHECKING:
    from ..ir.instruction import Ref
    from ..ir.lowering import Lowering

#: rule -> function body
BODIES = {**SGD_STEPS, **ADAM_STEPS}


def step_op(rule: str) -> str:
    """Return the operator that applies a rule to one parameter.

    Its inputs are p, g, lr, scale, moments..., correction.
    """
    return "".join(part.title() for part in rule.split("_")) + "Step"


def rule_record(rule: str, node: ir.Node, moments: str = "f32") -> bytes:
    """Return the 8 words of the rule: kind, with the type of its moments, then hyper-parameters as float32."""
    words = np.zeros(8, np.uint32)
    words[0] = RULES[rule]["kind"] + (MOMENTS_BF16 if moments == "bf16" else 0)
    hyper = np.array([attribute(node, name) for name in RULES[rule]["hyper"]], np.float32)
    words[1 : 1 + len(hyper)] = hyper.view(np.uint32)
    return words.tobytes()


def lower_step(low: Lowering, node: ir.Node, rule: str) -> None:
    """Emit UPDATE, which overwrites the parameter and its moments."""
    p, g, lr, scale = (low.ref(v) for v in node.inputs[:4])
    extra: list[Ref] = [low.ref(v) for v in node.inputs[4:]]
    slots = extra[: RULES[rule]["slots"]]
    made = Update(
        g=g,
        p=p,
        lr=lr,
        slot1=slots[0] if slots else None,
        slot2=slots[1] if len(slots) > 1 else None,
        aux=extra[-1] if RULES[rule]["aux"] else None,
        scale=None if low.is_one(scale) else scale,
        rule=low.constant(rule_record(rule, node, low.stored(node.inputs[4]).dtype if slots else "f32")),
        n=low.elements(node.inputs[0]),
    )
    low.emit(node, made)
    for output, source in zip(node.outputs, (node.inputs[0], *node.inputs[4:]), strict=False):
        low.set_view(output, low.stored(source))


def lower_bias_correction(low: Lowering, node: ir.Node) -> None:
    """Emit BIAS_CORRECTION, c = c beta + (1 - beta), in place.

    If integers train, emit a product and a sum instead, which are bitwise equal in both profiles.
    """
    c, names = low.ref(node.inputs[0]), ("beta1", "one_minus_beta1", "beta2", "one_minus_beta2")
    betas = {name: attribute(node, name) for name in names}
    if low.shared.trains_integers:
        beta, rest = (
            low.constant(np.float32([betas[f"{name}1"], betas[f"{name}2"]]).tobytes())
            for name in ("beta", "one_minus_beta")
        )
        low.emit(node, flat_binary(Mul, c, beta, c, 2))
        low.emit(node, flat_binary(Add, c, rest, c, 2))
    else:
        low.emit(node, BiasCorrection(c=c, **betas))
    low.alias(node.outputs[0], node.inputs[0])


BIAS_CORRECTION = """
BiasCorrection <beta1: float, one_minus_beta1: float, beta2: float, one_minus_beta2: float> (c) => (c_new) {
  b1 = Constant <value_float: float = @beta1> ()
  b2 = Constant <value_float: float = @beta2> ()
  a1 = Constant <value_float: float = @one_minus_beta1> ()
  a2 = Constant <value_float: float = @one_minus_beta2> ()
  at = Constant <value_ints = [0]> ()
  b1_row = Unsqueeze (b1, at)
  b2_row = Unsqueeze (b2, at)
  a1_row = Unsqueeze (a1, at)
  a2_row = Unsqueeze (a2, at)
  beta = Concat <axis = 0> (b1_row, b2_row)
  rest = Concat <axis = 0> (a1_row, a2_row)
  kept = Mul (c, beta)
  c_new = Add (kept, rest)
}"""


def lower_sum_squares(low: Lowering, node: ir.Node) -> None:
    """Emit SUM_SQUARES, y = sum of g^2 (+ the previous parameter's sum, if any)."""
    g = node.inputs[0]
    previous = node.inputs[1] if len(node.inputs) > 1 else None
    if previous is not None:
        low.alias(node.outputs[0], previous)
        y = low.ref(previous)
    else:
        y = low.output(node.outputs[0])
    low.emit(node, SumSquares(x=low.ref(g), y=y, n=low.elements(g), accumulate=previous is not None))


SUM_SQUARES = """
SumSquares (g) => (total) {
  square = Mul (g, g)
  total = ReduceSum <keepdims = 0> (square)
}"""
ADD_SUM_SQUARES = """
AddSumSquares (g, previous) => (total) {
  square = Mul (g, g)
  own = ReduceSum <keepdims = 0> (square)
  total = Add (previous, own)
}"""


def lower_clip_scale(low: Lowering, node: ir.Node) -> None:
    """Emit CLIP_SCALE, y = scale min(1, max_norm / (scale sqrt(sum_squares) + 1e-6)).

    CHECK_FINITE comes first, so that a step with a non-finite gradient is refused.
    """
    total, scale = (low.ref(v) for v in node.inputs)
    low.emit(node, CheckFinite(x=total, n=1))
    factor, y = None if low.is_one(scale) else scale, low.output(node.outputs[0])
    low.emit(node, ClipScale(sum_squares=total, scale=factor, y=y, max_norm=attribute(node, "max_norm")))


CLIP_SCALE = """
ClipScale <max_norm: float> (sum_squares, scale) => (clipped) {
  limit = Constant <value_float: float = @max_norm> ()
  tiny = Constant <value_float = 0.000001> ()
  one = Constant <value_float = 1.0> ()
  root = Sqrt (sum_squares)
  norm = Mul (scale, root)
  norm_eps = Add (norm, tiny)
  ratio = Div (limit, norm_eps)
  factor = Min (one, ratio)
  clipped = Mul (scale, factor)
}"""


def lower_clip_value(low: Lowering, node: ir.Node) -> None:
    """Emit CLAMP of the scaled gradient to [-max_value, max_value], into a tensor of its own.

    The gradient stays, so that a caller who reads it after the update sees the accumulated sum.
    """
    g, scale = (low.ref(v) for v in node.inputs)
    n, limit = low.elements(node.inputs[0]), attribute(node, "max_value")
    y = low.output(node.outputs[0])
    if not low.is_one(scale):
        low.emit(node, flat_binary(Mul, g, scale, y, n, b_step=0))
    source = g if low.is_one(scale) else y
    low.emit(node, Clamp(x=source, y=y, n=n, low=-limit, high=limit))


CLIP_VALUE = """
ClipValue <max_value: float> (g, scale) => (clipped) {
  high = Constant <value_float: float = @max_value> ()
  low = Neg (high)
  scaled = Mul (g, scale)
  clipped = Clip (scaled, low, high)
}"""


def step_operator(rule: str) -> Operator:
    """Return the operator of a rule's step."""
    return Operator(
        step_op(rule), None, lambda low, node: lower_step(low, node, rule), DOMAIN, BODIES[rule], any_width=True
    )


OPERATORS = [
    *(step_operator(rule) for rule in RULES),
    Operator("BiasCorrection", None, lower_bias_correction, DOMAIN, BIAS_CORRECTION),
    Operator("SumSquares", None, lower_sum_squares, DOMAIN, SUM_SQUARES),
    Operator("AddSumSquares", None, lower_sum_squares, DOMAIN, ADD_SUM_SQUARES),
    Operator("ClipScale", None, lower_clip_scale, DOMAIN, CLIP_SCALE),
    Operator("ClipValue", None, lower_clip_value, DOMAIN, CLIP_VALUE),
]
