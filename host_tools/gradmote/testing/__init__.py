"""Assertions for tests of your own models, with the figures in their messages.

See docs/TESTING_YOUR_MODEL.md. They do not need pytest. A target is a twin, an emulated board or a
real one.
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
