"""Packing and unpacking of the records described in runtime_c/spec/records.toml."""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from typing import Any

from ..generated.records import RECORDS

_CODES = {"u32": "I", "i32": "i", "f32": "f", "offset": "I"}


#: The most bytes of a name in a file. Without it, a table of overlapping names could expand to the square of its size.
NAME_LIMIT = 4096
#: The most bytes of an image or a checkpoint.
FILE_LIMIT = 1 << 30


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file, or its first FILE_LIMIT + 1 bytes if it is larger.

    Raises OSError if the file cannot be read.
    """
    with open(path, "rb") as file:
        return file.read(FILE_LIMIT + 1)


def text_at(names: bytes, offset: int) -> str:
    """Return the zero-terminated text at `offset`.

    Raises ValueError if no zero byte follows within NAME_LIMIT bytes.
    """
    end = names.find(b"\0", offset, offset + NAME_LIMIT)
    if end < 0:
        raise ValueError(f"no name of less than {NAME_LIMIT} bytes at {offset}")
    return names[offset:end].decode()


def size_of(record: str) -> int:
    """Return the number of bytes of one record."""
    return sum(count * (size_of(kind) if kind in RECORDS else 4) for _, kind, count in RECORDS[record])


def pack(record: str, values: Mapping[str, Any]) -> bytes:
    """Return the bytes of a record; omitted fields are 0, and arrays are padded with 0."""
    parts = []
    for name, kind, count in RECORDS[record]:
        value = values.get(name, 0)
        items = list(value) if count > 1 and value else [value]
        items += [{} if kind in RECORDS else 0] * (count - len(items))
        for item in items:
            parts.append(pack(kind, item or {}) if kind in RECORDS else struct.pack("<" + _CODES[kind], item))
    return b"".join(parts)


def unpack(record: str, data: bytes, offset: int = 0) -> dict[str, Any]:
    """Return the fields of the record at `offset`, by name.

    Raises struct.error if `data` is too short.
    """
    values: dict[str, Any] = {}
    for name, kind, count in RECORDS[record]:
        items = []
        for _ in range(count):
            if kind in RECORDS:
                items.append(unpack(kind, data, offset))
                offset += size_of(kind)
            else:
                items.append(struct.unpack_from("<" + _CODES[kind], data, offset)[0])
                offset += 4
        values[name] = items if count > 1 else items[0]
    return values
