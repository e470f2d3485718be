"""Floor, Ceil, Round and Sign, whose derivative is 0 wherever they have one."""

from __future__ import annotations

from .elementwise import lower_flat
from .operator import Operator, no_gradient

NEAREST, DOWN, UP = range(3)  # direction: enum(nearest, down, up)

OPERATORS = [
    Operator("Floor", no_gradient, lower_flat("ROUND", "x", "y", direction=DOWN)),
    Operator("Ceil", no_gradient, lower_flat("ROUND", "x", "y", direction=UP)),
    Operator("Round", no_gradient, lower_flat("ROUND", "x", "y", direction=NEAREST)),
    Operator("Sign", no_gradient, lower_flat("SIGN", "x", "y")),
]
