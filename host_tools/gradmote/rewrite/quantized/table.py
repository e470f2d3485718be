"""Tables of a function of one int8 number, for the operator QLookup."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .matching import Result

#: All 8-bit numbers.
EVERY = np.arange(-128, 128).astype(np.int8)


def table_of(real: Callable[[np.ndarray], np.ndarray], result: Result) -> np.ndarray:
    """Return the quantized results of a function for all 8-bit numbers."""
    return np.clip(result.affine.quantize(real(EVERY)), result.low, result.high).astype(np.int8)


def is_identity(table: np.ndarray) -> bool:
    """Return whether a table maps every number to itself."""
    return np.array_equal(table, EVERY)
