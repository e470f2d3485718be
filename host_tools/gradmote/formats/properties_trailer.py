"""Properties that the slots of a device's state cannot hold, in a trailer of the checkpoint.

These are texts, float64 numbers, properties with long names, and those beyond the number
of slots.

The host writes them after a checkpoint. A device reads a checkpoint only as far as its header's `size`
says, so it never sees them, and a checkpoint that it saves has none. If the trailer is present, it
holds every property.

    offset 0   u32  magic, 0x50504D47 ("GMPP")
    offset 4   u32  bytes of text
    offset 8   u32  CRC-32 of the text
    offset 12       the text: a JSON object in UTF-8, name -> number or string
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Mapping

import numpy as np

from ..errors import CheckpointError, DataError

_MAGIC = 0x50504D47
_HEADER = struct.Struct("<3I")


def pack(properties: Mapping[str, int | float | str]) -> bytes:
    """Return the bytes of the trailer."""
    text = json.dumps(dict(properties), sort_keys=True, ensure_ascii=False).encode()
    return _HEADER.pack(_MAGIC, len(text), zlib.crc32(text)) + text


def starts(data: bytes) -> bool:
    """Return whether `data` starts like a trailer."""
    return len(data) >= _HEADER.size and _HEADER.unpack_from(data)[0] == _MAGIC


def unpack(data: bytes) -> dict[str, int | float | str]:
    """Return the properties.

    Raises CheckpointError for a damaged trailer, ValueError for JSON that is not an object.
    """
    _, size, crc = _HEADER.unpack_from(data)
    text = data[_HEADER.size :]
    if len(text) != size or zlib.crc32(text) != crc:
        raise CheckpointError("the properties after the checkpoint are damaged", "transfer the file again")
    values = json.loads(text)
    if not isinstance(values, dict):
        raise ValueError(f"properties are {type(values).__name__}")
    for name, value in values.items():
        check(name, value)
    return values


def check(name: str, value: object) -> None:
    """Raise DataError unless the property is a named int, float (finite) or str."""
    if not isinstance(name, str) or not name:
        raise DataError(f"{name!r} is not a name for a property", "use a non-empty string")
    for text in (name, value):
        if isinstance(text, str) and not is_unicode(text):
            raise DataError(f"{text!r} in property {name!r} is not valid Unicode", "leave out its lone surrogates")
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise DataError(f"property '{name}' is a {type(value).__name__}", "use an int, a float or a str")
    if isinstance(value, float) and not math.isfinite(value):
        raise DataError(f"property '{name}' is {value}", "use a finite number")


def is_unicode(text: str) -> bool:
    """Return whether UTF-8 can encode the text; it cannot encode a lone surrogate."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


# ---- The slots of a device's state for the application's own numbers -------------------------------------------------

_FLT_MAX = float(np.finfo(np.float32).max)


def fits_slot(key: str, value: int | float | str) -> bool:
    """Return whether a slot can hold the value: a 32-bit number under a name of up to 19 bytes.

    A float loses the digits that float32 cannot hold.
    """
    if isinstance(value, str):
        return False
    low, high = (-_FLT_MAX, _FLT_MAX) if isinstance(value, float) else (-(2**31), 2**31 - 1)
    return len(key.encode()) <= 19 and "\0" not in key and low <= value <= high
