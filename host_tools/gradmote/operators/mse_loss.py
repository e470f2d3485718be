"""MSELoss: (x - t)^2, with the derivative 2 (x - t)."""

from functools import partial

from ..ir.generated.instructions import MseLoss, MseLossGrad
from .elementwise_loss import lower_grad, lower_loss, operators

LOSS = """
  difference = Sub (x, target)
  each = Mul (difference, difference)"""
SLOPE = """
  difference = Sub (x, target)
  slope = Add (difference, difference)"""

OPERATORS = operators("MSELoss", partial(lower_loss, MseLoss), partial(lower_grad, MseLossGrad), LOSS, SLOPE)
