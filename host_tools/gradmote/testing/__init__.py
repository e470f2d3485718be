"""Assertions for tests of your own models, whose messages tell the figures (docs/TESTING_YOUR_MODEL.md).

They need no pytest. What one holds against a target is a twin, an emulated board or a real one alike.
"""

from .bits import assert_same_state
from .learning import assert_accuracy, assert_learns, assert_loss, assert_outputs
from .memory import assert_fits, assert_memory
from .models import image_of

__all__ = [
    "assert_accuracy",
    "assert_fits",
    "assert_learns",
    "assert_loss",
    "assert_memory",
    "assert_outputs",
    "assert_same_state",
    "image_of",
]
