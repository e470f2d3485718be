"""Packs and unpacks the records of runtime_c/spec/records.toml."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from .generated.records import RECORDS

_CODES = {"u32": "I", "i32": "i", "f32": "f", "offset": "I"}


def size_of(record: str) -> int:
    """Bytes of one record."""
    return sum(count * (size_of(kind) if kind in RECORDS else 4) for _, kind, count in RECORDS[record])


def pack(record: str, values: Mapping[str, Any]) -> bytes:
    """The record's bytes; fields left out are 0, arrays are padded with 0."""
    parts = []
    for name, kind, count in RECORDS[record]:
        value = values.get(name, 0)
        items = list(value) if count > 1 and value else [value]
        items += [{} if kind in RECORDS else 0] * (count - len(items))
        for item in items:
            parts.append(pack(kind, item or {}) if kind in RECORDS else struct.pack("<" + _CODES[kind], item))
    return b"".join(parts)


def unpack(record: str, data: bytes, offset: int = 0) -> dict[str, Any]:
    """The record at `offset`. Raises struct.error where `data` is too short."""
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
