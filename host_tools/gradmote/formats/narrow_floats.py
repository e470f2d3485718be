"""Float32 numbers in 16 bits: bfloat16, and binary16 under a scale.

A bfloat16 is the upper 16 bits of a float32.

A checkpoint's packed entries have binary16, halves, under a scale. The bits are those of
runtime_c/src/half.c. A half h under scale s (0 .. 255) means h 2^(s - 125).
"""

from __future__ import annotations

from typing import Any

import numpy as np

#: The bits of a bfloat16 in a file.
BFLOAT16_BITS = np.dtype("<u2")


def to_bfloat16(values: np.ndarray) -> np.ndarray:
    """Return the bits of the nearest bfloat16 of each number, ties to even; NaN stays NaN."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + (0x7FFF + (bits >> 16 & 1)).astype(np.uint32)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(BFLOAT16_BITS)


def from_bfloat16(bits: np.ndarray) -> np.ndarray:
    """Return the numbers of such bits as float32, exactly."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


Array = np.ndarray[Any, Any]

_BIAS = 125
_SCALE_LIMIT = 237  # under the next one, the largest half would exceed float32
_SIGN, _INFINITY, _NAN = 0x8000, 0x7C00, 0x7E00


def to_half(values: Array) -> tuple[int, Array]:
    """Return (scale, halves) of float32 values; halves are uint16, of the same shape.

    The scale brings the largest finite value as high as binary16 allows. Each value is rounded to the
    nearest half, ties to even, but finite numbers stay finite and nonzero ones stay nonzero. Infinities
    stay; every NaN becomes 0x7E00, with its sign.
    """
    values = np.asarray(values, np.float32)
    scale = scale_of(values)
    halves = _nearest(values, scale)
    magnitude = halves & ~np.uint16(_SIGN)
    magnitude = np.where(np.isfinite(values), np.minimum(magnitude, _INFINITY - 1), magnitude)
    magnitude = np.where((values != 0) & (magnitude == 0), 1, magnitude)
    magnitude = np.where(np.isnan(values), _NAN, magnitude)
    return scale, (np.where(np.signbit(values), _SIGN, 0) | magnitude).astype(np.uint16)


def scale_of(values: Array) -> int:
    """Return the smallest scale, 0 .. 237, under which no finite value rounds to infinity."""
    largest = np.abs(values[np.isfinite(values)]).max(initial=np.float32(0))
    stored = int(largest.view(np.uint32)) >> 23
    scale = max(stored - 17, 0)
    return min(scale + int(_nearest(largest, scale) >= _INFINITY), _SCALE_LIMIT)


def from_half(scale: int, halves: Array) -> Array:
    """Return the float32 values of uint16 halves, exactly.

    A number too large for float32 becomes infinity.
    """
    halves = np.asarray(halves, np.uint16)
    with np.errstate(over="ignore", invalid="ignore"):
        values = np.ldexp(halves.view(np.float16).astype(np.float64), scale - _BIAS).astype(np.float32)
    bits = halves.astype(np.uint32)
    nan = (bits & _SIGN) << 16 | 0x7F800000 | (bits & 0x3FF) << 13
    return np.where(np.isnan(values), nan, values.view(np.uint32)).astype(np.uint32).view(np.float32)


def _nearest(values: Array, scale: int) -> Array:
    """Return the bits of the nearest halves.

    They are rounded once, because float64 holds the scaled numbers exactly.
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        scaled = np.ldexp(np.asarray(values, np.float64), _BIAS - scale)
        return np.asarray(scaled.astype(np.float16)).view(np.uint16)
