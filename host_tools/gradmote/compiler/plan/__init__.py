"""The memory plan: lifetimes of scratch buffers, then an offset in the arena for each."""

from .arena import Placement, place
from .lifetimes import Lifetime, lifetimes, lower_bound, usage

__all__ = ["Lifetime", "Placement", "lifetimes", "lower_bound", "place", "usage"]
