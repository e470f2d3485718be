"""The search for the scheme, batch, optimizer and plan that fit a budget of RAM, flash and time."""

from .contributions import measure
from .resource_limits import Limits, bytes_of
from .scores import Contributions, by_depth
from .search import Found, Tried, search
from .task import Task

__all__ = ["Contributions", "Found", "Limits", "Task", "Tried", "by_depth", "bytes_of", "measure", "search"]
