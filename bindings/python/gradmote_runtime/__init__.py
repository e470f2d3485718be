"""The C runtime on this computer: the board's twin, equal to the bit.

Two extension modules hold it, one for each numerics profile: `_fused` and `_strict`.
"""

from __future__ import annotations

from .session import Session

__all__ = ["Session"]
