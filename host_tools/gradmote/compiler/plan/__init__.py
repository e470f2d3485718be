"""Where every buffer lies in the arena: lifetimes, then placement."""

from .arena import Placement, place
from .lifetimes import Lifetime, lifetimes, lower_bound, usage

__all__ = ["Lifetime", "Placement", "lifetimes", "lower_bound", "place", "usage"]
