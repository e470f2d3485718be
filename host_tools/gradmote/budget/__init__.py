"""A model cut to a budget of RAM, flash and time: which scheme, batch, optimizer and plan, and what that gives up."""

from .contributions import measure
from .limits import Limits, bytes_of
from .search import Found, Tried, search
from .task import Task
from .worth import Worth, by_depth

__all__ = ["Found", "Limits", "Task", "Tried", "Worth", "by_depth", "bytes_of", "measure", "search"]
