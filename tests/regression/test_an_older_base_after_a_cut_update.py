"""An update to an image of the same model forgets what flash has of it, the newest base of a round last.

It went through the slots in their order: power that failed after the newest base and before an older one brought that
one back, beside the old image.
"""

from __future__ import annotations

from fuzz import conversing

#: The seed of conversations: in one of them there are two bases when an update begins.
SEED = 2026112901348


def test_every_cut_leaves_the_newest_base_or_none() -> None:
    conversing.build()
    assert "0 third states" in conversing.cut(2, 20, SEED)
