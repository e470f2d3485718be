"""The steps of parameters stored as integers q, with the real value (q - zero) unit.

    q_new = clamp(q - floor(step / unit + u), low, high)      u uniform in [0, 1)

`step` is what a rule subtracts from the real parameter. A step shorter than a unit thus moves the
parameter now and then, and on average by its own length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..generated.optimizers import RULES
from ..ir.generated.instructions import UpdateS8, UpdateS16, UpdateS32
from ..ir.graph import DOMAIN, attribute, constant_array, static_shape
from ..operators.operator import Operator
from ..operators.scaled_grad import split_channels
from .steps import BODIES, rule_record, step_op

if TYPE_CHECKING:
    from ..ir.instruction import Ref
    from ..ir.lowering import Lowering

#: How the state stores a parameter -> the instruction, and the number of stored units per unit of the model.
STORED: dict[str, tuple[type[UpdateS8 | UpdateS16 | UpdateS32], int]] = {
    "i8": (UpdateS8, 1),
    "i16": (UpdateS16, 256),
    "i32": (UpdateS32, 1),
}


def quantized_op(rule: str) -> str:
    """Return the operator that applies a rule to one quantized parameter.

    Its inputs are q, g, lr, scale, units, zero, moments..., correction.
    """
    return "Quantized" + step_op(rule)


def lower_step(low: Lowering, node: ir.Node, rule: str) -> None:
    """Emit the instruction for the form in which the parameter is stored; it works in place."""
    p, units = low.stored(node.inputs[0]), node.inputs[4]
    kind, fine = STORED[p.dtype]
    extra: list[Ref] = [low.ref(v) for v in node.inputs[6:]]
    slots, scale = extra[: RULES[rule]["slots"]], low.ref(node.inputs[3])
    outer, channels, inner = split_channels(static_shape(node.inputs[0], node), None, units)
    made = kind(
        g=low.ref(node.inputs[1]),
        p=p.ref,
        slot1=slots[0] if slots else None,
        slot2=slots[1] if len(slots) > 1 else None,
        aux=extra[-1] if RULES[rule]["aux"] else None,
        lr=low.ref(node.inputs[2]),
        scale=None if low.is_one(scale) else scale,
        rule=low.constant(rule_record(rule, node, low.stored(node.inputs[6]).dtype if slots else "f32")),
        units=low.constant((constant(units) / np.float32(fine)).tobytes()),
        counter=low.control("seed"),  # and optimizer_steps after it
        outer=outer,
        channels=channels,
        inner=inner,
        stream=low.random_stream(node),
        **bounds(node, fine),
    )
    low.emit(node, made)
    for output, source in zip(node.outputs, (node.inputs[0], *node.inputs[6:]), strict=False):
        low.set_view(output, low.stored(source))


def constant(value: ir.Value | None) -> np.ndarray:
    """Return the data of a constant input."""
    array = constant_array(value)
    assert array is not None
    return array.reshape(-1)


def bounds(node: ir.Node, fine: int) -> dict[str, float]:
    """Return the bounds of stored numbers, with `fine` of them per number of the model.

    If there are several, the model's number is the stored one rounded down, and zero is in the middle of
    those that round to it.
    """
    zero = int(constant(node.inputs[5])[0])
    return {
        "limit": attribute(node, "limit") * fine,
        "zero": zero * fine + fine // 2,
        "low": attribute(node, "low") * fine,
        "high": attribute(node, "high") * fine + fine - 1,
    }


BEFORE = """
  q_real = Cast <to = 1> (q)
  zero_real = Cast <to = 1> (zero)
  centred = Sub (q_real, zero_real)
  p = Mul (centred, units)"""
BEHIND = """
  distance = Sub (p, p_new)
  whole_units = Div (distance, units)
  most = Constant <value_float: float = @limit> ()
  least = Neg (most)
  limited = Clip (whole_units, least, most)
  chance = RandomUniformLike <dtype = 1> (limited)
  raised = Add (limited, chance)
  rounded = Floor (raised)
  q_moved = Sub (q_real, rounded)
  lowest = Constant <value_int: int = @low> ()
  highest = Constant <value_int: int = @high> ()
  lowest_real = Cast <to = 1> (lowest)
  highest_real = Cast <to = 1> (highest)
  clamped = Clip (q_moved, lowest_real, highest_real)
  q_new = Cast <to: int = @to> (clamped)
}"""


def quantized_body(rule: str) -> str:
    """Return the function of a rule's step, with the parameter dequantized before and rounded after."""
    head, lines = BODIES[rule].split("{", 1)
    for old, new in (
        (step_op(rule), quantized_op(rule)),
        ("> (p, g, lr, scale", "> (q, g, lr, scale, units, zero"),
        ("(p_new", "(q_new"),
        (": float>", ": float, limit: float, low: int, high: int, to: int>"),
    ):
        head = head.replace(old, new)
    return f"{head}{{{BEFORE}{lines.rstrip().removesuffix('}').rstrip()}{BEHIND}"


def quantized_operator(rule: str) -> Operator:
    """Return the operator of a rule's step on a quantized parameter."""
    body = quantized_body(rule)
    return Operator(
        quantized_op(rule), None, lambda low, node: lower_step(low, node, rule), DOMAIN, body, any_width=True
    )


OPERATORS = [quantized_operator(rule) for rule in RULES]
