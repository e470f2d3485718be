"""Numbers for JSON, which has neither NaN nor infinities."""

from __future__ import annotations

import math
from typing import Any


def finite(value: Any) -> Any:
    """Return the value with null for each NaN or infinity, which JSON lacks."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
