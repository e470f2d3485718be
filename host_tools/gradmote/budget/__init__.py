"""The search for the scheme, batch, optimizer and plan that fit a budget of RAM, flash and time.

`measure`, which trains on the twin, is imported when it is first used.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING

from .resource_limits import Limits, bytes_of
from .scores import Contributions, by_depth
from .search import Found, Tried, search
from .task import Task

if TYPE_CHECKING:
    from .contributions import measure

__all__ = ["Contributions", "Found", "Limits", "Task", "Tried", "by_depth", "bytes_of", "measure", "search"]


def __getattr__(name: str) -> object:
    if name != "measure":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return resolve_name(f"{__name__}.contributions:measure")
