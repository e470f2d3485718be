"""The random generator of dropout, DROPOUT and RANDOM_UNIFORM."""

from __future__ import annotations

import numpy as np

from .machine import Call, kernel
from .numerics import Array

U32 = np.uint32


def mix(x: Array) -> Array:
    """Return lowbias32 of 32-bit words."""
    x = np.asarray(x, U32)
    with np.errstate(over="ignore"):
        x = (x ^ x >> U32(16)) * U32(0x7FEB352D)
        x = (x ^ x >> U32(15)) * U32(0x846CA68B)
    return x ^ x >> U32(16)


def drawn(c: Call) -> Array:
    """Return the instruction's n random words. Its counter is train_steps, then seed."""
    step, seed = c.get("counter")
    with np.errstate(over="ignore"):
        step_key = mix(mix(seed) + step)
        stream_key = mix(step_key ^ mix(U32(c["stream"]) + U32(1)))
        return mix(mix(step_key + np.arange(c["n"], dtype=U32)) ^ stream_key)


@kernel("DROPOUT")
def dropout(c: Call) -> None:
    kept = drawn(c) >= U32(c["threshold"])
    c.put("y", np.where(kept, c.f32("scale") * c.get("x"), np.float32(0)))


@kernel("RANDOM_UNIFORM")
def random_uniform(c: Call) -> None:
    u = (drawn(c) >> U32(8)).astype(np.float32) * np.float32(2.0**-24)
    c.put("y", c.a.mac(c.f32("low"), c.f32("range"), u))
