"""Floor, Ceil, Round and Sign, whose derivative is 0 wherever they have one."""

from __future__ import annotations

from ..ir.generated.instructions import Round, Sign
from .elementwise import lower_flat
from .operator import Operator, no_gradient

OPERATORS = [
    Operator("Floor", no_gradient, lower_flat(Round, direction="down")),
    Operator("Ceil", no_gradient, lower_flat(Round, direction="up")),
    Operator("Round", no_gradient, lower_flat(Round, direction="nearest")),
    Operator("Sign", no_gradient, lower_flat(Sign)),
]
