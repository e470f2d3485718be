"""The state of a checkpoint of encoding "half", in which float32 numbers have 16 bits.

The format is in docs/SPEC.md, "Packed entries".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..generated.records import DTYPE, PACKED_SIZE, STATE_ROLE
from . import narrow_floats

#: The rows of the state table, as records.unpack("state_entry") returns them.
Table = Sequence[dict[str, Any]]

_ROLES = {STATE_ROLE[role] for role in ("parameter", "slot", "statistic")}


def segments(table: Table, state_size: int) -> Iterator[tuple[int, int, bool]]:
    """Yield (offset in the state, bytes in memory, whether it is packed), in order, without gaps.

    Raises ValueError if an entry ends past the state.
    """
    at = 0
    for row in table:
        if is_packed(row, at):
            if row["offset"] + row["size"] > state_size:
                raise ValueError(f"an entry ends at {row['offset'] + row['size']} of {state_size} bytes")
            if row["offset"] > at:
                yield at, row["offset"] - at, False
            yield row["offset"], row["size"], True
            at = row["offset"] + row["size"]
    if at < state_size:
        yield at, state_size - at, False


def is_packed(row: dict[str, Any], at: int) -> bool:
    """Return whether an entry is packed if the entries before it end at byte `at`."""
    is_numbers = row["role"] in _ROLES and row["dtype"] == DTYPE["f32"]
    return is_numbers and row["offset"] >= at and row["size"] >= PACKED_SIZE


def packed_size(size: int) -> int:
    """Return the bytes of a packed entry that has `size` bytes in memory.

    It consists of the scale, the halves, and padding to a whole word.
    """
    return 4 + (size // 4 + 1) // 2 * 4


def size_in_file(table: Table, state_size: int) -> int:
    """Return the bytes of the packed state.

    Raises ValueError as segments() does.
    """
    return sum(packed_size(size) if packed else size for _, size, packed in segments(table, state_size))


def pack(table: Table, state: bytes) -> bytes:
    """Return the state in the file's encoding."""
    parts = []
    for at, size, packed in segments(table, len(state)):
        data = state[at : at + size]
        parts.append(_pack_entry(data) if packed else data)
    return b"".join(parts)


def unpack(table: Table, data: bytes, state_size: int) -> bytes:
    """Return the state as it is in memory.

    Raises ValueError if `data` does not have the length that follows from the table.
    """
    if size_in_file(table, state_size) != len(data):
        raise ValueError(f"the packed state has {len(data)} bytes, its table makes {size_in_file(table, state_size)}")
    parts, start = [], 0
    for _, size, packed in segments(table, state_size):
        end = start + (packed_size(size) if packed else size)
        parts.append(_unpack_entry(data[start:end], size // 4) if packed else data[start:end])
        start = end
    return b"".join(parts)


def _pack_entry(data: bytes) -> bytes:
    scale, halves = narrow_floats.to_half(np.frombuffer(data, "<f4"))
    return struct.pack("<I", scale) + halves.astype("<u2").tobytes() + bytes(2 * (halves.size % 2))


def _unpack_entry(data: bytes, count: int) -> bytes:
    """Return the float32 bytes of a packed entry.

    The scale is the first of its word's four bytes; the others are reserved.
    """
    return narrow_floats.from_half(data[0], np.frombuffer(data, "<u2", count, 4)).astype("<f4").tobytes()
