"""The numbers of samples: in dtypes that boards support, and under a scale.

The scale is (x - zero) * scale, with the arithmetic that boards use for bytes.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import DataError
from .loaded import Array, Loaded
from .quoting import named
from .reading import Reading

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
            f"{where} is {numbers[position]}, which {wanted} cannot hold", "scale the data, or leave it out"
        )
    return numbers.astype(wanted)


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
