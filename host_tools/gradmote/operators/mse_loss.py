"""MSELoss: (x - t)^2, with the derivative 2 (x - t)."""

from .elementwise_loss import operators

LOSS = """
  difference = Sub (x, target)
  each = Mul (difference, difference)"""
SLOPE = """
  difference = Sub (x, target)
  slope = Add (difference, difference)"""

OPERATORS = operators("MSELoss", "MSE_LOSS", LOSS, SLOPE)
