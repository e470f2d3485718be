"""The scale of samples: (x - zero) * scale, with the arithmetic that boards use for bytes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .loaded import Array, Loaded
from .reading import Reading


def scaled(loaded: Loaded, reading: Reading) -> Loaded:
    """Return the samples with the given scale.

    Bytes stay bytes, and the board scales them; other samples are scaled here.
    """
    given = {name: value for name, value in (("scale", reading.scale), ("zero", reading.zero)) if value is not None}
    if not given:
        return loaded
    arrays = dict(loaded.arrays)
    if arrays["x"].dtype == np.uint8:
        return replace(loaded, arrays={**arrays, **{name: np.array(value) for name, value in given.items()}})
    for name in ("x", "x_test"):
        if name in arrays:
            arrays[name] = _float(arrays[name], given.get("zero", 0.0), given.get("scale", 1.0))
    return replace(loaded, arrays=arrays)


def _float(array: Array, zero: float, scale: float) -> Array:
    with np.errstate(over="ignore"):
        return (array.astype(np.float32) - np.float32(zero)) * np.float32(scale)
