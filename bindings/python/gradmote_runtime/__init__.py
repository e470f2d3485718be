"""The C runtime on this computer: the board's twin, bitwise equal.

Two extension modules contain it, one per numerics profile: `_fused` and `_strict`.
"""

from __future__ import annotations

from .session import Session

__all__ = ["Session"]
