"""L1Loss: |x - t|, with the derivative sign(x - t), 0 at 0."""

from functools import partial

from ..ir.generated.instructions import L1Loss, L1LossGrad
from .elementwise_loss import lower_grad, lower_loss, operators

LOSS = """
  difference = Sub (x, target)
  each = Abs (difference)"""
SLOPE = """
  difference = Sub (x, target)
  slope = Sign (difference)"""

OPERATORS = operators("L1Loss", partial(lower_loss, L1Loss), partial(lower_grad, L1LossGrad), LOSS, SLOPE)
