"""HardSwish: y = x min(max(x / 6 + 1/2, 0), 1).

dx = 0 for x <= -3, dy for x >= 3, and (x / 3 + 1/2) dy between.
"""

from ..ir.generated.instructions import HardSwish, HardSwishGrad
from ..ir.graph import DOMAIN
from .elementwise import gradient_op, lower_flat
from .operator import Operator

GRAD = """
HardSwishGrad (dY, X) => (dX) {
  zero = Constant <value_float = 0.0> ()
  half = Constant <value_float = 0.5> ()
  three = Constant <value_float = 3.0> ()
  minus_three = Constant <value_float = -3.0> ()
  third = Div (X, three)
  slope = Add (third, half)
  middle = Mul (dY, slope)
  above = GreaterOrEqual (X, three)
  below = LessOrEqual (X, minus_three)
  upper = Where (above, dY, middle)
  dX = Where (below, zero, upper)
}"""

OPERATORS = [
    Operator("HardSwish", gradient_op("HardSwishGrad"), lower_flat(HardSwish)),
    Operator("HardSwishGrad", None, lower_flat(HardSwishGrad), DOMAIN, GRAD),
]
