"""Python's garbage collector, which stands still while a model is compiled.

A compile makes hundreds of thousands of objects that stay until its end. The collector goes through all of them again
and again, which takes a third of the time, and finds nothing to free.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Made = TypeVar("Made")


def uncollected(function: Callable[Arguments, Made]) -> Callable[Arguments, Made]:
    """Return the function with the collector standing still while it runs, where it was running."""

    @functools.wraps(function)
    def call(*args: Arguments.args, **named: Arguments.kwargs) -> Made:
        if not gc.isenabled():
            return function(*args, **named)
        gc.disable()
        try:
            return function(*args, **named)
        finally:
            gc.enable()

    return call
