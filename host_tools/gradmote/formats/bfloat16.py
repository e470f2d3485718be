"""Numbers of bfloat16: the upper 16 bits of a float32."""

from __future__ import annotations

import numpy as np

#: The bits of a bfloat16 in a file.
BITS = np.dtype("<u2")


def encode(values: np.ndarray) -> np.ndarray:
    """Return the bits of the nearest bfloat16 of each number, ties to even; NaN stays NaN."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + (0x7FFF + (bits >> 16 & 1)).astype(np.uint32)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(BITS)


def decode(bits: np.ndarray) -> np.ndarray:
    """Return the numbers of such bits as float32, exactly."""
    return (bits.astype(np.uint32) << 16).view(np.float32)
