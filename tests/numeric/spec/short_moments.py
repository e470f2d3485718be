"""Moments of bfloat16, which are rounded at random."""

from __future__ import annotations

import numpy as np

from .machine import Call
from .numerics import Array
from .random_numbers import mix

U32 = np.uint32
HALF = U32(0xFFFF)
#: The stream of the moments of float32 parameters.
STREAM = 2**32 - 4


def random_words(counter: Array, stream: int, first: int, n: int) -> Array:
    """Return n words from number `first` on, two numbers each. counter: seed, then optimizer_steps."""
    seed, step = counter
    with np.errstate(over="ignore"):
        key = mix(mix(seed) + step)
        return mix(mix(key ^ mix(U32(stream) + U32(1))) + (U32(first) + np.arange(n, dtype=U32)))


def bfloat16(values: Array, random: Array) -> Array:
    """Return the upper halves of float32 numbers and a random half; NaN has one form, the finite stay finite."""
    bits = values.view(U32)
    magnitude = bits & U32(0x7FFFFFFF)
    summed = np.where(magnitude >= U32(0x7F7F0000), bits, bits + random) >> U32(16)
    return np.where(magnitude > U32(0x7F800000), 0x7FC0, summed).astype("<u2")


def keep_moments(c: Call, moments: list[Array], words: Array) -> None:
    """Store the first moments, and perhaps the second; of bfloat16 they are rounded, each by its half of a word."""
    for name, values, random in zip(("slot1", "slot2"), moments, (words & HALF, words >> U32(16))):
        values = values.reshape(-1)
        c.flat(name)[...] = bfloat16(values, random) if c.i.short else values
