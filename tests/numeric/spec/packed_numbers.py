"""Float32 numbers in 16 bits under a scale, as docs/SPEC.md's "Packed entries" has them.

Binary64 holds every number times any power of two that occurs here exactly.
"""

from __future__ import annotations

import struct

import numpy as np

from .numerics import Array

LARGEST, SMALLEST, NAN = np.float64(65504), np.float64(2.0**-24), 0x7E00
MOST_SCALE, BIAS = 237, 125


def _halves(x: Array, scale: int) -> Array:
    """Return numbers h with x near h 2^(scale - 125), rounded once to binary16."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.ldexp(x.astype(np.float64), BIAS - scale).astype(np.float16)


def scale_of(x: Array) -> int:
    """Return the smallest scale under which the finite number of largest magnitude is finite."""
    finite = np.abs(x[np.isfinite(x)])
    largest = finite.max(initial=np.float32(0), keepdims=True)
    return next((s for s in range(MOST_SCALE) if np.isfinite(_halves(largest, s)).all()), MOST_SCALE)


def packed(data: bytes) -> bytes:
    """Return the scale and the halves of float32 numbers, padded to a word."""
    x = np.frombuffer(data, "<f4")
    scale, size = scale_of(x), np.abs(x)
    rounded = np.clip(_halves(size, scale).astype(np.float64), SMALLEST, LARGEST)
    rounded = np.where((size == 0) | np.isinf(size), size, rounded)
    halves = np.where(np.isnan(x), np.uint16(NAN), rounded.astype("<f2").view("<u2"))
    halves = (halves | np.where(np.signbit(x), 0x8000, 0)).astype("<u2")
    return struct.pack("<I", scale) + halves.tobytes() + bytes(2 * (len(halves) % 2))


def unpacked(piece: bytes, count: int) -> bytes:
    """Return the bytes of so many float32 numbers."""
    scale, bits = piece[0], np.frombuffer(piece[4 : 4 + 2 * count], "<u2").astype(np.uint32)
    with np.errstate(over="ignore", invalid="ignore"):
        values = np.ldexp(bits.astype("<u2").view("<f2").astype(np.float64), scale - BIAS).astype("<f4").view("<u4")
    special = (bits & 0x8000) << 16 | 0x7F800000 | (bits & 0x3FF) << 13
    return np.where(bits & 0x7C00 == 0x7C00, special, values).astype("<u4").tobytes()
