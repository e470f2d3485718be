"""L1Loss: |x - t|, with the derivative sign(x - t), 0 at 0."""

from .elementwise_loss import operators

LOSS = """
  difference = Sub (x, target)
  each = Abs (difference)"""
SLOPE = """
  difference = Sub (x, target)
  slope = Sign (difference)"""

OPERATORS = operators("L1Loss", "L1_LOSS", LOSS, SLOPE)
