"""Arrays in NumPy's .npz format, as bytes."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np


def npz_bytes(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Return an .npz file of arrays by their names."""
    file = io.BytesIO()
    named: dict[str, np.ndarray] = dict(arrays)
    np.savez(file, **named)  # type: ignore[arg-type]
    return file.getvalue()
