"""Records in a file that grows: each has its size, u32, and the CRC-32 of its body, u32, before its body.

A process that is killed leaves at most one incomplete record at the end, and what is behind that one is as
if it had never come.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

_HEAD = struct.Struct("<II")


def packed(body: bytes) -> bytes:
    """Return the bytes of a record. The body is not empty."""
    return _HEAD.pack(len(body), zlib.crc32(body)) + body


def records(data: bytes, at: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield (its end, body) of each whole record from `at` on, up to the first one that is not."""
    while len(data) - at >= _HEAD.size:
        size, crc = _HEAD.unpack_from(data, at)
        body = data[at + _HEAD.size : at + _HEAD.size + size]
        if not body or len(body) < size or zlib.crc32(body) != crc:
            return
        at += _HEAD.size + size
        yield at, body
