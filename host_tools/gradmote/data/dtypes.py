"""Converts arrays to the dtypes that boards support, and reports it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import DataError
from .loaded import Array, Loaded
from .quoting import named

#: Single numbers, which are read unchanged.
_SCALARS = ("scale", "zero")


def converted(path: Path, loaded: Loaded) -> Loaded:
    """Return the arrays as float32, int32 or bytes, with a line on those that might not fit."""
    arrays, changes = {}, []
    for name, array in loaded.arrays.items():
        arrays[name] = array if name in _SCALARS and array.dtype.kind == "f" else narrowed(array, name, loaded)
        if name not in _SCALARS and not np.can_cast(array.dtype, arrays[name].dtype):
            changes.append(f"{name} {array.dtype.newbyteorder('=')} taken as {arrays[name].dtype}")
    line = (f"{named(path.name)}: {', '.join(changes)}",) if changes else ()
    return replace(loaded, arrays=arrays, converted=(*loaded.converted, *line))


def narrowed(array: Array, name: str, loaded: Loaded) -> Array:
    """Return the array as float32 or int32; bytes stay.

    Other floats become float32, other integers and booleans int32. Raises DataError if a number is
    outside the range of that dtype.
    """
    if array.dtype in (np.float32, np.uint8):
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    if array.dtype.kind == "f":
        limits, wanted = np.finfo(np.float32), np.dtype(np.float32)
    elif array.dtype.kind in "iub":
        limits, wanted = np.iinfo(np.int32), np.dtype(np.int32)  # type: ignore[assignment]
    else:
        raise DataError(f"{name} is {array.dtype}", "store numbers: float32 or float64, integers, or bytes (uint8)")
    numbers = array.astype(np.int8) if array.dtype.kind == "b" else array
    beyond = np.isfinite(numbers) & ((numbers < limits.min) | (numbers > limits.max))
    if beyond.any():
        position = tuple(map(int, np.unravel_index(int(beyond.argmax()), beyond.shape)))
        where = loaded.place(name, position)
        raise DataError(
            f"{where} is {numbers[position]}, which {wanted} does not hold", "scale the data, or leave it out"
        )
    return numbers.astype(wanted)
