"""Python's garbage collector, disabled while a model is compiled.

A compilation makes hundreds of thousands of objects that stay until its end. The collector would scan them over and
over, which takes a third of the time and frees nothing.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Made = TypeVar("Made")


def uncollected(function: Callable[Arguments, Made]) -> Callable[Arguments, Made]:
    """Return the function with the collector disabled while it runs, if it was enabled."""

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
