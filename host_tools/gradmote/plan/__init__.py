"""The memory plan: live ranges of scratch buffers, then an offset in the arena for each."""

from .arena import Placement, place
from .lifetimes import Lifetime, lifetimes, lower_bound, usage
from .overlays import check_overlays

__all__ = ["Lifetime", "Placement", "check_overlays", "lifetimes", "lower_bound", "place", "usage"]
