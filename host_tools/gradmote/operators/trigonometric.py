"""Sin, Cos and Tan, of radians, and their inverse functions.

Values and gradients are

    tan x = sin x / cos x
    asin x = atan(x / sqrt((1 - x)(1 + x)))
    acos x = 2 atan(sqrt((1 - x) / (1 + x)))

    d sin = dy cos x            d cos = -dy sin x
    d tan = dy (1 + y y)        d atan = dy / (1 + x x)
    d asin = -d acos = dy / sqrt((1 - x)(1 + x))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.generated.instructions import Add, Atan, Cos, Div, Mul, Sin, Sqrt, Sub
from .elementwise import lower_flat
from .operator import Backward, Gradients, Operator
from .steps import Steps, lower_steps

if TYPE_CHECKING:
    from ..ir.instruction import Ref


def sin_gradient(back: Backward) -> Gradients:
    """Return dx = dy cos x."""
    x = back.node.inputs[0]
    return [back.op("Mul", back.op("Cos", x, of=x), back.dy[0], of=x)]


def cos_gradient(back: Backward) -> Gradients:
    """Return dx = -dy sin x."""
    x = back.node.inputs[0]
    return [back.op("Neg", back.op("Mul", back.op("Sin", x, of=x), back.dy[0], of=x), of=x)]


def tan(do: Steps, x: Ref) -> Ref:
    """Return tan x = sin x / cos x."""
    return do(Div, do(Sin, x), do(Cos, x))


def asin(do: Steps, x: Ref) -> Ref:
    """Return asin x = atan(x / sqrt((1 - x)(1 + x)))."""
    cosine = do(Sqrt, do(Mul, do(Sub, 1.0, x), do(Add, 1.0, x)))
    return do(Atan, do(Div, x, cosine))


def acos(do: Steps, x: Ref) -> Ref:
    """Return acos x = 2 atan(sqrt((1 - x) / (1 + x)))."""
    half_tangent = do(Sqrt, do(Div, do(Sub, 1.0, x), do(Add, 1.0, x)))
    return do(Mul, do(Atan, half_tangent), 2.0)


def tan_gradient(back: Backward) -> Gradients:
    """Return dx = dy (1 + y^2)."""
    return [back.op("Mul", one_and_square(back, back.node.outputs[0]), back.dy[0], of=back.node.inputs[0])]


def atan_gradient(back: Backward) -> Gradients:
    """Return dx = dy / (1 + x^2)."""
    x = back.node.inputs[0]
    return [back.op("Div", back.dy[0], one_and_square(back, x), of=x)]


def asin_gradient(back: Backward) -> Gradients:
    """Return dx = dy / sqrt((1 - x)(1 + x))."""
    x = back.node.inputs[0]
    return [back.op("Div", back.dy[0], back.op("Sqrt", one_less_square(back, x), of=x), of=x)]


def acos_gradient(back: Backward) -> Gradients:
    """Return dx = -dy / sqrt((1 - x)(1 + x))."""
    return [back.op("Neg", asin_gradient(back)[0], of=back.node.inputs[0])]


def one_and_square(back: Backward, value: ir.Value | None) -> ir.Value:
    """Return 1 + value^2."""
    of = back.node.inputs[0]
    return back.op("Add", back.op("Mul", value, value, of=of), one(back), of=of)


def one_less_square(back: Backward, x: ir.Value | None) -> ir.Value:
    """Return (1 - x) (1 + x); near 1, the rounding of x^2 in 1 - x^2 would leave few digits."""
    factors = [back.op(op_type, one(back), x, of=x) for op_type in ("Sub", "Add")]
    return back.op("Mul", *factors, of=x)


def one(back: Backward) -> ir.Value:
    """Return the constant 1."""
    return back.builder.constant(1.0, f"{back.node.outputs[0].name}_grad.one")


OPERATORS = [
    Operator("Sin", sin_gradient, lower_flat(Sin)),
    Operator("Cos", cos_gradient, lower_flat(Cos)),
    Operator("Tan", tan_gradient, lower_steps(tan)),
    Operator("Asin", asin_gradient, lower_steps(asin)),
    Operator("Acos", acos_gradient, lower_steps(acos)),
    Operator("Atan", atan_gradient, lower_flat(Atan)),
]
