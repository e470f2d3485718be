"""Operators on elements of 8 and 16 bits."""

from __future__ import annotations

import numpy as np

from .machine import Call, kernel
from .numerics import rounded


def signed(number: int) -> int:
    """Return the i32 that a parameter's word stands for."""
    return (number & 0xFFFFFFFF ^ 1 << 31) - (1 << 31)


def int8_of(number: int) -> int:
    """Return the nearest number of an int8."""
    return min(max(number, -128), 127)


@kernel("QUANTIZE")
def quantize(c: Call) -> None:
    low, high = int8_of(signed(c["low"])), int8_of(signed(c["high"]))
    q = rounded(c.get("x") / c.f32("scale")) + np.float32(signed(c["zero"]))
    found = np.where(q < high, np.where(q > low, q, low), np.where(q >= high, high, low))
    c.put("y", found.astype(np.int8))


@kernel("DEQUANTIZE")
def dequantize(c: Call) -> None:
    difference = (c.get("x").astype(np.int64) - signed(c["zero"])).astype(np.uint32).view(np.int32)
    c.put("y", difference.astype(np.float32) * c.f32("scale"))
