"""The slots of a device's state for the application's own numbers."""

from __future__ import annotations

import numpy as np

_FLT_MAX = float(np.finfo(np.float32).max)


def fits_slot(key: str, value: int | float | str) -> bool:
    """Return whether a slot can hold the value: a 32-bit number under a name of up to 19 bytes.

    A float loses the digits that float32 cannot hold.
    """
    if isinstance(value, str):
        return False
    low, high = (-_FLT_MAX, _FLT_MAX) if isinstance(value, float) else (-(2**31), 2**31 - 1)
    return len(key.encode()) <= 19 and "\0" not in key and low <= value <= high
