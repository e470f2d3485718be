"""Waits for a board that trains when idle: it begins once its line has been quiet for a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from gradmote.generated.console import IDLE_MS

Found = TypeVar("Found")

#: Longer than the quiet period that a board waits for, in seconds.
QUIET = 1.5 * IDLE_MS / 1000
MOST = 100


def after_quiet(look: Callable[[], Found]) -> Found:
    """Return the result of `look` once it is not 0. The line is quiet before each look, which disturbs the board."""
    for _ in range(MOST):
        time.sleep(QUIET)
        if found := look():
            return found
    raise AssertionError(f"nothing after {MOST} times {QUIET} s of quiet")
