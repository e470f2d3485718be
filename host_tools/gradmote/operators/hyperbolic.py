"""Sinh, Cosh and the inverse functions of Sinh, Cosh and Tanh.

With a = |x|:

    cosh x = p + 1 / 4p, p = exp(a/2) exp(a/2) / 2    sinh x = tanh(x) cosh(x)
    asinh a = log1p(a + a / (1/a + sqrt(1/a^2 + 1)))
    acosh x = log1p(x - 1 + sqrt(x - 1) sqrt(x + 1))
    atanh a = log1p(2 a / (1 - a)) / 2

    d sinh = dy cosh x                d cosh = dy sinh x
    d asinh = dy / sqrt(x x + 1)      d acosh = dy / (sqrt(x - 1) sqrt(x + 1))
    d atanh = dy / ((1 - x)(1 + x))

In these forms nothing cancels near 0, and no intermediate overflows if the result does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.generated.instructions import Abs, Add, Div, Exp, Log1P, Mul, Sign, Sqrt, Sub, Tanh
from .operator import Backward, Gradients, Operator
from .steps import Steps, lower_steps
from .trigonometric import one, one_and_square, one_less_square

if TYPE_CHECKING:
    from ..ir.instruction import Ref


def cosh(do: Steps, x: Ref) -> Ref:
    """Return cosh x = p + 1 / 4p, with p = exp(|x|/2) exp(|x|/2) / 2."""
    root = do(Exp, do(Mul, do(Abs, x), 0.5))
    part = do(Mul, do(Mul, root, 0.5), root)
    return do(Add, part, do(Div, 0.25, part))


def sinh(do: Steps, x: Ref) -> Ref:
    """Return sinh x = tanh(x) cosh(x)."""
    return do(Mul, do(Tanh, x), cosh(do, x))


def asinh(do: Steps, x: Ref) -> Ref:
    """Return asinh x = sign(x) log1p(a + a / (1/a + sqrt(1/a^2 + 1))), with a = |x|."""
    magnitude = do(Abs, x)
    inverse = do(Div, 1.0, magnitude)
    root = do(Sqrt, do(Add, do(Mul, inverse, inverse), 1.0))
    beside_one = do(Add, magnitude, do(Div, magnitude, do(Add, inverse, root)))
    return do(Mul, do(Log1P, beside_one), do(Sign, x))


def acosh(do: Steps, x: Ref) -> Ref:
    """Return acosh x = log1p(x - 1 + sqrt(x - 1) sqrt(x + 1))."""
    above = do(Sub, x, 1.0)
    roots = do(Mul, do(Sqrt, above), do(Sqrt, do(Add, x, 1.0)))
    return do(Log1P, do(Add, above, roots))


def atanh(do: Steps, x: Ref) -> Ref:
    """Return atanh x = sign(x) log1p(2 a / (1 - a)) / 2, with a = |x|."""
    magnitude = do(Abs, x)
    beside_one = do(Div, do(Add, magnitude, magnitude), do(Sub, 1.0, magnitude))
    return do(Mul, do(Mul, do(Log1P, beside_one), 0.5), do(Sign, x))


def sinh_gradient(back: Backward) -> Gradients:
    """Return dx = dy cosh x."""
    x = back.node.inputs[0]
    return [back.op("Mul", back.op("Cosh", x, of=x), back.dy[0], of=x)]


def cosh_gradient(back: Backward) -> Gradients:
    """Return dx = dy sinh x."""
    x = back.node.inputs[0]
    return [back.op("Mul", back.op("Sinh", x, of=x), back.dy[0], of=x)]


def asinh_gradient(back: Backward) -> Gradients:
    """Return dx = dy / sqrt(1 + x^2)."""
    x = back.node.inputs[0]
    return divided(back, back.op("Sqrt", one_and_square(back, x), of=x))


def acosh_gradient(back: Backward) -> Gradients:
    """Return dx = dy / (sqrt(x - 1) sqrt(x + 1))."""
    x = back.node.inputs[0]
    roots = [back.op("Sqrt", back.op(op_type, x, one(back), of=x), of=x) for op_type in ("Sub", "Add")]
    return divided(back, back.op("Mul", *roots, of=x))


def atanh_gradient(back: Backward) -> Gradients:
    """Return dx = dy / ((1 - x)(1 + x))."""
    return divided(back, one_less_square(back, back.node.inputs[0]))


def divided(back: Backward, divisor: ir.Value) -> Gradients:
    """Return dx = dy / divisor."""
    return [back.op("Div", back.dy[0], divisor, of=back.node.inputs[0])]


OPERATORS = [
    Operator("Sinh", sinh_gradient, lower_steps(sinh)),
    Operator("Cosh", cosh_gradient, lower_steps(cosh)),
    Operator("Asinh", asinh_gradient, lower_steps(asinh)),
    Operator("Acosh", acosh_gradient, lower_steps(acosh)),
    Operator("Atanh", atanh_gradient, lower_steps(atanh)),
]
