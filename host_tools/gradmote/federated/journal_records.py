"""Records in a growing file: each has its body's size, u32, and CRC-32, u32, then its body.

A killed process leaves at most one incomplete record at the end. Readers ignore that record and everything
after it.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

_HEAD = struct.Struct("<II")


def packed(body: bytes) -> bytes:
    """Return the bytes of a record. The body must not be empty."""
    return _HEAD.pack(len(body), zlib.crc32(body)) + body


def records(data: bytes, at: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield (its end, body) of each complete record from `at` on, up to the first incomplete one."""
    while len(data) - at >= _HEAD.size:
        size, crc = _HEAD.unpack_from(data, at)
        body = data[at + _HEAD.size : at + _HEAD.size + size]
        if not body or len(body) < size or zlib.crc32(body) != crc:
            return
        at += _HEAD.size + size
        yield at, body
